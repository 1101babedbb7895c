# Each target first installs what it needs into .venv, in the exact versions of constraints.txt.
PYTHON ?= python3
BIN := .venv/bin
OLD := .venv-oldest
SMOKE_TOOLS := pytest pytest-xdist pytest-timeout hypothesis playwright httpx
INSTALL = python -m pip install --disable-pip-version-check --progress-bar on

# bytecode is kept, wherever that is switched off: tests that start processes are 1.6 times faster
test test-fast test-long warm-up: export PYTHONDONTWRITEBYTECODE =
test test-fast test-long warm-up: export PYTHONPYCACHEPREFIX = $(CURDIR)/.venv/bytecode

.PHONY: help lab test test-fast test-long test-oldest check lint types layers warm-up reproduce bench docs figures clean
.DEFAULT_GOAL := help

help:
	@echo "make lab          open the laboratory: http://127.0.0.1:8000"
	@echo "make reproduce    reproduce the paper: report/index.html"
	@echo "make test         run lint, types, layers and every test but the long ones"
	@echo "make test-fast    run the quick tests once: no browser, no process, no statistics"
	@echo "make test-long    run the long tests, new random examples and longer attacks; SEED=... repeats a run"
	@echo "make test-oldest  run a small set of tests with the oldest supported versions, in $(OLD)"
	@echo "make check        run lint, types and layers only"
	@echo "make bench        run the complete benchmark; writes benchmarks/README.md"
	@echo "make docs         build the documentation: site/index.html"
	@echo "make figures      redraw the figures of the documents from the full reproduction"
	@echo "make clean        remove everything that these targets made"
	@echo "Each target first installs what it needs into a virtual environment. Another Python: make lab PYTHON=python3.12"

.venv/created:
	@$(PYTHON) -c 'import sys; v = sys.version_info; sys.exit(0 if v >= (3, 11) else f"Primum needs Python 3.11 or later, and $(PYTHON) is {v[0]}.{v[1]}; try: make PYTHON=python3.12 ...")'
	@$(PYTHON) -m venv .venv
	@touch $@

# the library alone, for people who use it
.venv/ready: .venv/created pyproject.toml constraints.txt
	@echo "Installing Primum and the packages it uses into .venv: 0.8 GB on disk, one to three minutes."
	@$(BIN)/$(INSTALL) -c constraints.txt -e .
	@touch $@

.venv/lab-ready: .venv/created pyproject.toml constraints.txt
	@echo "Installing Primum with its laboratory into .venv: 0.8 GB on disk, one to three minutes."
	@$(BIN)/$(INSTALL) -c constraints.txt -e '.[lab]'
	@touch $@ .venv/ready

.venv/check-ready: .venv/created pyproject.toml constraints.txt
	@echo "Installing Primum with ruff, mypy and import-linter into .venv: a minute or two."
	@$(BIN)/$(INSTALL) -c constraints.txt -e '.[check]'
	@touch $@ .venv/ready .venv/lab-ready

.venv/docs-ready: .venv/created pyproject.toml constraints.txt
	@echo "Installing Primum with MkDocs into .venv: a minute or two."
	@$(BIN)/$(INSTALL) -c constraints.txt -e '.[docs]'
	@touch $@ .venv/ready .venv/lab-ready

.venv/test-ready: .venv/created pyproject.toml constraints.txt
	@echo "Installing Primum with everything its tests use into .venv: 1.2 GB on disk, two to four minutes."
	@$(BIN)/$(INSTALL) --no-compile -c constraints.txt -e '.[test,check,docs]'
	@touch $@ .venv/ready .venv/lab-ready .venv/check-ready .venv/docs-ready

$(OLD)/ready: pyproject.toml constraints-oldest.txt
	@echo "Installing Primum with the oldest supported versions into $(OLD): a minute or two."
	@$(PYTHON) -m venv $(OLD)
	@$(OLD)/bin/$(INSTALL) -c constraints-oldest.txt -e '.[live]' $(SMOKE_TOOLS)
	@touch $@

lab: .venv/lab-ready
	@$(BIN)/primum lab

reproduce: .venv/ready
	@$(BIN)/python -m reproduction

check: lint types layers

lint: .venv/check-ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/check-ready
	$(BIN)/mypy

layers: .venv/check-ready
	$(BIN)/lint-imports

# native code, once, while mypy runs, so that the processes that run tests find it instead of compiling the same
warm-up: .venv/test-ready
	@$(BIN)/python -m tests.warm_up

test: .venv/test-ready
	@$(MAKE) --no-print-directory -j2 warm-up check
	$(BIN)/python tests/browser.py
	$(BIN)/python tests/postgresql.py
	$(BIN)/pytest -n auto --dist worksteal -m "not long" --durations 25

test-fast: .venv/test-ready
	$(BIN)/pytest -n auto --dist worksteal -m "not (browser or slow or long or again or hypothesis)"

# what takes long and rarely fails, and what depends on a seed, each time with another one, which is printed
test-long: SEED := $(shell date +%s)
test-long: .venv/test-ready warm-up
	@echo "make test-long SEED=$(SEED) repeats this."
	$(BIN)/python tests/postgresql.py
	$(BIN)/pytest -n auto --dist worksteal -m "hypothesis or long" --timeout 3600 --hypothesis-profile random --hypothesis-seed $(SEED)
	$(BIN)/python -m tests.campaigns --times 10 --seed $(SEED)

test-oldest: $(OLD)/ready
	$(OLD)/bin/python tests/browser.py
	$(OLD)/bin/pytest -n auto -m smoke tests/test_smoke.py tests/lab/test_smoke.py

bench: .venv/ready
	$(BIN)/python benchmarks/speed.py

docs: .venv/docs-ready
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict
	@echo "site/index.html"

figures: .venv/test-ready
	$(BIN)/python docs/figures.py
	$(BIN)/python docs/reproduction.py
	$(BIN)/python docs/which_policy.py
	$(BIN)/python docs/laboratory.py
	$(BIN)/python docs/live_trial.py
	$(BIN)/python docs/learn.py

clean:
	rm -rf .venv .venv-* report arena-report site dist build .hypothesis .mypy_cache .ruff_cache .import_linter_cache
