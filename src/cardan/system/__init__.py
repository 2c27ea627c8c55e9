"""compile(model) -> System: numbering, patterns and tables, and the evaluation of all equations in one pass.

The only package that uses global indices.
"""
