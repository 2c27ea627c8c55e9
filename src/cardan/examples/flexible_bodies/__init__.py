"""Flexible bodies: component modes in large motion."""
