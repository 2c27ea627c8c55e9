"""Planar linkages."""
