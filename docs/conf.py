"""The documentation site: Sphinx, Markdown pages, formulas set by KaTeX. Built by `make docs`."""

import os
import sys
from pathlib import Path

HERE = Path(__file__).parent
SOURCE = str(HERE.parent / "src")
sys.path[:0] = [str(HERE / "_ext"), SOURCE]
os.environ["PYTHONPATH"] = SOURCE  # for notebook pages, which run in a separate process

import cardan  # noqa: E402, from the source above

project = "Cardan"
author = "The Cardan authors"
copyright = "2026, The Cardan authors"
release = cardan.__version__
version = release

extensions = ["myst_nb", "sphinx_design", "sphinx.ext.autodoc", "katex_math", "pages"]
myst_enable_extensions = ["dollarmath", "deflist", "colon_fence", "strikethrough"]
suppress_warnings = [
    "myst.strikethrough",  # HTML only, which is all we build
    "ref.python",  # planar and spatial classes share names; a type links to the first
]
myst_heading_anchors = 3
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 300
nb_output_stderr = "remove"  # messages about compilation
nb_merge_streams = True
nb_mime_priority_overrides = [("html", "image/gif", 0)]
nb_number_source_lines = False
exclude_patterns = ["_build", "_live"]
default_role = "code"  # single backquotes in docstrings are code

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_class_signature = "mixed"
autodoc_type_aliases = {"ArrayLike": "ArrayLike", "NDArray": "NDArray"}

html_theme = "furo"
html_title = f"Cardan {release}"
html_math_renderer = "katex"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_favicon = "_static/favicon.svg"
html_theme_options = {
    "light_logo": "logo-light.svg",
    "dark_logo": "logo-dark.svg",
    "sidebar_hide_name": True,
    "light_css_variables": {"color-brand-primary": "#1f5f99", "color-brand-content": "#1f5f99"},
    "dark_css_variables": {"color-brand-primary": "#6fb1e8", "color-brand-content": "#6fb1e8"},
}
templates_path = ["_templates"]  # a footer without links to other sites
html_show_sphinx = False
html_extra_path = ["_live"]  # moving mechanisms of the gallery, written by the build
(HERE / "_live").mkdir(exist_ok=True)
