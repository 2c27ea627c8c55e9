"""What a user states: bodies, markers, measures, elements, motions and curves. Data only; nothing here solves."""
