# Every recipe is a plain command, which README.md gives for machines without make.
SHELL := /bin/sh
PYTHON := .venv/bin/python
LECTURE ?=
SEEDS ?= 0,1,2

.DEFAULT_GOAL := help
.PHONY: help run test lab notebooks slides instructor full results lock clean colab-zip colab-check

help: ## say what each target does
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: .venv/installed ## run every lecture in the quick profile (build/run); needs nothing but Python
	$(PYTHON) -m tools.build --reuse --into build/run

test: .venv/installed ## check style, run the tests and the committed notebooks
	$(PYTHON) -m ruff check .
	$(PYTHON) -m ruff format --check .
	$(PYTHON) -m pytest -n 2
	$(PYTHON) -m tools.nbval

lab: .venv/installed ## open the notebooks in JupyterLab
	$(PYTHON) -m jupyterlab notebooks

notebooks: .venv/installed ## build the committed notebooks from lectures/
	$(PYTHON) -m tools.build --into notebooks

slides: .venv/installed ## build the decks, one offline file each (build/slides)
	$(PYTHON) -m tools.slides

instructor: .venv/installed ## build the notebooks with solutions and speaker notes (build/instructor)
	$(PYTHON) -m tools.build --instructor --reuse --into build/instructor

full: .venv/installed ## train on the real data and record: LECTURE=01_imdb_embeddings SEEDS=0,1,2
	$(PYTHON) -m tools.full "$(LECTURE)" --seeds "$(SEEDS)"

results: .venv/installed ## write RESULTS.md from the recorded runs
	$(PYTHON) -m tools.results

lock: .venv/installed ## pin every version anew in requirements.lock
	.venv/bin/uv pip compile pyproject.toml --extra dev --extra jax --universal --python-version 3.11 --custom-compile-command "make lock" --upgrade -o requirements.lock

clean: ## remove what was built (build/, course.zip, caches); notebooks/ and .venv stay
	rm -rf build course.zip .pytest_cache .ruff_cache

colab-zip: .venv/installed ## write course.zip, to hand the course out without a public repository
	$(PYTHON) -m tools.colab_zip

colab-check: .venv/installed ## run the notebooks in a replica of Colab's image
	$(PYTHON) -m tools.colab_check

.venv/installed: requirements.lock
	@sh tools/make_venv.sh
