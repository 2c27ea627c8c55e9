"""Why won't it move? Findings of a mobility, and the open joints of an instant, for a page to show."""

from __future__ import annotations

from typing import Any

import numpy as np

from cardan.view.web.shapes import Scene


def open_joints(scene: Scene, instant: Any) -> list[dict[str, Any]]:
    return []


def why_page(report: Any, **options: Any) -> Any:
    raise NotImplementedError


_ = np
