"""pdf_pages(report): the report on paper, set by typst with the fonts that it brings along."""

from __future__ import annotations

from typing import Any

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

SETTING = """
#set document(title: %(title)s, date: none)
#set page(paper: "a4", margin: (x: 22mm, top: 24mm, bottom: 22mm), numbering: "1 / 1", number-align: right,
  header: context { if counter(page).get().first() > 1 [#text(8.5pt, fill: rgb("#6b7280"))[#%(title)s]] })
#set text(font: "Libertinus Serif", size: 10.5pt, fill: rgb("#2b2f36"), lang: "en")
#set par(justify: true, leading: 0.62em)
#set table(stroke: none, inset: (x: 0pt, y: 3.2pt), column-gutter: 16pt)
#show table: set text(9pt, number-width: "tabular")
#show table: set par(justify: false)
#show heading.where(level: 2): it => block(above: 1.6em, below: 0.8em, sticky: true)[
  #text(13.5pt, weight: "semibold")[#it.body] #v(-0.75em) #line(length: 100%%, stroke: 0.5pt + rgb("#d5d9e0"))]
#show figure.caption: set text(9pt, fill: rgb("#6b7280"))
#set figure(supplement: none, numbering: none)
#let badge(word, color) = box(fill: color, radius: 6pt, inset: (x: 5pt, y: 2pt), outset: (y: 1pt))[#text(8pt,
  fill: white, weight: "semibold")[#word]]
"""
WIDTH, HIGHEST = 166.0, 120.0  # mm: of the text, and of a figure
WHOLE = 24  # rows up to which a table stays on one page
COLORS = {"good": "#2f7d3b", "flagged": "#c8102e", "not unique": "#b1651b", "not computed": "#6b7280"}


def pdf_pages(report: Report) -> bytes:
    """The bytes of the PDF."""
    source, files = source_of(report)
    return _compiled(source, files)


def source_of(report: Report) -> tuple[str, dict[str, bytes]]:
    """The text that typst sets, and the drawings that it needs, by name."""
    files: dict[str, bytes] = {}
    badge = f'#badge({_word(f"self-check {report.verdict}")}, rgb("{COLORS[report.verdict]}"))'
    date = f" #h(1fr) #{_word(report.date)}" if report.date else ""
    parts = [
        SETTING % {"title": _word(report.title)},
        f'#text(22pt, weight: "bold")[#{_word(report.title)}]',
        f'#v(-0.6em) #text(fill: rgb("#6b7280"))[#{_word(report.about)}] #h(6pt) {badge}{date}',
        '#v(-0.3em) #line(length: 100%, stroke: 1pt + rgb("#2b2f36"))',
    ]
    for section in report.sections:
        parts += _section(section, files)
    return "\n\n".join(parts) + "\n", files


def _section(section: Section, files: dict[str, bytes]) -> list[str]:
    page = "#pagebreak(weak: true)\n" if section.title == "Self-check" else ""
    return [f"{page}#heading(level: 2)[#{_word(section.title)}]", *(_block(block, files) for block in section.blocks)]


def _block(block: Block, files: dict[str, bytes]) -> str:
    match block:
        case Paragraph(text):
            return f"#{_word(text)}"
        case ReportTable():
            return _table(block)
        case Figure():
            return _figure(block, files)
        case Verdicts(lines, _):
            return _verdicts(lines)
        case Live():
            return ""


def _table(table: ReportTable) -> str:
    count = len(table.heads)
    sides = ", ".join("right" if numbers else "left" for numbers in table.numeric)
    wide = ", ".join("auto" for _ in range(count))
    lines = [f"columns: ({wide},), align: ({sides},)"]
    if any(table.heads):
        lines.append(f"table.header({', '.join(_head(head) for head in table.heads)})")
        lines.append('table.hline(y: 1, stroke: 0.8pt + rgb("#2b2f36"))')
    lines += [", ".join(f"[#{_word(cell(value))}]" for value in row) for row in table.rows]
    small = "#show table: set text(7.8pt)\n#set table(column-gutter: 9pt)\n" if count > 7 else ""
    note = f'\n#v(-0.4em) #text(9pt, fill: rgb("#6b7280"))[#{_word(table.caption)}]' if table.caption else ""
    whole = "false" if len(table.rows) <= WHOLE else "true"
    return f"#block(breakable: {whole})[{small}#table({', '.join(lines)}){note}]"


def _head(text: str) -> str:
    return f'text(fill: rgb("#6b7280"))[#{_word(text)}]'


def _figure(figure: Figure, files: dict[str, bytes]) -> str:
    name = f"figure{len(files) + 1}.svg"
    files[name] = figure.svg
    share = min(1.0 if figure.wide else 0.6, HIGHEST / (figure.height_to_width * WIDTH))
    room = f'block(width: {100.0 * share:.1f}%, height: auto)[#image("{name}", width: 100%)]'
    return f"#figure({room}, caption: [#{_word(figure.caption)}])"


def _verdicts(lines: tuple[ReportVerdict, ...]) -> str:
    rows = [
        f'[#{_word(line.name)}], badge({_word(line.verdict)}, rgb("{COLORS[line.verdict]}")), '
        f"[#{_word(line.value)}], [#{_word(line.limit)}], [#{_word(line.words)}]"
        for line in lines
    ]
    heads = f"table.header({', '.join(_head(word) for word in ('check', 'verdict', 'value', 'limit', ''))})"
    rule = 'table.hline(y: 1, stroke: 0.8pt + rgb("#2b2f36"))'
    layout = "columns: (auto, auto, auto, auto, 1fr), align: (left, left, right, right, left), row-gutter: 3pt"
    return f"#table({', '.join([layout, heads, rule, *rows])})"


def _word(text: str) -> str:
    """Any text as a string of typst."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def _compiled(source: str, files: dict[str, bytes]) -> bytes:
    try:
        import typst
    except ImportError as error:
        raise ImportError("a PDF needs typst: pip install 'cardan[report]', or write an .html page") from error
    from pathlib import Path
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder:
        for name, data in files.items():
            (Path(folder) / name).write_bytes(data)
        main = Path(folder) / "report.typ"
        main.write_text(source, encoding="utf-8")
        found: Any = typst.compile(str(main), root=folder, format="pdf", ignore_system_fonts=True)
    return bytes(found)
