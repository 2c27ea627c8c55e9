"""Checks of results by methods independent of those that computed them."""
