"""Many small cases in one test: like pytest.mark.parametrize, but one item instead of one per case.

    @folded(("value", "words"), [(-1.0, "positive"), ("long", "a number")])
    def test_rejected(value, words):
        ...

Each failing case is reported with its name and traceback, and the others still run. `pytest --case TEXT` runs the
cases whose names contain TEXT. Fixtures are shared by the cases of a test.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pytest


def folded(
    names: str | Sequence[str], cases: Iterable[Any], ids: Callable[[Any], Any] | Sequence[str] | None = None
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Decorate a test that takes one case to run all cases; arguments as of pytest.mark.parametrize."""
    single = isinstance(names, str) and "," not in names
    arguments = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    values = [(case,) if single else tuple(case) for case in cases]
    assert values and all(len(case) == len(arguments) for case in values)
    titles = [_title(case, ids, number) for number, case in enumerate(values)]

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(test)
        def run(*this: Any, request: pytest.FixtureRequest, subtests: pytest.Subtests, **fixtures: Any) -> None:
            chosen = [number for number, title in enumerate(titles) if request.config.option.case in title]
            if not chosen:
                pytest.skip(f"no case contains {request.config.option.case!r}")
            for number in chosen:
                given = fixtures | ({"request": request} if "request" in accepted else {})
                with subtests.test(titles[number]):
                    test(*this, **given, **dict(zip(arguments, values[number], strict=True)))

        accepted = inspect.signature(test).parameters
        kept = [parameter for name, parameter in accepted.items() if name not in (*arguments, "request")]
        own = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY) for name in ("request", "subtests")]
        run.__signature__ = inspect.Signature([*kept, *own])  # type: ignore[attr-defined]
        return run

    return decorate


def _title(case: tuple[Any, ...], ids: Callable[[Any], Any] | Sequence[str] | None, number: int) -> str:
    if callable(ids):
        return ", ".join(str(ids(value)) for value in case)
    if ids is not None:
        return str(ids[number])
    words = ", ".join(repr(value) for value in case if not callable(value) or isinstance(value, type))
    return f"{number}: {words[:100]}"
