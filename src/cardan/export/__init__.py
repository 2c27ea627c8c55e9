"""Models as C libraries and FMUs, which need neither Python nor Cardan."""
