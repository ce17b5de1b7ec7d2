# Bare `make` is what CI runs. The first target that needs it makes the environment.
PYTHON ?= python3
BIN := .venv/bin
T ?= tests
K ?=

.PHONY: all dev fmt fmt-check lint types arch test demo golden docs docs-check policy plans wheel bench clean

all: fmt-check lint types arch docs-check test

.venv/ready: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

dev: .venv/ready

fmt: .venv/ready
	$(BIN)/ruff format src policies tests fixtures
	$(BIN)/ruff check --fix-only src policies tests fixtures

fmt-check: .venv/ready
	$(BIN)/ruff format --check src policies tests fixtures

lint: .venv/ready
	$(BIN)/ruff check src policies tests fixtures

types: .venv/ready
	$(BIN)/mypy

arch: .venv/ready
	$(BIN)/lint-imports

test: .venv/ready
	$(BIN)/pytest $(T) $(if $(K),-k '$(K)')

plans: .venv/ready
	$(BIN)/python fixtures/make_plans.py $(D)
