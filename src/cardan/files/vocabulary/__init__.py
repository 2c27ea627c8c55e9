"""The types that a model file can state, generated from the public classes; the JSON schema and the reference page."""
