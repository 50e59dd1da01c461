# Everything runs from a plain checkout with Python and make: the first target you call makes `.venv`.
#
#   make demo     train LeNet on real images        make bench        ours, torch and the real MXNet, side by side
#   make test     the tests, sampled (10 minutes)  make oracle       record the fixtures from the real MXNet again
#   make check    format, lint, types, stubs       make oracle-env   only make the environment of the real MXNet
#   make format   format and fix what can be       make clean        remove environments and caches
#   make stubs    typed stubs for editors          make oracle-check the real MXNet runs what this library exports
#   make native   compile the native kernels       make wheel        a wheel, with kernels if there is a compiler
#   make docs     the site, into build/site        make docs-test    the site in a real browser (needs Chromium)
#
#   make faults   kill, fill up and protect what saves files, 1,000 times
#   make fuzz     damaged files for every reader, then drawn networks; ARGS="--seconds 60" or "--count 10000000"
#   make sanitize the kernels with ASan and UBSan under their tests and the differential suite
#   make peers    other people's test suites, here and on the real MXNet: PEERS=folder-of-checkouts
#   make test-gpu the tests that need a GPU
#   make test-fast   the most telling tests, for use while editing: under a minute on two idle cores
#   make test-all    every test: all recorded cases in every mode, long differential runs
#   make test-matrix the tests on every installed Python, and with the oldest torch and NumPy; ARGS="tests/gluon -x"
#   make release  build, compare and try what would be published; it publishes nothing. ARGS="--dirty" to rehearse

PYTHON ?= python3
ORACLE_PYTHON ?= python3.11
WORKERS ?= 2

BIN := .venv/bin
DEMO_INSTALLED := .venv/.demo-installed
INSTALLED := .venv/.installed
DOCS_INSTALLED := .venv/.docs-installed
RELEASE_INSTALLED := .venv/.release-installed
ORACLE := .oracle/bin/python
ORACLE_INSTALLED := .oracle/.installed
PIP_INSTALL := -m pip install --disable-pip-version-check --no-input
PYTEST := -m pytest -n $(WORKERS) --dist worksteal -q
SOURCES := $(wildcard src tests tools examples benchmarks)
CPP_SOURCES := src/regluon/native/*.cpp src/regluon/native/*.h

.DEFAULT_GOAL := help
.PHONY: help demo native wheel test test-fast test-all test-matrix test-gpu fuzz sanitize peers check format stubs \
  bench faults oracle oracle-check oracle-env docs docs-test release clean

help:
	@sed -n 's/^#   /  /p' Makefile

demo: $(DEMO_INSTALLED)
	@$(BIN)/python examples/lenet.py

native: $(DEMO_INSTALLED)
	@$(BIN)/python -m regluon.native

wheel: $(INSTALLED)
	$(BIN)/python -m pip wheel . --no-build-isolation --no-deps -w dist

# MXNET_NATIVE chooses kernels: 0 for PyTorch's, 1 or a level (x86-64-v3) for native ones, which must have been built.
test: $(INSTALLED)
	$(if $(ARGS),,@echo "A sample of the tests: about 7 minutes on two cores. All of them: make test-all")
	@$(BIN)/python $(PYTEST) --durations=10 $(ARGS)

# tests/fast.txt lists whole files, because a path with :: would switch sampling off. Keep their CPU time below 100 s.
test-fast: $(INSTALLED)
	@$(BIN)/python $(PYTEST) $(ARGS) @tests/fast.txt

test-all: $(INSTALLED)
	$(if $(ARGS),,@echo "Every test: about 10 minutes on two cores.")
	@$(BIN)/python $(PYTEST) --durations=10 --exhaustive $(ARGS)

# clang-tidy reads the sources of a library as one file, because torch's headers take longer to read than our sources: the
# first source includes the others. Both libraries take about 20 s of CPU. The standard headers are those of the compiler.
TIDY_INPUT = import os, sysconfig; from torch.utils.cpp_extension import include_paths; \
  from regluon.native.compiling import files_of; first, *others = map(os.path.relpath, files_of('regluon_$(1)')); \
  folders = map(os.path.relpath, [*include_paths(), sysconfig.get_paths()['include']]); \
  print(first, '-- -std=c++20', *('-isystem' + path for path in folders), *('-include' + path for path in others))
define tidy
	@if ! { command -v c++ || command -v g++ || command -v clang++; } >/dev/null; then \
	  echo "clang-tidy is skipped: there is no C++ compiler"; \
	else echo "$(BIN)/clang-tidy: $(1)"; $(BIN)/clang-tidy --quiet $(2) $$($(BIN)/python -c "$(TIDY_INPUT)"); fi
endef

check: $(INSTALLED)
	$(BIN)/ruff format --check $(SOURCES)
	$(BIN)/ruff check $(SOURCES)
	$(BIN)/clang-format --dry-run -Werror $(CPP_SOURCES)
	$(BIN)/python tools/stubs.py
	$(BIN)/mypy
	$(BIN)/python -m tools.type_check
	$(call tidy,kernels)
	$(call tidy,runner)

format: $(INSTALLED)
	$(BIN)/ruff format $(SOURCES)
	$(BIN)/ruff check --fix $(SOURCES)
	$(call tidy,kernels,--fix --warnings-as-errors=-*)
	$(call tidy,runner,--fix --warnings-as-errors=-*)
	$(BIN)/clang-format -i $(CPP_SOURCES)

stubs: $(INSTALLED)
	$(BIN)/python tools/stubs.py

bench: $(INSTALLED) oracle-env
	$(BIN)/python benchmarks/run.py $(ARGS)

test-gpu: $(INSTALLED)
	$(BIN)/python -m pytest -q -m gpu tests/gpu $(ARGS)

# NOX chooses sessions: make test-matrix NOX="-s newest-3.12".
test-matrix: $(RELEASE_INSTALLED)
	$(BIN)/python -m nox $(NOX) -- $(ARGS)

release: $(RELEASE_INSTALLED)
	$(BIN)/python -m tools.release $(ARGS)

fuzz: $(INSTALLED)
	OMP_NUM_THREADS=1 $(BIN)/python -m tools.fuzz $(or $(ARGS),--seconds 600)
	$(BIN)/python -m pytest -q tests/differential --hypothesis-profile=fuzz

sanitize: $(INSTALLED)
	$(BIN)/python tools/sanitize.py $(ARGS)

docs: $(DOCS_INSTALLED)
	$(BIN)/python -m tools.docs.build

docs-test: docs
	$(BIN)/python -m pytest -q -m site tests/tools/docs $(ARGS)

peers: $(INSTALLED) oracle-env
	$(BIN)/python tools/peers/run.py $(PEERS) --oracle $(ORACLE) $(ARGS)

faults: $(INSTALLED)
	$(BIN)/python -m tools.faults $(ARGS)

oracle: oracle-env
	@for recorder in tools/oracle/record_*.py; do \
		echo "$$recorder"; $(ORACLE) -m tools.oracle.$$(basename $$recorder .py) || exit 1; \
	done

oracle-check: $(INSTALLED) oracle-env
	$(BIN)/python -m tools.oracle.check_exports write build/exports
	$(ORACLE) -m tools.oracle.check_exports read build/exports

oracle-env: $(ORACLE_INSTALLED)

# A working environment is kept and updated; a missing or broken one is made anew. The demo needs few packages, the
# tests need more: each target installs its own.
$(DEMO_INSTALLED): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || \
	  { echo "make: $(PYTHON) is missing or older than Python 3.10; name a newer one: make PYTHON=python3.12 ..." >&2; exit 1; }
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || \
	  { echo "Making .venv and installing PyTorch: once, a few minutes."; $(PYTHON) -m venv --clear .venv; }
	@$(BIN)/python $(PIP_INSTALL) -c constraints.txt -e '.[examples]'
	@touch $@

$(INSTALLED): $(DEMO_INSTALLED)
	@$(BIN)/python $(PIP_INSTALL) -c constraints.txt -e '.[dev]'
	@touch $@

$(DOCS_INSTALLED): $(INSTALLED)
	@$(BIN)/python $(PIP_INSTALL) -c constraints.txt -e '.[docs]'
	@touch $@

$(RELEASE_INSTALLED): $(INSTALLED) tools/packaging/requirements.txt
	@$(BIN)/python $(PIP_INSTALL) -c constraints.txt -r tools/packaging/requirements.txt
	@touch $@

# MXNet 1.9.1 needs NumPy before 1.24, and so a Python no newer than 3.11.
$(ORACLE_INSTALLED): tools/oracle/requirements.txt
	@$(ORACLE_PYTHON) -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' || \
	  { echo "make: the real MXNet 1.9.1 needs Python 3.11; say where it is: make ORACLE_PYTHON=python3.11 ..." >&2; exit 1; }
	@$(ORACLE) -m pip --version >/dev/null 2>&1 || $(ORACLE_PYTHON) -m venv --clear .oracle
	@$(ORACLE) $(PIP_INSTALL) -r tools/oracle/requirements.txt
	@touch $@

clean:
	rm -rf .venv .oracle build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
	find src -name '*.egg-info' -type d -prune -exec rm -rf {} +
