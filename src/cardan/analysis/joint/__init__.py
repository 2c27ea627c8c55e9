"""Analyses in joint coordinates: the counterparts of those in Cartesian ones."""
