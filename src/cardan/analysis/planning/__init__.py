"""Motions along paths within limits, and masses from measured forces."""
