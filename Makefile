# make run  = the main job from nothing; make test = every check that CI runs, from nothing.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: install run test check format docs clean

install: .venv/.installed

.venv/bin/python:
	$(PYTHON) -m venv .venv

.venv/.installed: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	@touch $@

.venv/.installed-test: .venv/.installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[test]"
	@touch $@

run: install
	$(BIN)/vinlab train gridworld/8/vin --out runs/first --overwrite
	$(BIN)/vinlab plot runs/first

check: .venv/.installed-test
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/pyright

test: check
	$(BIN)/python -m pytest -n 2 --dist worksteal

format: .venv/.installed-test
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

.venv/.installed-docs: .venv/.installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[docs]"
	@touch $@

docs: .venv/.installed-docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

clean:
	rm -rf .venv runs site .pytest_cache .ruff_cache
