"""Derivatives of frequency responses."""
