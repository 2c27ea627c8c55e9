"""Verdicts on results, by ways other than those that computed them."""
