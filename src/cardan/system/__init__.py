"""compile(model) -> System: numbering, patterns and tables, and the evaluation of all equations in one pass.

The only room that knows global indices.
"""
