"""Recursive algorithms over the spanning tree: velocities, masses, accelerations."""
