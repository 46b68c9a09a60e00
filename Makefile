# `make run` and `make test` need python3 (3.11 or newer) and make, nothing else. See `make help`.

PYTHON ?= python3
EXTRAS ?=
ARGS   ?=

VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --disable-pip-version-check
# A stamp is named after what was installed, not when, so a fresh checkout of the same lock installs nothing.
KEY    := $(shell cat pyproject.toml requirements.lock requirements-dev.lock Makefile | cksum | cut -d ' ' -f 1)
comma  := ,
RUN    := $(VENV)/installed-run-$(KEY)
DEV    := $(VENV)/installed-dev-$(KEY)
EXTRA  := $(if $(EXTRAS),$(VENV)/installed-with-$(subst $(comma),-,$(EXTRAS))-$(KEY))

.DEFAULT_GOAL := help
.PHONY: help run test lint bench docs lock chromium

help:  ## Show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-9s %s\n", $$1, $$2 }' Makefile

run: $(RUN) $(EXTRA)  ## Open the app on the samples (EXTRAS=openai,anthropic adds providers; ARGS="--port 8600")
	$(BIN)/workbench run configs $(ARGS)

test: $(DEV) chromium  ## Check style, types and imports, then run every test (ARGS="-k card")
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest $(ARGS)

lint: $(DEV)  ## Check style, types and import direction
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(DEV) chromium  ## Measure, and print a table (ARGS="gated_call" for one)
	$(BIN)/python -m tests.bench $(ARGS)

docs: $(DEV)  ## Write the tables of docs/ again, from the code
	$(BIN)/python -m tests.cli_help
	$(BIN)/python -m tests.config_keys

lock: $(DEV)  ## Resolve the dependencies again (ARGS=--upgrade for the newest)
	$(BIN)/python -m pip install --quiet uv
	$(LOCK) --extra dev --output-file requirements-dev.lock $(ARGS) pyproject.toml
	$(LOCK) --constraints requirements-dev.lock --output-file requirements.lock $(ARGS) pyproject.toml

chromium: $(DEV)
	@$(BIN)/python -m tests.chromium --install

LOCK := $(BIN)/python -m uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-annotate --custom-compile-command "make lock" --group build

# What an install leaves: the packages of one lock file, then the project itself, editable.
define install
	$(PIP) install --quiet --require-hashes --requirement $(1)
	PYTHONWARNINGS=ignore $(PIP) install --quiet --no-deps --no-build-isolation --editable .
endef

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "Python 3.11 or newer is needed; name one with: make PYTHON=python3.12"; exit 1; }
	@$(PYTHON) -m venv --clear $(VENV) > /dev/null || { $(ADD_VENV) && $(PYTHON) -m venv --clear $(VENV); } || { \
	  rm -rf $(VENV); \
	  echo "python3 can't make a virtual environment here; on Debian: apt-get install python3-venv"; exit 1; }

# Debian keeps venv in a package of its own; root on such a machine needs no step by hand.
ADD_VENV = [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null && echo "Installing Debian's python3-venv" && \
	apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install --yes python3-venv > /dev/null

$(RUN): | $(BIN)/python
	@echo "Installing what the app needs into $(VENV) (once, about half a minute)"
	$(call install,requirements.lock)
	@touch $@

$(DEV): | $(BIN)/python
	@echo "Installing what the tests need into $(VENV) (once, about a minute)"
	$(call install,requirements-dev.lock)
	@touch $@ $(RUN)

# The versions are those the tests ran with.
$(EXTRA): $(RUN)
	@sed -n '/^[a-z0-9]/{s/ *\\$$//;p;}' requirements-dev.lock > $(VENV)/constraints.txt
	PYTHONWARNINGS=ignore $(PIP) install --quiet --no-build-isolation --constraint $(VENV)/constraints.txt --editable '.[$(EXTRAS)]'
	@touch $@
