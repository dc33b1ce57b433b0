# Every recipe is a plain command; README.md says how to do without make.
SHELL := /bin/sh
python := .venv/bin/python
LECTURE ?=
number = $(firstword $(subst _, ,$(LECTURE)))
SEEDS ?= 0,1,2
ONLY ?=
SEED ?=
LECTURES ?=
dry = $(if $(DRY),--dry)

.DEFAULT_GOAL := help
.PHONY: help run test test-fast check lab progress notebook notebooks slides lecturer site exam instructor handout full results bench \
	lock clean colab-zip colab-check visit

help: ## say what each target does
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: .venv/installed ## run every lecture in the quick profile (build/run); needs nothing but Python
	$(python) -m tools.notebook --into build/run

test: .venv/installed ## check style, run the tests and the committed notebooks
	$(python) -m ruff check .
	$(python) -m ruff format --check .
	$(python) -m pytest -n 3 --dist worksteal
	$(python) -m tools.nbval

test-fast: .venv/installed ## the quick ones of these tests, for the daily round
	$(python) -m pytest -n 3 --dist worksteal -m "not slow"

check: .venv/installed ## one lecture's exercises, rules and drawings: LECTURE=06_transformer
	$(python) -m pytest -n 3 --dist worksteal -k "$(LECTURE) or lecture_$(number)_ or [$(number)_ or [$(number)."

lab: .venv/installed ## open your own copies of the notebooks (work/) in JupyterLab
	$(python) -m tools.lab

progress: .venv/installed ## say which exercises you have solved in work/
	$(python) -m tools.lab progress

notebook: .venv/installed ## build one committed notebook: LECTURE=06_transformer
	$(python) -m tools.notebook "$(LECTURE)" --into notebooks $(dry)

notebooks: .venv/installed ## build the committed notebooks, running those whose code has changed [DRY=1: say which]
	$(python) -m tools.notebook --into notebooks $(dry)
	$(if $(DRY),,$(python) -m tools.colab_cell)

slides: .venv/installed ## build the decks, one offline file each (build/slides)
	$(python) -m tools.slides

lecturer: .venv/installed ## the folder to take to class: decks, PDFs, solutions, exams (build/lecturer)
	$(python) -m tools.lecturer

exam: .venv/installed ## draw an exam paper with its key (build/exam): SEED=7 LECTURES=01,02,03
	$(python) -m tools.exam --seed "$(SEED)" --lectures "$(LECTURES)"

site: .venv/installed ## the course as web pages, with search and glossary (build/site)
	$(python) -m tools.site

instructor: .venv/installed ## build the notebooks with solutions and speaker notes (build/instructor)
	$(python) -m tools.notebook --for instructor --into build/instructor

handout: .venv/installed ## build the notebooks of students who get no solutions (build/handout)
	$(python) -m tools.notebook --for handout --into build/handout

full: .venv/installed ## train on the real data and record: LECTURE=… SEEDS=0,1,2 [ONLY="train(seed)"]
	$(python) -m tools.full "$(LECTURE)" --seeds "$(SEEDS)" --only "$(ONLY)"

results: .venv/installed ## write RESULTS.md from the recorded runs
	$(python) -m tools.results

bench: .venv/installed .peers/installed ## measure speeds and record them in results/ (nothing else should run)
	COURSE_PROFILE=full COURSE_RESULTS=results $(python) -m benchmarks.peers
	COURSE_PROFILE=full COURSE_RESULTS=results KERAS_BACKEND=jax $(python) -m benchmarks.growth
	COURSE_PROFILE=full COURSE_RESULTS=results $(python) -m benchmarks.sessions
	COURSE_PROFILE=full COURSE_RESULTS=results $(python) -m benchmarks.by_length
	COURSE_PROFILE=full COURSE_RESULTS=results KERAS_BACKEND=jax $(python) -m benchmarks.by_length step-time mixing-cost
	COURSE_PROFILE=full COURSE_RESULTS=results $(python) -m benchmarks.length_buckets
	COURSE_PROFILE=full COURSE_RESULTS=results KERAS_BACKEND=jax $(python) -m benchmarks.length_buckets
	COURSE_PROFILE=full COURSE_RESULTS=results $(python) -m benchmarks.cached_decoding

lock: .venv/installed ## pin every version again in requirements.lock
	.venv/bin/uv pip compile pyproject.toml --extra dev --extra jax --universal --python-version 3.11 --custom-compile-command "make lock" --upgrade -o requirements.lock

clean: ## remove what was built (build/, course.zip, caches); notebooks/ and .venv stay
	rm -rf build course.zip .pytest_cache .ruff_cache

colab-zip: .venv/installed ## write course.zip, to hand the course out without a public repository
	$(python) -m tools.colab_zip

colab-check: .venv/installed ## run the notebooks in a replica of Colab's image
	$(python) -m tools.colab_check

visit: ## clone the course and run every command that it offers, as a stranger would (up to half an hour)
	.ci/visit

.venv/installed: requirements.lock
	@sh tools/make_venv.sh

# torch and timm, which only `make bench` compares with.
.peers/installed: benchmarks/peers.txt
	.venv/bin/uv venv --clear --python .venv/bin/python .peers
	.venv/bin/uv pip install --python .peers/bin/python -r benchmarks/peers.txt
	touch $@
