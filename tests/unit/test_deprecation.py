"""Old public names work, warn at the user's line, and are listed for readers of model files."""

from __future__ import annotations

import inspect
import sys
from dataclasses import dataclass

import pytest

from cardan.deprecation import RenamedAttribute, old_arguments, renamed_arguments, renamed_names
from cardan.model.stated import Stated
from cardan.storage.motion import stats_from


@renamed_arguments(free="rest")
@dataclass(frozen=True)
class Coil(metaclass=Stated):
    rest: float = 1.0
    length_at_rest = RenamedAttribute("rest")


def test_old_argument_of_a_class():
    with pytest.warns(DeprecationWarning, match="argument 'free' of Coil is now 'rest'") as caught:
        coil = Coil(free=3.0)
    assert coil == Coil(rest=3.0)
    assert caught[0].filename == __file__
    assert old_arguments(Coil) == {"free": "rest"}
    assert list(inspect.signature(Coil).parameters) == ["rest"]


def test_old_attributes():
    coil = Coil(rest=3.0)
    for old in ("free", "length_at_rest"):
        with pytest.warns(DeprecationWarning, match=f"Coil.{old} is now 'rest'") as caught:
            assert getattr(coil, old) == 3.0
        assert caught[0].filename == __file__


def test_statistics_of_older_files_and_programs():
    stats = stats_from({"method": "dop853", "rtol": 1e-8, "loose": 3})
    assert stats.unclosed == 3
    with pytest.warns(DeprecationWarning, match="Stats.loose is now 'unclosed'"):
        assert stats.loose == 3


def test_old_and_new_argument_together():
    with pytest.raises(TypeError, match="'free' and 'rest', which are one argument"):
        Coil(free=3.0, rest=3.0)


def test_old_argument_of_a_function():
    @renamed_arguments(colour="color")
    def paint(color):
        return color

    with pytest.warns(DeprecationWarning, match="'colour' of paint"):
        assert paint(colour="red") == "red"
    assert old_arguments(paint) == {"colour": "color"}


def test_old_name_of_a_package():
    module = sys.modules[__name__]
    find = renamed_names(__name__, {"Helix": "Coil"})
    with pytest.warns(DeprecationWarning, match="Helix is now 'Coil'") as caught:
        assert find("Helix") is Coil
    assert caught[0].filename == module.__file__
    with pytest.raises(AttributeError, match="no attribute 'Wire'"):
        find("Wire")
