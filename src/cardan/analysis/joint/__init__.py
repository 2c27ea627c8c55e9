"""The equations of a mechanism in joint coordinates, for analysis and control."""
