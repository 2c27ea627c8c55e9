"""Ropes, belts and pulleys."""
