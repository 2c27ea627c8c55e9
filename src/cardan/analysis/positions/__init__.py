"""Positions: closing all joints, going from instant to instant, and where that ends."""
