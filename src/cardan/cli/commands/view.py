"""Show a result as a page that moves, in the browser or in one file."""

from __future__ import annotations

import argparse

from cardan.cli.arguments import add_result, add_target, load, result_file, shown, written_as
from cardan.cli.usage import UsageError
from cardan.cli.writing import page_options, wrote

HELP = "show a result as a page that moves"


def add(command: argparse.ArgumentParser) -> None:
    add_result(command)
    add_target(command, "FILE.html", "write the page to a file and open nothing")
    command.add_argument("--live", action="store_true", help="bodies and pivots can be dragged, until Ctrl-C")


def act(arguments: argparse.Namespace) -> int:
    from cardan.results.file import free
    from cardan.results.registry import view

    if arguments.live and arguments.out is not None:
        raise UsageError("a live page is served, not written: leave --out out")
    target = None if arguments.out is None else written_as(arguments.out, (".html",))
    if target is not None:
        result_file(arguments.result)
        free(target, arguments.force)
    result = load(arguments)
    options = page_options(result, shown(arguments))
    if arguments.live:
        page = view("live")(result, **options)
        arguments.says.say(f"live at {page.url} until Ctrl-C")
        page.wait()
        return 0
    if target is None:
        view("view")(result, live=False, **options)
        return 0
    result.save(target, overwrite=arguments.force, **options)
    wrote(target, arguments)
    return 0
