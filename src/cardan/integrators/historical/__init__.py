"""The integration methods of Haug 7.3: Adams formulas with partitioning or stabilization."""
