"""Drawings of elements: what each one looks like in a sketch."""
