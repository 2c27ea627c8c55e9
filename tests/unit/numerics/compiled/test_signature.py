"""Types of arguments as text."""

from __future__ import annotations

import numpy as np

from cardan.numerics.compiled.signature import signature_of, split


def test_texts() -> None:
    frozen = np.zeros(2)
    frozen.flags.writeable = False
    arguments = (1.0, 2, True, np.float64(1), np.uint64(3), 1j, None, np.zeros((2, 2)), np.zeros((2, 3)).T, frozen)
    assert signature_of(arguments) == "f8,i8,b1,f8,u8,c16,n,A2Cwf8,A2Fwf8,A1Crf8"
    assert signature_of((np.zeros((4, 4))[::2, ::2], (1.0, (2,)))) == "A2Awf8,(f8,(i8))"
    assert "?" in signature_of(("text",))


def test_split_keeps_tuples_whole() -> None:
    assert split("f8,(i8,(b1,n)),A1Cwf8") == ["f8", "(i8,(b1,n))", "A1Cwf8"]
    assert split("") == []
