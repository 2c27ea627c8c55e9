"""Pictures of results: sketches of the mechanism, curves, moving pictures. Matplotlib is loaded by the first one."""
