"""A planar model."""

from __future__ import annotations

from cardan.model.model import Model as BaseModel
from cardan.planar.body import Body
from cardan.planar.space import Plane


class Model(BaseModel):
    """A planar mechanism. `gravity` is a vector such as (0, -9.81), zero by default."""

    space = Plane()
    body_type = Body
    ground: Body

    @property
    def bodies(self) -> list[Body]:
        return super().bodies
