"""Searches over designs: limits, optimization, identification, Pareto fronts."""
