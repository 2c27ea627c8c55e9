"""Exact derivatives of the equations at one state, and their reduction to independent coordinates."""
