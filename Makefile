# Two commands do everything on a machine with Python 3.11+: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: demo test lint docs bench faults mutants long sql clean

demo: $(STAMP)
	PATH="$(CURDIR)/$(BIN):$$PATH" sh examples/demo.sh

test: $(STAMP)
	$(BIN)/pytest -n 2 --dist loadgroup -m "not long"

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

docs: $(STAMP)
	$(BIN)/python -m cogapp --check -P README.md docs/reference/*.md

bench: $(STAMP)
	$(BIN)/python -m benchmarks $(if $(QUICK),--quick)

faults: $(STAMP)
	$(BIN)/python -m tests.faults.long

long: $(STAMP)
	$(BIN)/pytest -n 2 --dist loadgroup -m long

mutants: $(STAMP)
	$(BIN)/python -m tests.mutants $(if $(ALL),--all)

sql: $(STAMP)
	$(BIN)/python -m ledger.store.generate

$(STAMP): pyproject.toml requirements.lock
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint requirements.lock uv
	$(BIN)/uv pip install --quiet --system-certs --python $(BIN)/python --constraint requirements.lock --editable . --group dev
	touch $@

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
