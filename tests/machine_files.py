"""Small files of machines for tests: written, opened, spoilt."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

from cardan import CardanWarning, from_mjcf, from_urdf

INERTIAL = '<inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1"/></inertial>'
PENDULUM = f"""<robot name="pendulum">
<link name="base"/>
<link name="bob">{INERTIAL}</link>
<joint name="pin" type="revolute">
<parent link="base"/><child link="bob"/><axis xyz="0 1 0"/>
<limit lower="-1" upper="1" effort="5" velocity="2"/>
</joint>
</robot>
"""
BODY = '<body name="bob"><joint name="pin" axis="0 1 0"/><geom type="sphere" size="0.1" pos="0 0 -1"/></body>'
SWING = f"""<mujoco model="swing">
<compiler angle="radian"/>
<worldbody>
{BODY}
</worldbody>
</mujoco>
"""


def urdf(folder: Path, text: str, **options: Any) -> Any:
    """The model of a text, and of nothing else: its file is in an empty folder."""
    return _opened(folder / "machine.urdf", text, from_urdf, options)


def mjcf(folder: Path, text: str, **options: Any) -> Any:
    return _opened(folder / "machine.xml", text, from_mjcf, options)


def _opened(path: Path, text: str, read: Any, options: dict[str, Any]) -> Any:
    path.write_text(text)
    return read(path, **options)


def told(folder: Path, text: str, **options: Any) -> tuple[Any, list[str]]:
    """The model, and what its import warned of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = (urdf if "<robot" in text else mjcf)(folder, text, **options)
    assert all(issubclass(warning.category, CardanWarning) for warning in caught)
    return model, [str(warning.message) for warning in caught]
