"""A spatial model."""

from __future__ import annotations

from cardan.model.model import Model as BaseModel
from cardan.spatial.body import Body
from cardan.spatial.space import ThreeDimensions


class Model(BaseModel):
    """A spatial mechanism. `gravity` is a vector such as (0, 0, -9.81), zero by default."""

    space = ThreeDimensions()
    body_type = Body
    ground: Body

    @property
    def bodies(self) -> list[Body]:
        return super().bodies
