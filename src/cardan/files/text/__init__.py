"""The text of model files: YAML nodes with line and column, the grammar of values, expressions and units."""
