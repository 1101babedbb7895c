# Each target does its own set-up: a virtual environment in .venv with the exact versions of constraints.txt.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: help lab test check reproduce bench docs figures clean
.DEFAULT_GOAL := help

help:
	@echo "make lab        set up, then open the laboratory: http://127.0.0.1:8000"
	@echo "make test       set up, then lint, types, layers and every test"
	@echo "make check      set up, then lint, types and layers only"
	@echo "make reproduce  set up, then reproduce the paper: report/index.html"
	@echo "make bench      set up, then the complete benchmark; writes benchmarks/README.md"
	@echo "make docs       set up, then build the documents: site/index.html"
	@echo "make figures    set up, then draw the figures of README and documents again, from the full reproduction"
	@echo "make clean      remove what the above made"

.venv/ready: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; v = sys.version_info; sys.exit(0 if v >= (3, 11) else f"Primum needs Python 3.11 or later, and $(PYTHON) is {v[0]}.{v[1]}; try: make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[test,check,docs]'
	@touch $@

check: .venv/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

lab: .venv/ready
	$(BIN)/primum lab

test: check
	$(BIN)/python tests/browser.py
	$(BIN)/pytest -n auto --dist worksteal

reproduce: .venv/ready
	$(BIN)/primum reproduce

bench: .venv/ready
	$(BIN)/python benchmarks/speed.py

docs: .venv/ready
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict
	@echo "site/index.html"

figures: .venv/ready
	$(BIN)/python docs/figures.py
	$(BIN)/python docs/reproduction.py
	$(BIN)/python docs/laboratory.py

clean:
	rm -rf .venv .venv-peers report site dist build .hypothesis .mypy_cache .ruff_cache .import_linter_cache
