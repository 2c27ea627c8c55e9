"""Show a result, a model file, an example or a Python file as an animated page, in the browser or as one file."""

from __future__ import annotations

import argparse

from cardan.cli.arguments import add_result, add_target, default_columns, load, output_path, require_source
from cardan.cli.usage import UsageError
from cardan.cli.writing import page_options, report_written

HELP = "show a result or a model as an animated page"


def add_arguments(command: argparse.ArgumentParser) -> None:
    add_result(command)
    add_target(command, "FILE.html", "write the page to a file instead of opening it")
    command.add_argument("--live", action="store_true", help="serve a page in which bodies can be dragged")
    command.add_argument("--solve", action="store_true", help="write a page that solves without Python; needs --out")


def execute(arguments: argparse.Namespace) -> int:
    from cardan.output_path import free
    from cardan.view.web.live import live
    from cardan.view.web.page import page as write_page, view

    if arguments.live and arguments.out is not None:
        raise UsageError("a live page is served, not written: omit --out")
    if arguments.solve and arguments.out is None:
        raise UsageError("a page that solves is a file: name it with --out FILE.html")
    target = None if arguments.out is None else output_path(arguments.out, (".html",))
    if target is not None:
        require_source(arguments.result)
        free(target, arguments.overwrite)
    result = load(arguments, or_model=True)
    options = page_options(result, default_columns(arguments))
    if arguments.live:
        page = live(result, wait=False, **options)
        arguments.output.line(f"live at {page.url} until it is closed, or Ctrl-C")
        page.wait()
    elif target is None:
        view(result, live=False, **options)
    else:
        if arguments.solve:
            from cardan.solving.page import solving_page

            solving_page(result, target, **options)
        else:
            write_page(result, target, **options)
        report_written(target, arguments)
    return 0
