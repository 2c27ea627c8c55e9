"""Colors of solids in files: rgba="0.8 0.2 0.2 1", stated in place or by the name of a material.

Colors change pictures only: one that cannot be read is left out, and the solid has the color of its body.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from cardan.io.document import Node


def materials(nodes: Iterable[Node]) -> dict[str, str]:
    """The colors of materials by name; a URDF has the color in a <color> inside."""
    found = {}
    for node in nodes:
        color = own_paint(node) or next((own_paint(child) for child in node.all("color")), "")
        if color and "name" in node.attributes:
            found[node.attributes["name"]] = color
    return found


def own_paint(node: Node) -> str:
    """The color #rrggbb that a node states as rgba; "" if it states none that can be read."""
    return _paint(node.attributes.get("rgba", ""))


def _paint(text: str) -> str:
    try:
        shares = [float(word) for word in text.split()]
    except ValueError:
        return ""
    if len(shares) not in (3, 4) or not all(map(math.isfinite, shares)):
        return ""
    return "#" + "".join(f"{round(255 * min(max(share, 0.0), 1.0)):02x}" for share in shares[:3])


def visual_paint(visual: Node, known: Mapping[str, str]) -> str:
    """The color of a <visual> of a URDF: of its material, or of the material of that name elsewhere in the file."""
    for material in visual.all("material"):
        for color in material.all("color"):
            if paint := own_paint(color):
                return paint
        return known.get(material.attributes.get("name", ""), "")
    return ""


def geom_paint(geom: Node, known: Mapping[str, str]) -> str:
    """The color of a <geom> of MJCF: rgba comes before its material."""
    return own_paint(geom) or known.get(geom.attributes.get("material", ""), "")


def color_of(visual: Node) -> str:
    """The color of a <visual> of SDF: the diffuse color of its material, or else the ambient one."""
    for material in visual.all("material"):
        for tag in ("diffuse", "ambient"):
            for color in material.all(tag):
                if paint := _paint(color.text):
                    return paint
    return ""
