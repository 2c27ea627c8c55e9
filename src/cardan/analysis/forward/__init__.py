"""Runs of forward dynamics: their loop, what happens in them, how they go on and why they end."""
