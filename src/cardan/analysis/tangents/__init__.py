"""How states, rests and motions follow parameters of the model."""
