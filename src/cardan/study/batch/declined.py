"""Why samples run one by one: reasons for which no compiled loop serves a study, for its report."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any


def declined(why: list[str] | None, reason: str) -> Any:
    """None, for samples that must run one by one; the reason is appended to `why`."""
    if why is not None:
        why.append(reason)
    return None


def unknown_options(analysis: str, options: Collection[str], known: Collection[str] | None) -> str:
    """Why a compiled loop does not serve an analysis and its options."""
    if known is None:
        return f"no compiled loop serves {analysis if isinstance(analysis, str) else 'a function'}"
    unknown = sorted(set(options) - set(known))
    return f"the compiled loop has no option {', '.join(unknown)}" if unknown else "an option has another value there"
