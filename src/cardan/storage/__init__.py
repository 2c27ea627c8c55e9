"""Results in files: netCDF that explains itself and is read back as the same object, and tables for other programs."""
