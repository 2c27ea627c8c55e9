"""Static equilibrium: equations, searches and stability."""
