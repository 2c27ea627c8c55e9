"""Contact surfaces, and the coordinates of contact points."""
