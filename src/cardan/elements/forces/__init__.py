"""Force elements for both spaces: springs, loads, bushings, beams, aerodynamic forces."""
