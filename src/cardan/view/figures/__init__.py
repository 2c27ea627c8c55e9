"""Figures of particular results: free bodies, polygons, linear systems, studies."""
