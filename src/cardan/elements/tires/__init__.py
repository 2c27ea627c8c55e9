"""Tire models."""
