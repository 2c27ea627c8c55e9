"""The documentation site: Sphinx, Markdown pages, mathematics as MathML. Built by `make docs`."""

import os
import sys
import tomllib
from pathlib import Path

HERE = Path(__file__).parent
SOURCE = str(HERE.parent / "src")
sys.path[:0] = [str(HERE / "_ext"), SOURCE]
os.environ["PYTHONPATH"] = SOURCE  # for pages that are notebooks, which run in a process of their own

project = "Cardan"
author = "The Cardan authors"
copyright = "2026, The Cardan authors"
release = tomllib.loads((HERE.parent / "pyproject.toml").read_text())["project"]["version"]
version = release

extensions = ["myst_nb", "sphinx_design", "sphinx.ext.autodoc", "mathml", "pages"]
myst_enable_extensions = ["dollarmath", "deflist", "colon_fence", "strikethrough"]
suppress_warnings = [
    "myst.strikethrough",  # that it exists in HTML only, which is all we build
    "ref.python",  # that planar and spatial words have the same names: a type of either space links to the first
]
myst_heading_anchors = 3
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 300
nb_output_stderr = "remove"  # that kernels are compiled
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
html_math_renderer = "mathml"
html_static_path = ["_static"]
html_css_files = ["cards.css"]
templates_path = ["_templates"]  # a foot without addresses of other sites
html_show_sphinx = False
html_extra_path = ["_live"]  # the moving mechanisms of the gallery, which the pages make
(HERE / "_live").mkdir(exist_ok=True)
