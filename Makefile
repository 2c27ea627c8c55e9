# Everything a fresh machine needs is Python 3.11 or newer and make. Another interpreter: make PYTHON=python3.12 test

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip install -qq --disable-pip-version-check
OUT    ?= results
MINUTES ?= 60

.PHONY: help demo test slow invariants sanitize fuzz machines docs bench clean quick
.DEFAULT_GOAL := help

help:
	@echo "make demo    install, analyze a slider-crank, print its numbers, write its picture to $(OUT)/"
	@echo "make test    install, then style, import arrows, types and tests"
	@echo "make quick   style and the tests of what has changed, within a minute"
	@echo "make slow    the tests that take longer"
	@echo "make sanitize     catalogues, examples and fuzzed inputs with every kernel index checked"
	@echo "make invariants   the invariants over COUNT=10000 random mechanisms, with fresh seeds"
	@echo "make machines     the tests as other machines would run them: processors, BLAS, threads, versions; takes hours"
	@echo "make fuzz         changed files of every format for MINUTES=60; what finds a fault goes to the corpus"
	@echo "make docs    write the verification manual, build the documentation into docs/_build/html"
	@echo "make bench   run the benchmarks; an error at the end if a figure was missed"
	@echo "make clean   remove what the targets above have made"

demo: $(VENV)/.all
	$(BIN)/cardan run slider-crank --out $(OUT) --force

test: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check -q .
	$(BIN)/lint-imports --no-logo
	$(BIN)/mypy
	$(BIN)/pytest -n 2 --dist worksteal

quick: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check -q .
	$(BIN)/python tests/quick.py

slow: $(VENV)/.dev
	$(BIN)/pytest -n 2 -m slow

COUNT ?= 10000
# Kernels raise IndexError where they would read or write beyond an array. They are compiled for this separately.
sanitize: $(VENV)/.dev
	CARDAN_BOUNDSCHECK=1 $(BIN)/pytest -n 2 --dist worksteal -m "slow or not slow" tests/test_examples.py \
	tests/test_dynamics_examples.py tests/properties tests/invariants tests/unit/integrators tests/unit/system tests/unit/analysis \
	tests/unit/elements tests/unit/planar tests/unit/spatial tests/unit/numerics

invariants: $(VENV)/.dev
	$(BIN)/pytest -n 2 --dist worksteal tests/invariants -m "slow or not slow" --invariants $(COUNT)

fuzz: $(VENV)/.dev
	PYTHONPATH=tests $(BIN)/python -m fuzz.run --minutes $(MINUTES)

machines: $(VENV)/.dev
	$(BIN)/python tests/run_on_machines.py $(if $(ONLY),--only $(ONLY)) -- $(TESTS)

docs: $(VENV)/.docs $(VENV)/.dev
	$(BIN)/pytest -q tests/verification --verification-manual docs/verification.md
	$(BIN)/sphinx-build -W --keep-going -q -b html docs docs/_build/html
	@echo "docs/_build/html/index.html"

bench: $(VENV)/.all
	@missed=0; for script in benchmarks/bench_*.py; do echo "== $$script"; $(BIN)/python $$script || missed=1; done; exit $$missed

clean:
	rm -rf $(VENV) $(OUT) build dist docs/_build docs/_live docs/elements/generated docs/gallery/generated
	rm -rf .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +

# The environment. A stamp per extra, made anew when pyproject.toml changes; the package itself is linked, not copied.
$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(None if sys.version_info >= (3, 11) else "Cardan needs Python 3.11 or newer, \
	$(PYTHON) is " + sys.version.split()[0] + ". Name another: make PYTHON=python3.12 ...")'
	@echo "Creating $(VENV)"
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.%: pyproject.toml | $(BIN)/python
	@echo "Installing Cardan and what it needs ($*); the first time this takes a minute or two"
	@$(PIP) -e ".[$*]"
	@touch $@
