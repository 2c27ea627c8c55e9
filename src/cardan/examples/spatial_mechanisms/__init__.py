"""Closed loops in space."""
