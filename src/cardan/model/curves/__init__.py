"""Functions of time and curves: motions, profiles, roads."""
