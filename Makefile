# A new machine needs only Python 3.11 or newer and make. To choose the interpreter: make PYTHON=python3.12 test

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip install -qq --disable-pip-version-check
OUT    ?= results
MINUTES ?= 60

# Python keeps compiled test modules between runs, which halves the time to collect tests.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo test quick slow coverage web sanitize invariants machines fuzz docs bench release kernels wheels prebuilt clean
.DEFAULT_GOAL := help

help:
	@echo "make demo        install, analyze a slider-crank, print its numbers, write its picture to $(OUT)/"
	@echo "make test        install, then check style, format, import layers and types, and run the tests"
	@echo "make quick       style and the tests of the code that changed, within a minute"
	@echo "make slow        the tests that take longer"
	@echo "make coverage    branch coverage of the code and its kernels, run as plain Python on one test in SAMPLE=10"
	@echo "make web         type check and build of the page in web/; needs Node.js"
	@echo "make sanitize    catalogs, examples and fuzzed inputs with every kernel index checked"
	@echo "make invariants  the invariants over COUNT=10000 random mechanisms, with fresh seeds"
	@echo "make machines    the tests as other machines would run them: processors, BLAS, threads, versions"
	@echo "make fuzz        mutated files of every format for MINUTES=60; failing files are added to the corpus"
	@echo "make docs        write the verification manual and build the documentation into docs/_build/html"
	@echo "make bench       run the benchmarks; fails if a figure is missed"
	@echo "make release     build the sdist and the wheel, install the wheel in a clean environment and try it"
	@echo "make kernels     compile all kernels for this machine in advance: nothing compiles at run time afterwards"
	@echo "make wheels      wheels with compiled kernels for all platforms, cross-compiled, and with bitcode, into dist/"
	@echo "make prebuilt    the tests with compiled kernels; any compilation of a kernel fails"
	@echo "make clean       remove everything the targets above create"

demo: $(VENV)/.all
	$(BIN)/cardan run slider-crank --out $(OUT)

test: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check -q .
	$(BIN)/lint-imports --no-logo
	$(BIN)/mypy
	$(BIN)/pytest -n 2 --dist worksteal

quick: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check -q .
	$(BIN)/python tests/quick.py --seconds $(or $(SECONDS),45)

slow: $(VENV)/.dev
	$(BIN)/pytest -n 2 -m slow

# Compiled code cannot be measured, and kernels run as plain Python are slow: a sample, with a limit of CPU time for each test.
SAMPLE ?= 10
coverage: $(VENV)/.dev
	NUMBA_DISABLE_JIT=1 $(BIN)/pytest -n 2 --dist worksteal --sample $(SAMPLE) --test-limit 20 --cov --cov-report=html:build/coverage tests/unit \
	tests/test_closed_forms.py tests/test_examples.py
	@echo "build/coverage/index.html"

web:
	cd web && npm ci --no-fund --no-audit && npm run check && npm run build

COUNT ?= 10000
# Kernels compiled with index checks raise IndexError where they would access memory outside an array.
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
	$(BIN)/pytest -q tests/verification --verification-manual docs/verification-manual.md
	$(BIN)/sphinx-build -W --keep-going -q -b html docs docs/_build/html
	@echo "docs/_build/html/index.html"

bench: $(VENV)/.all
	@missed=0; for script in benchmarks/bench_*.py; do echo "== $$script"; $(BIN)/python $$script || missed=1; done; exit $$missed

release: $(VENV)/.dev
	rm -rf dist build/release
	$(BIN)/python -m build --outdir dist .
	$(BIN)/python -m venv build/release
	build/release/bin/python -m pip install -qq --disable-pip-version-check "$$(ls $(CURDIR)/dist/*.whl)[plot]"
	cd build/release && env -u PYTHONPATH bin/cardan --version && env -u PYTHONPATH bin/cardan run slider-crank --out results
	@ls -l dist

kernels: $(VENV)/.dev
	$(BIN)/python -m cardan.prebuilt

wheels: $(VENV)/.dev
	$(PIP) "ziglang>=0.15"
	rm -f dist/*.whl
	$(BIN)/python -m build --wheel --outdir dist .
	$(BIN)/python -m cardan.prebuilt --wheels dist
	@ls -l dist

prebuilt: kernels
	CARDAN_PREBUILT=require $(BIN)/pytest -n 2 --dist worksteal

clean:
	rm -rf src/cardan/_kernels src/cardan/numerics/compiled/_entry.*
	rm -rf $(VENV) $(OUT) build dist docs/_build docs/_live docs/verification-manual.md docs/elements/generated \
	docs/gallery/generated
	rm -rf .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +

# The environment: one stamp per extra, renewed when pyproject.toml changes. The package is installed in editable mode.
$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(None if sys.version_info >= (3, 11) else "Cardan needs Python 3.11 or newer, \
	$(PYTHON) is " + sys.version.split()[0] + ". Choose another: make PYTHON=python3.12 ...")'
	@echo "Creating $(VENV)"
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.%: pyproject.toml | $(BIN)/python
	@echo "Installing Cardan and its dependencies ($*); the first time this takes a minute or two"
	@$(PIP) -e ".[$*]"
	@touch $@
