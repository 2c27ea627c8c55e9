"""Model data: bodies, markers, measures, elements, motions and curves. Nothing here solves equations."""
