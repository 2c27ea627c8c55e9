"""A hand on a mechanism: points, cranks and pivots that are drawn, and what stops them."""
