# Every target makes what it needs: a new clone and a Python 3.11+ are enough.
.DEFAULT_GOAL := help
.PHONY: help demo test test-all test-lowest test-wheel test-image test-spark test-clickhouse kills fuzz ci-long lint types docs site bench dist clean

VENV ?= .venv
BIN := $(VENV)/bin
# How many processes share the tests: on two cores a third one gains next to nothing.
WORKERS ?= 2
PYTEST := $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal
# What `make test` runs; nothing is everything.
TESTS ?=
# Spark is 456 MB and has an environment of its own.
SPARK_VENV ?= .venv-spark
SPARK_TESTS ?= tests/spark
# So has ClickHouse, of 800 MB.
CLICKHOUSE_VENV ?= .venv-clickhouse
# And so has what builds the site, which needs none of the tools of the tests.
SITE_VENV ?= .venv-site
LOWEST_VENV ?= .venv-lowest
LOCKS := $(wildcard constraints/*.txt)
# How often `make kills` kills.
KILLS ?= 70
# How often it kills one of two that record into one ledger.
LEDGER_KILLS ?= 20
# How many processes `make fuzz` takes.
FUZZ_WORKERS ?= 2
# Stamps inside the environment, so that removing it forgets them too.
INSTALLED := $(VENV)/.installed
INSTALLED_DEV := $(VENV)/.installed-dev

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "make %-12s %s\n", $$1, $$2}' Makefile

demo: $(INSTALLED) ## build an index, ask it, score it and write the HTML report
	@$(BIN)/ragstone demo

test: $(INSTALLED_DEV) ## run all tests; the browser ones need chromium and fetch it where that is allowed
	@scripts/system-deps
	$(PYTEST) $(TESTS)

test-all: ## run the tests on the oldest and the newest Python here, and compare their reports
	@scripts/test-all

test-lowest: $(LOWEST_VENV)/.installed ## run tests with the lowest versions that are allowed
	@scripts/test-lowest $(LOWEST_VENV)

test-wheel: dist ## install the wheel into a bare environment and run the demo from it
	@scripts/test-wheel

test-image: ## build the image and run the demo in it, or the Dockerfile's steps where none can be built
	@scripts/test-image

# In one process, with one cluster: two would only share the cores.
test-spark: $(SPARK_VENV)/.installed ## run the tests on Spark, which need a Java and fetch it where that is allowed
	@scripts/spark-deps
	$(SPARK_VENV)/bin/python -m pytest $(SPARK_TESTS)

test-clickhouse: $(CLICKHOUSE_VENV)/.installed ## read spans that a real ClickHouse wrote
	$(CLICKHOUSE_VENV)/bin/python -m pytest tests/formats/test_clickhouse.py

kills: $(INSTALLED_DEV) ## kill commands at random moments, and look at what they leave
	$(BIN)/python bench/kills.py --count $(KILLS)
	$(BIN)/python bench/ledger_kills.py --count $(LEDGER_KILLS)
	$(BIN)/python bench/ingest.py --seconds 10 --kills 3

ci-long: $(INSTALLED_DEV) ## run the long tests, those that make up inputs with many more, and 1,000 kills (hours)
	scripts/test-all everywhere
	$(PYTEST) --long -m "long or hypothesis"
	$(MAKE) kills KILLS=1000 LEDGER_KILLS=100
	$(BIN)/python bench/fuzz.py --count 20000
	$(BIN)/python bench/sequential.py

lint: $(INSTALLED_DEV) ## check style and format
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(INSTALLED_DEV) ## check types
	$(BIN)/mypy

docs: $(INSTALLED_DEV) ## run the code blocks of the documentation
	$(BIN)/python scripts/docs_code.py

site: $(SITE_VENV)/.installed ## build the documentation as a site in build/site, and follow its links
	NO_MKDOCS_2_WARNING=1 $(SITE_VENV)/bin/python -m mkdocs build --quiet
	$(SITE_VENV)/bin/python scripts/site_check.py build/site

fuzz: $(INSTALLED_DEV) ## give broken inputs to every reader and command
	$(BIN)/python bench/fuzz.py --count 500 --workers $(FUZZ_WORKERS)

bench: $(INSTALLED_DEV) ## measure speed and memory against the stdlib scorer
	$(BIN)/python bench/answers.py

dist: $(INSTALLED) ## build the wheel and the source archive in dist/
	rm -rf dist
	$(BIN)/python -m hatchling build

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
