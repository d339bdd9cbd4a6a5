# make run: install, train and plot a first model. make test: install, then every check that CI runs.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: install run test browser check format catalogue cards wheel docs figures pictures fuzz soak soak-page mutate oldest locale clean

install: .venv/.installed

.venv/bin/python:
	$(PYTHON) -m venv .venv

.venv/.installed: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	@touch $@

# One call of pip for both: the tests need all that a user does.
.venv/.installed-test: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[test]"
	@touch .venv/.installed $@

run: install
	$(BIN)/vinlab train gridworld/8/vin --out runs/first --overwrite
	$(BIN)/vinlab plot runs/first

check: .venv/.installed-test
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/pyright

# The page is tested in Chromium; without it those tests are skipped with a message.
browser:
	@command -v chromium >/dev/null \
	|| { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && timeout 300 sh -c \
	"apt-get install -y -qq chromium || { apt-get update -qq && apt-get install -y -qq chromium; }" >/dev/null 2>&1; } \
	|| echo "Chromium was not found; the browser tests are skipped."

test: check browser
	$(BIN)/python -m pytest -n 2 --dist worksteal

format: .venv/.installed-test
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# The list of settings that `vinlab list` reads.
catalogue: install
	$(BIN)/python -m vinlab.experiments.catalogue

# The page of the shipped models, from their cards.
cards: install
	$(BIN)/python docs/cards.py

# The wheel and the source archive, built, and the wheel tried in a clean environment.
wheel: | .venv/bin/python
	rm -rf dist build/wheel-check
	$(BIN)/python -m pip install --quiet --disable-pip-version-check build
	$(BIN)/python -m build --outdir dist .
	$(PYTHON) -m venv build/wheel-check
	build/wheel-check/bin/python -m pip install --quiet --disable-pip-version-check dist/*.whl
	cd build && wheel-check/bin/python ../tests/wheel_check.py

.venv/.installed-docs: .venv/.installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[docs]"
	@touch $@

docs: .venv/.installed-docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

# The figures of the documentation; `pictures` is the target's old name.
figures pictures: .venv/.installed-test browser
	$(BIN)/python docs/figures.py

# The page for MINUTES under load with stalled and broken clients.
MINUTES ?= 10
soak-page: .venv/.installed-test
	$(BIN)/python benchmarks/soak_page.py --minutes $(MINUTES) --out results/reliability/page.json

# Small faults in the code, one at a time: do the tests notice? SAMPLE of them, chosen by SEED.
SAMPLE ?= 150
SEED ?= 0
mutate: .venv/.installed-test
	$(BIN)/python benchmarks/mutate.py --sample $(SAMPLE) --seed $(SEED) --out results/reliability/mutations.json

# Hostile files, options and requests for every reader, command and request, each in 1 GB and 20 s: about a quarter of an hour.
fuzz: .venv/.installed-test
	$(BIN)/python -W ignore -m reliability.fuzz --record results/reliability/fuzz.json

# Runs that are killed and damaged.
soak: .venv/.installed-test
	$(BIN)/python -W ignore -m reliability.soak_runs --record results/reliability/soak_runs.json

# The tests with the oldest versions that pyproject.toml allows, in an environment of their own.
oldest:
	$(PYTHON) -m venv .venv-oldest
	$(PYTHON) tests/oldest_versions.py > .venv-oldest/constraints.txt
	.venv-oldest/bin/python -m pip install --quiet --disable-pip-version-check -e ".[test]" -c .venv-oldest/constraints.txt
	.venv-oldest/bin/python -m reliability.suite --record results/reliability/oldest.json -- -n 2 --dist worksteal

# The tests in the locale C, where text that names no encoding is ASCII.
locale: .venv/.installed-test
	LC_ALL=C LANG=C PYTHONUTF8=0 PYTHONCOERCECLOCALE=0 \
	$(BIN)/python -m reliability.suite --record results/reliability/locale.json -- -n 2 --dist worksteal

clean:
	rm -rf .venv .venv-oldest runs site .pytest_cache .ruff_cache
