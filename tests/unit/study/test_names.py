"""The function and the package of one name, in whatever order they are imported."""

import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    "program",
    [
        "from cardan import study as s",
        "from cardan.study import study as s",
        "from cardan.study import grid; from cardan import study as s",
        "from cardan import study; from cardan.study import study as s",
        "from cardan import study; study; import cardan.study as s; s.limit; s.grid",
        "import cardan; s = cardan.study; s.limit",
        "import cardan.study.study; from cardan.study import study as s",
    ],
)
def test_study_can_be_called_wherever_it_comes_from(program: str) -> None:
    use = "\ntry: s(None, {})\nexcept Exception as e: assert type(e).__name__ == 'ModelError', e\nelse: assert False"
    subprocess.run([sys.executable, "-c", program + use], check=True)
