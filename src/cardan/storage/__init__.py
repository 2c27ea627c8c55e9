"""Results in files: netCDF, which is read back as the same object, tables for other programs, labeled data sets."""
