"""Derivatives of exported machine code."""
