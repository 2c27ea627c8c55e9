"""Derivatives of results with respect to model parameters, and optimization."""
