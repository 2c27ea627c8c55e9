"""Rest: the equations of equilibrium and the searches that solve them."""
