# Requires Python 3.11 or newer, git and make. Everything else, including Java, is installed into .venv.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --quiet --disable-pip-version-check
# `make fuzz` draws this number of random examples for each property in these folders.
EXAMPLES ?= 2000
TESTS    ?= tests
# These folders take about half of the test time; `make test` runs them in a second process.
HALF   := tests/oracle tests/traps tests/checks tests/engine tests/store \
          tests/learn/patterns tests/learn/limits tests/gate tests/suite
# The same for `make test-fast`, which leaves out slow tests.
FAST   := $(BIN)/python -m pytest -q -m "unit and not slow"
FAST_HALF := tests/analyzers tests/checks tests/store tests/suite

# The matrices are small: more threads only wait for each other.
export OPENBLAS_NUM_THREADS := 1
# Share compiled Python files between all processes that the tests start.
export PYTHONPYCACHEPREFIX := $(CURDIR)/$(VENV)/pycache
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo test test-fast fuzz lint types layers classic connect format golden clean
.NOTPARALLEL:
.DEFAULT_GOAL := help

help: ## show the targets
	@sed -n 's/^\([a-z-]*\):.*## /  \1\t/p' $(MAKEFILE_LIST) | expand -t 14

demo: $(VENV)/demo.stamp ## run the gate on two weeks of real flights
	@$(BIN)/python -m assay.demo

test: $(VENV)/dev.stamp ## lint, types, layers and all tests, in two concurrent processes; the same examples everywhere
	@$(BIN)/python -m pytest $(HALF) > $(VENV)/half.log 2>&1 & half=$$!; \
	trap 'kill $$half 2>/dev/null' INT TERM; \
	$(MAKE) --no-print-directory lint types layers || { kill $$half; exit 1; }; \
	$(BIN)/python -m pytest $(HALF:%=--ignore=%) \
	&& ASSAY_TEST_REMOTE=local $(BIN)/python -m pytest tests; rest=$$?; \
	wait $$half; first=$$?; cat $(VENV)/half.log; exit $$((first + rest))

fuzz: $(VENV)/dev.stamp ## draw random examples at length: make fuzz [EXAMPLES=2000] [TESTS=tests/learn]
	ASSAY_FUZZ=$(EXAMPLES) $(BIN)/python -m pytest -m hypothesis --timeout=0 $(TESTS)

test-fast: $(VENV)/dev.stamp ## run the quick tests that need no Spark, in two concurrent processes
	@$(FAST) $(FAST_HALF) > $(VENV)/fast.log 2>&1 & half=$$!; \
	trap 'kill $$half 2>/dev/null' INT TERM; \
	$(FAST) $(FAST_HALF:%=--ignore=%); rest=$$?; \
	wait $$half; first=$$?; cat $(VENV)/fast.log; exit $$((first + rest))

lint: $(VENV)/dev.stamp ## check rules and format with ruff
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/dev.stamp ## check types with mypy (strict)
	$(BIN)/mypy src tests conftest.py $(wildcard benchmarks examples tools)

layers: $(VENV)/dev.stamp ## check the direction of imports with import-linter
	$(BIN)/lint-imports

classic: $(VENV)/dev.stamp ## run tests and doctests on a classic session
	$(BIN)/python -m pytest

connect: $(VENV)/dev.stamp ## run the tests marked connect on Spark Connect
	ASSAY_TEST_REMOTE=local $(BIN)/python -m pytest tests

format: $(VENV)/dev.stamp ## apply ruff's fixes and format
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

golden: $(VENV)/dev.stamp ## write the current output of every command into tests/golden
	$(BIN)/python -m tools.documented golden

clean: ## remove the virtual environment and caches
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis

$(BIN)/python:
	$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); exit 1; }

$(VENV)/demo.stamp: pyproject.toml | $(BIN)/python
	@echo "Installing into $(VENV) ..."
	@$(PIP) install --no-compile --editable '.[spark,learn]'
	@touch $@

$(VENV)/dev.stamp: pyproject.toml | $(BIN)/python
	@echo "Installing into $(VENV) ..."
	@$(PIP) install --no-compile --editable '.[spark,dev]'
	@touch $@ $(VENV)/demo.stamp
