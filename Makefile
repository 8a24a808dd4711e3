# `make run`: set up, have Lean check lean/, show what is proved, ask the gate.  `make test`: set up, lint, types, all tests.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt

.DEFAULT_GOAL := help
.PHONY: help run test lint bench mutation clean

help:
	@echo "make run    have Lean check lean/, show what is proved, and ask the gate"
	@echo "make test   linters, types and all tests"
	@echo "make lint   linters and types only"
	@echo "make bench  benchmarks: ratios measured side by side"
	@echo "make mutation  change what judges, and see whether a test notices"
	@echo "make clean  remove the virtual environment and local state"

run: $(VENV)/.ready
	@$(BIN)/tracker run; code=$$?; \
	[ $$code -gt 1 ] || { $(BIN)/tracker report; $(BIN)/tracker gate || code=1; }; exit $$code

test: lint
	@scripts/ensure-chromium.sh >/dev/null
	$(BIN)/python -m pytest -n 2

lint: $(VENV)/.ready-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(VENV)/.ready-dev
	@for bench in bench/*.py; do echo "== $$bench"; $(BIN)/python $$bench || exit 1; done

mutation: $(VENV)/.ready-dev
	$(PIP) -e '.[embedded,dev,mutation]'
	@nice $(BIN)/python -m mutmut run >/dev/null 2>&1 || true
	@$(BIN)/python -m mutmut results
	@$(BIN)/python scripts/mutation_score.py

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.ready: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(PIP) -e '.[embedded]'
	@touch $@

$(VENV)/.ready-dev: pyproject.toml constraints.txt $(VENV)/.ready
	$(PIP) -e '.[embedded,dev]'
	@touch $@

clean:
	rm -rf $(VENV) .tracker lean/.lake mutants
