"""Lines of sketches: springs, dampers, circles, arrows of rotation, hatching, areas with holes, flat sets of points."""

from __future__ import annotations

import math

import numpy as np

WINDINGS = 10  # strokes of a spring
APART = 1.1  # half widths: spring and damper side by side, to both sides of their line
END = 0.1  # of the length: where the crossbars of both are
BREAK = (np.nan, np.nan)
_sides = np.resize([1.0, -1.0], WINDINGS).tolist()
SPRING = [(0, 0), (0.2, 0), *((0.2 + 0.6 * (k + 0.5) / WINDINGS, s) for k, s in enumerate(_sides)), (0.8, 0), (1, 0)]
DAMPER = [
    *((0, 0), (0.4, 0), BREAK, (0.65, 1), (0.4, 1), (0.4, -1), (0.65, -1), BREAK),
    *((0.52, 0.75), (0.52, -0.75), BREAK, (0.52, 0), (1, 0)),
]


def _beside(symbol: list[tuple[float, float]], side: float) -> list[tuple[float, float]]:
    return [(END + (1.0 - 2.0 * END) * share, side + 0.75 * across) for share, across in symbol]


STRETCHED = {  # symbols between two points: shares of the way, and half widths to its left
    "spring": np.array(SPRING, float),
    "damper": np.array(DAMPER, float),
    "spring-damper": np.array(
        [
            *((0, 0), (END, 0), (END, APART), *_beside(SPRING, APART), (1 - END, APART), (1 - END, 0), (1, 0), BREAK),
            *((END, 0), (END, -APART), *_beside(DAMPER, -APART), (1 - END, -APART), (1 - END, 0)),
        ],
        float,
    ),
}


def stretched(kind: str, a: np.ndarray, b: np.ndarray, width: float) -> np.ndarray:
    """The line of a spring or damper from a to b; the windings of a spring, `width` wide, move apart as it grows."""
    way = b - a
    far = float(np.linalg.norm(way))
    if far == 0.0:
        return np.stack([a, b])
    least = np.eye(a.size)[int(np.argmin(np.abs(way)))] if a.size == 3 else np.array([-way[1], way[0]])
    across = least - way * (least @ way) / far**2
    across *= 0.5 * width / float(np.linalg.norm(across))
    shares, sides = STRETCHED[kind].T
    return np.asarray(a + shares[:, None] * way + sides[:, None] * across)


def circle(radius: float) -> np.ndarray:
    """A circle about the origin."""
    turn = np.linspace(0.0, 2.0 * np.pi, 97)
    return radius * np.stack([np.cos(turn), np.sin(turn)], axis=1)


def turning(unit: float) -> np.ndarray:
    """A good half turn around a point, counter-clockwise, with a head."""
    turn = np.linspace(-0.3 * np.pi, 0.8 * np.pi, 40)
    arc = 1.9 * unit * np.stack([np.cos(turn), np.sin(turn)], axis=1)
    tip, heading = arc[-1], turn[-1] + 0.42 * np.pi  # against the end of the arc, which bends away from its tangent
    barbs = [
        tip - 0.7 * unit * np.array([math.cos(heading + spread), math.sin(heading + spread)]) for spread in (0.5, -0.5)
    ]
    return np.vstack([arc, barbs[0], tip, barbs[1]])


def spiral(unit: float) -> np.ndarray:
    """A spring that is wound around a pin."""
    turn = np.linspace(0.0, 5.0 * np.pi, 90)
    far = unit * np.linspace(0.6, 1.7, 90)
    return np.stack([far * np.cos(turn), far * np.sin(turn)], axis=1)


def hatching(low: float, high: float, start: float, depth: float, spacing: float) -> np.ndarray:
    """Slanted strokes below a line, one broken line of points."""
    if spacing <= 0.0 or high <= low:
        return np.zeros((0, 2))
    count = min(max(int((high - low) / (0.55 * spacing)), 2), 200)
    tops = np.linspace(low, high, count + 1)[1:]
    size = 0.6 * abs(depth)
    strokes = np.full((count, 3, 2), np.nan)
    strokes[:, 0] = np.stack([tops, np.full(count, start)], axis=1)
    strokes[:, 1] = np.stack([tops - size, np.full(count, start + 0.6 * depth)], axis=1)
    return strokes.reshape(-1, 2)


def is_flat(points: np.ndarray) -> bool:
    """Whether points lie in one plane."""
    sizes = np.linalg.svd(points - points.mean(axis=0), compute_uv=False)
    return len(sizes) < 3 or bool(sizes[2] < 0.02 * sizes[0])


def straight_ends(nodes: np.ndarray) -> np.ndarray | None:
    """The two outermost of some points, if they lie on one line."""
    spread = nodes - nodes.mean(axis=0)
    _, sizes, directions = np.linalg.svd(spread, full_matrices=False)
    if len(nodes) > 2 and sizes[1] >= 0.02 * sizes[0]:
        return None
    place = spread @ directions[0]
    return nodes[[int(np.argmin(place)), int(np.argmax(place))]]


def with_holes(areas: list[np.ndarray]) -> list[tuple[np.ndarray, list[np.ndarray]]]:
    """Closed flat lines, each with those that lie inside it: they are holes."""
    found: list[tuple[np.ndarray, list[np.ndarray]]] = []
    for area in sorted(areas, key=lambda line: -float(np.ptp(line, axis=0).max())):
        around = next((holes for rim, holes in found if _inside(area, rim)), None)
        if around is None:
            found.append((area, []))
        else:
            around.append(area)
    return found


def surrounds(rim: np.ndarray, point: np.ndarray, slack: float) -> bool:
    """Whether a closed line of the plane surrounds a point, or passes within `slack` of it."""
    a, way = rim[:-1], np.diff(rim, axis=0)
    share = np.clip(np.sum((point - a) * way, axis=1) / np.maximum(np.sum(way**2, axis=1), 1e-300), 0.0, 1.0)
    return bool(np.linalg.norm(a + share[:, None] * way - point, axis=1).min() <= slack) or _inside(point[None], rim)


def _inside(line: np.ndarray, rim: np.ndarray) -> bool:
    """Whether all points of a line lie in the plane of a closed line, and within it."""
    middle = rim.mean(axis=0)
    _, sizes, axes = np.linalg.svd(rim - middle)
    if len(axes) == 3 and np.abs((line - middle) @ axes[2]).max() > 0.02 * sizes[0]:
        return False
    corners, points = (rim - middle) @ axes[:2].T, (line - middle) @ axes[:2].T
    a, b = corners[:-1], corners[1:]
    crossing = (a[:, 1] > points[:, None, 1]) != (b[:, 1] > points[:, None, 1])
    with np.errstate(divide="ignore", invalid="ignore"):
        at = a[:, 0] + (points[:, None, 1] - a[:, 1]) / (b[:, 1] - a[:, 1]) * (b[:, 0] - a[:, 0])
    return bool(np.all(np.sum(crossing & (points[:, None, 0] < at), axis=1) % 2 == 1))


def center_of(area: np.ndarray) -> np.ndarray:
    """The middle of the box around points."""
    return np.asarray(0.5 * (np.nanmin(area, axis=0) + np.nanmax(area, axis=0)))


def covers(area: np.ndarray, nodes: np.ndarray) -> bool:
    """Whether all nodes lie within the circle around an area."""
    center = center_of(area)
    far = np.nanmax(np.linalg.norm(area - center, axis=1))
    return bool(np.linalg.norm(nodes - center, axis=1).max() <= 1.02 * far)
