"""Analyses: functions that turn a model into a result."""
