"""Formulas set by KaTeX 0.19.1, which ships with the site under _static/katex: no network when a page is read.

Pages contain the TeX source; a script sets it when the page opens.
"""

from __future__ import annotations

from html import escape
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_html_math_renderer("katex", inline_renderers=(_inline, None), block_renderers=(_block, None))
    app.connect("html-page-context", _add_assets)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _inline(writer: Any, node: nodes.math) -> None:
    writer.body.append(f'<span class="tex">{escape(node.astext())}</span>')
    raise nodes.SkipNode


def _block(writer: Any, node: nodes.math_block) -> None:
    writer.body.append(f'<div class="tex">{escape(node.astext())}</div>\n')
    raise nodes.SkipNode


def _add_assets(app: Sphinx, page: str, template: str, context: dict[str, Any], tree: nodes.document | None) -> None:
    """Load KaTeX on pages with formulas only."""
    if tree is None or not any(isinstance(node, nodes.math | nodes.math_block) for node in tree.findall()):
        return
    app.add_css_file("katex/katex.min.css")
    app.add_js_file("katex/katex.min.js")
    app.add_js_file("formulas.js")
