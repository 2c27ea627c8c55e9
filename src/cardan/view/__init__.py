"""Pictures of results: sketches of the mechanism, curves, animations. Matplotlib is loaded with the first picture."""
