"""Functions of time and curves that users state: motions, profiles, roads."""
