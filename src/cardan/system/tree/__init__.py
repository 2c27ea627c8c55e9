"""Spanning trees: the equations of a mechanism in joint coordinates, by recursions over its bodies."""
