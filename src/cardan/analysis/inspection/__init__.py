"""The equations of a mechanism at one state, as numbers with names."""
