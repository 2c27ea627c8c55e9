"""A car that several examples drive."""
