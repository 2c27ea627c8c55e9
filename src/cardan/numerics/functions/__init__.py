"""User functions: machine code with exact derivatives, or the interpreter behind the same signature."""
