"""Pictures: sketches of mechanisms, curves, moving pictures. Needs matplotlib, which is imported late."""
