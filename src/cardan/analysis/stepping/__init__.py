"""Stepping: a model that a program advances step by step, with inputs and outputs."""
