"""Draw, drag and analyze a mechanism in the browser."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from cardan.cli.arguments import add_parameters, load_source

HELP = "draw, drag and analyze a mechanism in the browser"
FILES = (".yaml", ".yml", ".json")


def add_arguments(command: argparse.ArgumentParser) -> None:
    about = "a model file, which is created if it does not exist, or an example or Python file, of which a copy opens"
    command.add_argument("model", metavar="MODEL", nargs="?", help=about)
    add_parameters(command)
    command.add_argument("--port", type=int, default=0, help="the port on 127.0.0.1 (default: a free one)")
    command.add_argument("--no-browser", dest="open", action="store_false", help="only print the address")
    command.add_argument("--fresh", action="store_true", help="ignore unsaved changes of a session that has crashed")


def execute(arguments: argparse.Namespace) -> int:
    from cardan.studio.server import studio

    found = studio(**_source(arguments), open=arguments.open, port=arguments.port)
    arguments.output.line(f"studio at {found.url} until Ctrl-C")
    found.wait()
    return 0


def _source(arguments: argparse.Namespace) -> dict[str, Any]:
    """What the studio opens: a file, a copy of another model, the last drawing that was not saved, or a new one."""
    trust: dict[str, Any] = {"allow": [Path(folder) for folder in arguments.allow], "functions": arguments.functions}
    recover = {"recover": not arguments.fresh}
    if arguments.model is None:
        return {**trust, **recover, **_abandoned(arguments.fresh)}
    if Path(arguments.model).suffix.lower() in FILES:
        return {"path": Path(arguments.model), **trust, **recover}
    from cardan.files.writing.save import text_of_model
    from cardan.studio.document import Document
    from cardan.studio.journal import Journal

    functions: dict[str, Any] = {}
    text = text_of_model(load_source(arguments).model, functions)
    journal = Journal(Journal.of(None))
    document = Document(text, None, journal)
    journal.begin(None, text)
    return {"document": document, **trust, "functions": functions or arguments.functions}


def _abandoned(fresh: bool) -> dict[str, Any]:
    """The last drawing without a file whose session has crashed."""
    from cardan.studio.document import Document
    from cardan.studio.journal import abandoned

    for path in () if fresh else abandoned():
        document = Document.open(None, journal=path)
        if document.recovered:
            return {"document": document}
        document.close()
        path.unlink(missing_ok=True)
    return {}
