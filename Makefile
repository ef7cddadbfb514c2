# Two commands do everything on a fresh Debian 12 machine:
#   make demo    installs, builds, exports a model with JAX and prints what is in it
#   make test    installs, builds, runs every test
# Both are incremental. `make help` lists the rest.

PRESET ?= release
BUILD := build/$(PRESET)
VENV := .venv
PYTHON := $(VENV)/bin/python
JOBS ?= $(shell nproc)
TOOL := $(BUILD)/tools/shardwright

export SHARDWRIGHT := $(abspath $(TOOL))
export SHARDWRIGHT_OPT := $(abspath $(BUILD)/tools/shardwright-opt)
export JAX_PLATFORMS := cpu
# The Python package as it was built last.
export PYTHONPATH := $(abspath $(BUILD)/python)
export FUZZ_SEED

.PHONY: help
help:
	@grep -hE '^# help: ' $(MAKEFILE_LIST) | sed 's/^# help: /  make /'

# help: setup          Debian packages and the Python environment
.PHONY: setup
setup: build/.packages $(VENV)/.installed

build/.packages: scripts/packages.txt scripts/install-packages
	scripts/install-packages
	@mkdir -p build && touch $@

$(VENV)/.installed: requirements.txt scripts/make-venv build/.packages
	scripts/make-venv $(VENV) requirements.txt
	@touch $@

# help: build          the tools and tests (PRESET=release, debug, tsan or fuzz)
.PHONY: build
build: build/.packages
	cmake --preset $(PRESET)
	cmake --build --preset $(PRESET) -j $(JOBS)

# help: python         the Python package, in build/PRESET/python
.PHONY: python
python: setup
	cmake --preset $(PRESET) -DSHARDWRIGHT_PYTHON=ON -DPython_EXECUTABLE=$(abspath $(PYTHON))
	cmake --build --preset $(PRESET) -j $(JOBS) --target shardwright_python

# help: wheel          the package as `pip install .` makes it, installed and tried in an environment of its own
.PHONY: wheel
wheel: setup
	scripts/try-wheel $(PYTHON)

# help: demo           export a 24-layer GPT training step and find out how to run it on 8 A100s
.PHONY: demo
demo: setup
	$(MAKE) build
	$(PYTHON) -m models gpt -o build/gpt.mlir
	$(TOOL) inspect build/gpt.mlir -o build/gpt.inspect.txt
	$(TOOL) analyze build/gpt.mlir
	$(TOOL) partition build/gpt.mlir --mesh data=4,model=2 --device a100-40 --memory 12GB --budget 10s \
	  -o build/gpt.plan.json --emit explicit=build/gpt.spmd.mlir
	@echo "the plan: build/gpt.plan.json; what each device runs: build/gpt.spmd.mlir; what is in the step: build/gpt.inspect.txt"

# help: test           everything that must pass before a change lands
.PHONY: test
test: setup
	$(MAKE) build
	$(MAKE) python
	ctest --preset $(PRESET) -j $(JOBS)
	$(PYTHON) -m pytest -q

# help: test-previous-jax  the Python tests under the JAX release before the newest
.PHONY: test-previous-jax
test-previous-jax: setup
	$(MAKE) build
	$(MAKE) python
	scripts/make-venv .venv-previous requirements-previous.txt
	.venv-previous/bin/python -m pytest -q

# help: sanitize       C++ tests under ASan and UBSan
.PHONY: sanitize
sanitize: setup
	$(MAKE) build PRESET=debug
	ctest --preset debug -j $(JOBS)

# help: race           searches in several threads under TSan
.PHONY: race
race: setup
	cmake --preset tsan
	cmake --build --preset tsan -j $(JOBS) --target search_test
	build/tsan/src/shardwright/search/search_test

# help: fuzz           libFuzzer on the reader and the planner, SECONDS=60 by default
SECONDS ?= 60
.PHONY: fuzz
fuzz: setup
	cmake --preset fuzz
	cmake --build --preset fuzz -j $(JOBS) --target read_fuzzer
	scripts/run-fuzzer $(SECONDS)

# help: format         rewrite the C++ sources with clang-format
.PHONY: format
format: build/.packages
	git ls-files '*.cpp' '*.h' | xargs clang-format-22 -i

# help: lint           clang-format and clang-tidy, without changing anything
.PHONY: lint
lint: build/.packages
	git ls-files '*.cpp' '*.h' | xargs clang-format-22 --dry-run --Werror
	$(MAKE) build
	git ls-files 'src/*.cpp' 'tools/*.cpp' | grep -v '_test.cpp' | \
	  xargs -P $(JOBS) -n 4 clang-tidy-22 --quiet -p $(BUILD) --extra-arg=-Wno-unknown-warning-option

# help: benchmark      speed of reading and partitioning; writes benchmarks/results
.PHONY: benchmark
benchmark: setup
	$(MAKE) build
	$(PYTHON) benchmarks/reading.py
	$(PYTHON) benchmarks/partitioning.py

# help: grid           every small model under every expert strategy; writes docs/results/same-numbers.md
.PHONY: grid
grid: setup
	$(MAKE) build
	$(PYTHON) -m tests.spmd.grid

# help: random-pairs   random programs under random plans, FROM=10000 TO=14999 by default
FROM ?= 10000
TO ?= 14999
.PHONY: random-pairs
random-pairs: setup
	$(MAKE) build
	$(PYTHON) -m tests.spmd.pairs --from $(FROM) --to $(TO)

# help: closed-forms   collectives of a transformer's training step against the closed forms
.PHONY: closed-forms
closed-forms: setup
	$(MAKE) build
	$(PYTHON) -m pytest -q tests/spmd/test_collectives.py

# help: reshards       bytes moved by our reshards and by Shardy's; writes docs/results/reshards.md
.PHONY: reshards
reshards: setup
	$(MAKE) build
	$(PYTHON) -m tests.spmd.reshards

# help: loss-curves    partitioned beside unpartitioned training, STEPS=200; writes docs/results/loss-curves.md
STEPS ?= 200
.PHONY: loss-curves
loss-curves: setup
	$(MAKE) python
	$(PYTHON) python/tests/curves.py --steps $(STEPS) --out docs/results/loss-curves.md

# help: python-overhead  import, planning and calls of the Python package beside JAX's; writes docs/results/python-overhead.md
.PHONY: python-overhead
python-overhead: setup
	$(MAKE) python
	$(PYTHON) benchmarks/python_overhead.py

# help: search-grid    what the search finds, against experts and other searches; writes docs/results/search*.md
.PHONY: search-grid
search-grid: setup
	$(MAKE) build
	$(PYTHON) benchmarks/search_grid.py --budget 5s
	$(PYTHON) benchmarks/search_grid.py --part growth

# help: search-proofs  the search against exhaustive search, two minutes a cell (over an hour); writes docs/results/search-proofs.md
.PHONY: search-proofs
search-proofs: setup
	$(MAKE) build
	$(PYTHON) benchmarks/search_grid.py --part proofs --budget 3s

# help: clean          remove everything that was built or installed here
.PHONY: clean
clean:
	rm -rf build $(VENV) .venv-previous
