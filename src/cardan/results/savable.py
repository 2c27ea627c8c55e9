"""What all results can do with themselves: be written to a file, be shown in a notebook."""

from __future__ import annotations

from typing import Any

from cardan.results.registry import view


class Shown:
    """A result that is saved by the ending of a path, and that notebooks show as tables and pictures."""

    def save(self, path: Any, overwrite: bool = True, **options: Any) -> None:
        """Write it: .nc keeps all of it, .csv, .parquet and .mat a table; see `cardan.results.file`."""
        from cardan.results.file import save

        save(self, path, overwrite, **options)

    def view(self, **options: Any) -> Any:
        """Show it in the browser: see `cardan.view.web.page.view`."""
        return view("view")(self, **options)

    def _repr_html_(self) -> str:
        return str(view("notebook")(self))
