"""Force elements for both spaces: springs, loads, bushings, aerodynamic forces."""
