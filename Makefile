# Each target is one of `python -m tools`, which has their commands and needs no make.
SHELL := /bin/sh
tried := $(or $(PYTHON),python3.13 python3.12 python3.11 python3 python)
fits := import ensurepip, sys, venv; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))
# Running each finds version managers' shims, which exist but start nothing.
python := $(shell for one in .venv/bin/python $(tried); do \
	"$$one" -c '$(fits)' >/dev/null 2>&1 && echo "$$one" && break; done)
ifeq ($(python),)
$(error No Python 3.11, 3.12 or 3.13 with its venv module was found (tried: $(tried)). Install one \
	from python.org or, on Debian and Ubuntu, python3 and python3-venv (where these are newer: uv \
	python install 3.12); or name one: PYTHON=/path/to/python make run)
endif
targets := $(shell $(python) -c 'from tools.__main__ import TARGETS; print(*TARGETS)')

.DEFAULT_GOAL := help
.PHONY: $(targets)
$(targets):
	@$(python) -m tools $@
