"""The table of a part: mass properties, frequencies and damping."""

from __future__ import annotations

import numpy as np

from cardan.model.flexible_part import FlexiblePart

SHOWN = 30  # modes


def summary(part: FlexiblePart) -> str:
    """Mass, mass center, principal moments about it, interfaces, and a line for each mode.

    >>> from cardan.flexible import beam, rectangle
    >>> print(summary(beam(1.0, rectangle(0.02, 0.01)).reduce(modes=2, damping=0.01)))
    'beam': 1.57 kg, mass center (0.5, 0, 0) m, principal inertia 6.542e-05, 0.1308, 0.1309 kg m^2
    interfaces: left, right
    mode  frequency [Hz]  damping
    ...
    """
    center = part.center
    inertia = np.linalg.eigvalsh(part.inertia - part.mass * (center @ center * np.eye(3) - np.outer(center, center)))
    lines = [
        f"'{part.name}': {part.mass:.4g} kg, mass center ({', '.join(f'{_tidy(x):.4g}' for x in center)}) m, "
        f"principal inertia {', '.join(f'{x:.4g}' for x in inertia)} kg m^2",
        f"interfaces: {', '.join(part.interfaces) or 'none'}",
        "mode  frequency [Hz]  damping",
    ]
    ratios = np.diag(part.damping) / np.maximum(4.0 * np.pi * part.frequencies, np.finfo(float).tiny)
    for k, (frequency, ratio) in enumerate(zip(part.frequencies[:SHOWN], ratios, strict=False), 1):
        lines.append(f"{k:4d}  {frequency:14.6g}  {'none' if ratio == 0.0 else f'{100 * ratio:.3g} %'}")
    if part.modes > SHOWN:
        lines.append(f" ...  {part.frequencies[-1]:14.6g}  ({part.modes - SHOWN} more)")
    return "\n".join(lines)


def _tidy(x: float) -> float:
    return 0.0 if abs(x) < 1e-9 else float(x)
