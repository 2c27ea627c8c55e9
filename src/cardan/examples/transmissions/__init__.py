"""Gears, cams, belts and shafts."""
