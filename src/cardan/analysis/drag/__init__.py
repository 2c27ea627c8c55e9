"""Dragging a mechanism by one of its points, with all joints closed."""
