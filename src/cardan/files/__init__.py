"""Model files: a model as YAML or JSON under version control, with its analyses.

    from cardan import load_model, save_model

    file = load_model("slider-crank.yaml", parameters={"rod": 0.6})
    motion = file.analyses[0].run()

`check(path)` lists the faults of a file without loading the program's core, `codes` explains them, `schema()` is what
editors complete and check files with.
"""

from typing import TYPE_CHECKING

from cardan.files.faults import Fault, FileError
from cardan.lazy import lazy_attributes

if TYPE_CHECKING:
    from cardan.files.explanations import codes
    from cardan.files.model_file import ModelFile, StatedAnalysis, load_model
    from cardan.files.reading.reader import check
    from cardan.files.vocabulary.json_schema import schema, write_schema
    from cardan.files.writing.save import save_model

__all__ = [
    "Fault",
    "FileError",
    "ModelFile",
    "StatedAnalysis",
    "check",
    "codes",
    "load_model",
    "save_model",
    "schema",
    "write_schema",
]

_MODULES = {
    "ModelFile": "model_file",
    "StatedAnalysis": "model_file",
    "check": "reading.reader",
    "codes": "explanations",
    "load_model": "model_file",
    "save_model": "writing.save",
    "schema": "vocabulary.json_schema",
    "write_schema": "vocabulary.json_schema",
}


__getattr__ = lazy_attributes(__name__, _MODULES)
