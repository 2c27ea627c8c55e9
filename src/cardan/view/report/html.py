"""html_page(report): the report as one HTML file that needs nothing else: style, drawings and live view are inside."""

from __future__ import annotations

import base64
import re
from html import escape

from cardan.view.report.content import (
    Block,
    Figure,
    Live,
    Paragraph,
    Report,
    ReportTable,
    ReportVerdict,
    Section,
    Verdicts,
    cell,
)

STYLE = """
:root { --ink: #2b2f36; --soft: #6b7280; --line: #e3e6eb; --paper: #ffffff; --accent: #2f6399; --good: #2f7d3b;
  --bad: #c8102e; --warn: #b1651b; }
* { box-sizing: border-box; }
body { margin: 0; background: #f4f5f7; color: var(--ink);
  font: 15px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
main { max-width: 62rem; margin: 0 auto; padding: 2.2rem 2.6rem 4rem; background: var(--paper); min-height: 100vh;
  box-shadow: 0 0 24px rgba(20, 30, 50, .07); }
header { border-bottom: 2px solid var(--ink); padding-bottom: 1rem; margin-bottom: 1.2rem; }
h1 { font-size: 2rem; line-height: 1.2; margin: 0 0 .2rem; letter-spacing: -.01em; }
header p { margin: 0; color: var(--soft); }
nav { display: flex; flex-wrap: wrap; gap: .3rem 1.1rem; margin: .9rem 0 0; font-size: .9rem; }
nav a { color: var(--accent); text-decoration: none; }
nav a:hover { text-decoration: underline; }
h2 { font-size: 1.25rem; margin: 2.4rem 0 .8rem; padding-bottom: .25rem; border-bottom: 1px solid var(--line); }
table { border-collapse: collapse; width: 100%; margin: .4rem 0 1.2rem; font-size: .9rem;
  font-variant-numeric: tabular-nums; }
table.narrow { width: auto; min-width: 22rem; }
caption { caption-side: bottom; text-align: left; color: var(--soft); font-size: .85rem; padding-top: .35rem; }
th { text-align: left; font-weight: 600; color: var(--soft); border-bottom: 1.5px solid var(--ink);
  padding: .3rem .7rem .3rem 0; white-space: nowrap; }
td { padding: .28rem .7rem .28rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
.number { text-align: right; white-space: nowrap; }
td.vector { white-space: nowrap; }
.scroll { overflow-x: auto; }
figure { margin: .6rem 0 1.4rem; text-align: center; }
figure img { max-width: 100%; max-height: 36rem; height: auto; }
figcaption { color: var(--soft); font-size: .85rem; margin-top: .2rem; }
.badge { display: inline-block; padding: .05rem .6rem; border-radius: 1rem; font-size: .82rem; font-weight: 600;
  color: #fff; background: var(--soft); white-space: nowrap; }
.badge.good { background: var(--good); } .badge.flagged { background: var(--bad); }
.badge.not-unique { background: var(--warn); }
iframe { width: 100%; height: 34rem; border: 1px solid var(--line); border-radius: 6px; background: #fff; }
@media print { body { background: #fff; } main { box-shadow: none; padding: 0; } nav, iframe { display: none; }
  h2 { break-after: avoid; } figure, table { break-inside: avoid; } }
@media (max-width: 46rem) { main { padding: 1.2rem; } }
"""


def html_page(report: Report) -> str:
    """The whole page."""
    marks = [f'<a href="#{_mark(section)}">{escape(section.title)}</a>' for section in report.sections]
    date = f" · {escape(report.date)}" if report.date else ""
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{escape(report.title)}</title><style>{STYLE}</style></head><body><main>",
            f"<header><h1>{escape(report.title)}</h1>",
            f"<p>{escape(report.about)}{date} {_badge(report.verdict, f'self-check {report.verdict}')}</p>",
            f"<nav>{''.join(marks)}</nav></header>",
            *(_section(section) for section in report.sections),
            "</main></body></html>",
            "",
        ]
    )


def _mark(section: Section) -> str:
    return re.sub(r"[^a-z0-9]+", "-", section.title.lower())


def _section(section: Section) -> str:
    blocks = "\n".join(_block(block) for block in section.blocks)
    return f'<section id="{_mark(section)}"><h2>{escape(section.title)}</h2>\n{blocks}\n</section>'


def _block(block: Block) -> str:
    match block:
        case Paragraph(text):
            return f"<p>{escape(text)}</p>"
        case ReportTable():
            return _table(block)
        case Figure():
            return _figure(block)
        case Verdicts(lines, _):
            return _verdicts(lines)
        case Live(html):
            return f'<iframe title="the moving mechanism" srcdoc="{escape(html, quote=True)}"></iframe>'


def _table(table: ReportTable) -> str:
    right = table.numeric
    narrow = ' class="narrow"' if len(table.heads) == 2 else ""
    heads = "".join(f"<th{_side(right[k])}>{escape(head)}</th>" for k, head in enumerate(table.heads))
    rows = "".join(
        f"<tr>{''.join(f'<td{_side(right[k], value)}>{escape(cell(value))}</td>' for k, value in enumerate(row))}</tr>"
        for row in table.rows
    )
    head = f"<thead><tr>{heads}</tr></thead>" if any(table.heads) else ""
    caption = f"<caption>{escape(table.caption)}</caption>" if table.caption else ""
    return f'<div class="scroll"><table{narrow}>{caption}{head}<tbody>{rows}</tbody></table></div>'


def _side(number: bool, value: object = "") -> str:
    if number:
        return ' class="number"'
    return ' class="vector"' if isinstance(value, str) and value.startswith("(") else ""


def _figure(figure: Figure) -> str:
    """The drawing as data: names inside one SVG cannot meet those of another."""
    data = base64.b64encode(figure.svg).decode("ascii")
    caption = escape(figure.caption)
    image = f'<img alt="{caption}" src="data:image/svg+xml;base64,{data}">'
    return f"<figure>{image}<figcaption>{caption}</figcaption></figure>"


def _verdicts(lines: tuple[ReportVerdict, ...]) -> str:
    rows = "".join(
        f"<tr><td>{escape(line.name)}</td><td>{_badge(line.verdict, line.verdict)}</td>"
        f'<td class="number">{escape(line.value)}</td><td class="number">{escape(line.limit)}</td>'
        f"<td>{escape(line.words)}</td></tr>"
        for line in lines
    )
    heads = '<th>check</th><th>verdict</th><th class="number">value</th><th class="number">limit</th><th></th>'
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"


def _badge(kind: str, text: str) -> str:
    return f'<span class="badge {kind.replace(" ", "-")}">{escape(text)}</span>'
