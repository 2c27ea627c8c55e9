"""What the codes of faults mean: `cardan explain C104`."""

from __future__ import annotations

codes: dict[str, tuple[str, str]] = {}
