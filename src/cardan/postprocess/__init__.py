"""Quantities computed from a result: free bodies, polygons, instant centers, bearing loads, vehicle motion, peaks."""
