"""Compiled functions: kernels, their cache, blocks of tables, and functions of users."""
