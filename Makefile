# Every target makes what it needs: a new clone and a Python 3.11+ are enough.
.DEFAULT_GOAL := help
.PHONY: help demo deps test test-python test-reports test-all test-lowest test-wheel test-image test-spark test-clickhouse kills mutants fuzz ci-long lint types docs site bench dist release clean

VENV ?= .venv
BIN := $(VENV)/bin
# How many processes share the tests: on two cores a third one gains next to nothing.
WORKERS ?= 2
PYTEST_OPTIONS := -n $(WORKERS) --dist worksteal
PYTEST := $(BIN)/python -m pytest $(PYTEST_OPTIONS)
# What `make test` runs; nothing is everything.
TESTS ?=
# Which pages `make docs` runs; nothing is all.
PAGES ?=
# Spark is 456 MB and has an environment of its own.
SPARK_VENV ?= .venv-spark
SPARK_TESTS ?= tests/spark
# So has ClickHouse, of 800 MB.
CLICKHOUSE_VENV ?= .venv-clickhouse
# And so has what builds the site, which needs none of the tools of the tests.
SITE_VENV ?= .venv-site
LOWEST_VENV ?= .venv-lowest
LOCKS := $(wildcard constraints/*.txt)
# How often `make kills` kills a command, one of two that record into one ledger, and the server.
KILLS ?= 17
LEDGER_KILLS ?= 5
SERVER_KILLS ?= 3
# Which cases `make bench` measures; nothing is all.
CASES ?=
# How many broken inputs `make fuzz` gives, and in how many processes.
FUZZ ?= 500
FUZZ_WORKERS ?= 2
# Stamps inside the environment, so that removing it forgets them too.
INSTALLED := $(VENV)/.installed
INSTALLED_DEV := $(VENV)/.installed-dev

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "make %-12s %s\n", $$1, $$2}' Makefile

demo: $(INSTALLED) ## build an index, ask it, score it and write the HTML report
	@$(BIN)/ragstone demo

deps: ## install what the tests use and pip cannot: a browser, strace, two shells, a Java
	@scripts/deps --install

test: $(INSTALLED_DEV) ## run all tests of this Python; installs nothing of the system, and names what is missing
	@scripts/deps
	@echo "Not run here: make test-spark, test-clickhouse, test-lowest, test-wheel and test-image; and ci-long."
	$(PYTEST) --durations=10 $(TESTS)

test-python: ## run on the oldest Python here the tests whose outcome a Python can change
	@scripts/test-all python

test-reports: ## write the same reports on the oldest and the newest Python here, and compare their bytes
	@scripts/test-all reports

test-all: ## run all tests on every Python here, and compare their reports
	@scripts/test-all

# Of every part that uses one of those versions (msgspec, zstd, rich, Jinja2, Markdown, PDF, HTTP). A browser
# opens a few pages; what it makes of all others depends on none of them.
test-lowest: $(LOWEST_VENV)/.installed ## run tests with the lowest versions that are allowed
	$(LOWEST_VENV)/bin/python -m pytest $(PYTEST_OPTIONS) -q tests/contracts tests/index tests/report \
	  --ignore=tests/report/formats/test_every_page.py --ignore=tests/report/formats/test_journeys.py \
	  --ignore=tests/report/formats/test_on_paper.py \
	  tests/targets/test_http.py tests/targets/test_protocol.py tests/test_determinism.py

test-wheel: dist ## install the wheel into a bare environment, and do there what the README begins with
	@scripts/test-wheel

test-image: ## build the image and run the demo in it, where docker or podman is
	@scripts/test-image

# In one process, with one cluster: two would only share the cores.
test-spark: $(SPARK_VENV)/.installed ## run the tests on Spark, which need a Java
	@scripts/deps
	$(SPARK_VENV)/bin/python -m pytest $(SPARK_TESTS)

test-clickhouse: $(CLICKHOUSE_VENV)/.installed ## read spans that a real ClickHouse wrote
	$(CLICKHOUSE_VENV)/bin/python -m pytest tests/formats/test_clickhouse.py

kills: $(INSTALLED_DEV) ## kill commands at random moments, and look at what they leave
	$(BIN)/python checks/kills.py --count $(KILLS)
	$(BIN)/python checks/ledger_kills.py --count $(LEDGER_KILLS)
	$(BIN)/python checks/ingest.py --seconds 10 --kills $(SERVER_KILLS)

# I/N is every N-th of the changes of checks/mutants.toml, from the I-th on.
MUTANTS ?= 1/1
mutants: $(INSTALLED_DEV) ## change the source a little, and look whether the tests notice
	$(BIN)/python checks/mutants.py --part $(MUTANTS)

# Every stage of .ci/run in full, and more of each. All tests on every Python hold those marked `python`.
ci-long: $(INSTALLED_DEV) ## run everything that there is, and the long tests, 1,000 kills and 20,000 broken inputs (hours)
	$(MAKE) deps lint types docs site test-all test-spark test-clickhouse test-lowest release
	$(PYTEST) --long -m "long or hypothesis"
	$(MAKE) kills KILLS=1000 LEDGER_KILLS=100
	$(MAKE) fuzz FUZZ=20000
	$(MAKE) mutants
	$(MAKE) bench
	$(BIN)/python checks/coverage.py
	$(BIN)/python checks/sequential.py
	$(BIN)/python checks/drifting.py
	$(BIN)/python checks/statements.py

lint: $(INSTALLED_DEV) ## check style and format
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(INSTALLED_DEV) ## check types
	$(BIN)/mypy

docs: $(INSTALLED_DEV) ## run the code blocks of the documentation
	$(BIN)/python scripts/docs_code.py $(PAGES)

site: $(SITE_VENV)/.installed ## build the documentation as a site in build/site, and follow its links
	NO_MKDOCS_2_WARNING=1 $(SITE_VENV)/bin/python -m mkdocs build --quiet
	$(SITE_VENV)/bin/python scripts/site_check.py build/site

fuzz: $(INSTALLED_DEV) ## give broken inputs to every reader and command
	$(BIN)/python checks/fuzz.py --count $(FUZZ) --workers $(FUZZ_WORKERS)

bench: $(INSTALLED_DEV) ## is anything 1.3 times slower or larger than it was? (bench/cases.py)
	$(BIN)/python bench/speed.py $(CASES)

dist: $(INSTALLED) ## build the wheel and the source archive in dist/
	rm -rf dist
	$(BIN)/python -m hatchling build

release: $(INSTALLED_DEV) ## build what is published of this commit, twice, and try it on every Python here
	@scripts/release

clean: ## remove everything that the targets made
	rm -rf $(VENV) $(SPARK_VENV) $(CLICKHOUSE_VENV) $(SITE_VENV) $(LOWEST_VENV) .venv-3.* .mypy_cache .pytest_cache .ruff_cache .hypothesis build dist ragstone-demo
	find src tests scripts -name __pycache__ -prune -exec rm -rf {} +

$(INSTALLED): pyproject.toml $(LOCKS) scripts/venv
	@scripts/venv $(VENV)
	@touch $@

$(INSTALLED_DEV): pyproject.toml $(LOCKS) scripts/venv
	@scripts/venv $(VENV) dev
	@touch $(INSTALLED) $@

$(SPARK_VENV)/.installed: pyproject.toml $(LOCKS) scripts/venv
	@scripts/venv $(SPARK_VENV) spark
	@touch $@

$(CLICKHOUSE_VENV)/.installed: pyproject.toml $(LOCKS) scripts/venv
	@scripts/venv $(CLICKHOUSE_VENV) clickhouse
	@touch $@

$(LOWEST_VENV)/.installed: pyproject.toml $(LOCKS) scripts/venv scripts/pythons
	@PYTHON=$$(scripts/pythons | awk 'NR == 1 { print $$2 }') scripts/venv $(LOWEST_VENV) lowest
	@touch $@

$(SITE_VENV)/.installed: pyproject.toml $(LOCKS) scripts/venv
	@scripts/venv $(SITE_VENV) site
	@touch $@
