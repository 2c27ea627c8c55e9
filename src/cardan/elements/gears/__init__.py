"""Teeth of gears: forces along the line of action, elastic meshes, worms and planetary sets."""
