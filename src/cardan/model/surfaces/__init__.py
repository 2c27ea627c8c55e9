"""Surfaces that may touch, and the coordinates of contact points."""
