# Needs Python 3.11 or newer, git and make. Everything else, Java included, goes into .venv.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --quiet --disable-pip-version-check
# what is tested beside the rest: about half of the time
HALF   := tests/oracle tests/traps tests/checks tests/engine tests/store \
          tests/learn/patterns tests/learn/history tests/gate tests/suite

# small matrices: a second thread only waits
export OPENBLAS_NUM_THREADS := 1
# packages and tests are compiled once, not by each of a hundred processes
export PYTHONPYCACHEPREFIX := $(CURDIR)/$(VENV)/pycache
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo test lint types layers classic connect format clean
.NOTPARALLEL:
.DEFAULT_GOAL := help

help: ## show the targets
	@sed -n 's/^\([a-z]*\):.*## /  \1\t/p' $(MAKEFILE_LIST) | expand -t 14

demo: $(VENV)/demo.stamp ## two weeks of real flights before a gate
	@$(BIN)/python -m assay.demo

test: $(VENV)/dev.stamp ## lint, types, layers and all tests, in two processes side by side
	@$(BIN)/python -m pytest $(HALF) > $(VENV)/half.log 2>&1 & half=$$!; \
	trap 'kill $$half 2>/dev/null' INT TERM; \
	$(MAKE) --no-print-directory lint types layers || { kill $$half; exit 1; }; \
	$(BIN)/python -m pytest $(HALF:%=--ignore=%) \
	&& ASSAY_TEST_REMOTE=local $(BIN)/python -m pytest tests; rest=$$?; \
	wait $$half; first=$$?; cat $(VENV)/half.log; exit $$((first + rest))

lint: $(VENV)/dev.stamp ## ruff: rules and format
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/dev.stamp ## mypy, strict
	$(BIN)/mypy src tests conftest.py $(wildcard benchmarks examples)

layers: $(VENV)/dev.stamp ## import-linter: imports go one way
	$(BIN)/lint-imports

classic: $(VENV)/dev.stamp ## tests and doctests on a classic session
	$(BIN)/python -m pytest

connect: $(VENV)/dev.stamp ## the tests marked connect, on Spark Connect
	ASSAY_TEST_REMOTE=local $(BIN)/python -m pytest tests

format: $(VENV)/dev.stamp ## let ruff mend what it can
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

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
