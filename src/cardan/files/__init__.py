"""Model files: a model as YAML or JSON under version control, with its analyses.

    from cardan import load_model, save_model

    file = load_model("slider-crank.yaml", parameters={"rod": 0.6})
    motion = file.analyses[0].run()

`check(path)` lists the faults of a file without importing the solver, `codes` explains them, and `schema()` is the JSON
schema with which editors complete and check files.
"""

from typing import TYPE_CHECKING

from cardan.deprecation import renamed_names
from cardan.files.faults import Fault, FileError
from cardan.lazy import lazy_attributes

if TYPE_CHECKING:
    from cardan.files.explanations import codes
    from cardan.files.model_file import FileAnalysis, ModelFile, load_model
    from cardan.files.reading.reader import check
    from cardan.files.vocabulary.json_schema import schema, write_schema
    from cardan.files.writing.save import save_model

__all__ = [
    "Fault",
    "FileError",
    "ModelFile",
    "FileAnalysis",
    "check",
    "codes",
    "load_model",
    "save_model",
    "schema",
    "write_schema",
]

_MODULES = {
    "ModelFile": "model_file",
    "FileAnalysis": "model_file",
    "check": "reading.reader",
    "codes": "explanations",
    "load_model": "model_file",
    "save_model": "writing.save",
    "schema": "vocabulary.json_schema",
    "write_schema": "vocabulary.json_schema",
}


__getattr__ = renamed_names(__name__, {"StatedAnalysis": "FileAnalysis"}, lazy_attributes(__name__, _MODULES))
