# make demo | quick | test | thorough | check | texts | site | bench | gallery | pictures | conformance | fuzz | wheels — each sets up .venv first. PYTHON picks the interpreter (3.11 or newer).
# quick: the tests that need no Spark and no browser and are not slow, with fewer examples, in a minute or two;
# test: all of them; thorough: with four times as many examples, at random. The examples of the others are the same in every run.
PYTHON ?= python3
BIN := .venv/bin
PEERS := .venv-peers/bin
ROWS ?= 3e6
SECONDS ?= 60
PYTHONS ?= python3.11 python3.12 python3.13
DEMO := build/demo

# Whatever the environment says, Python keeps what it has compiled: the tests start it hundreds of times.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo quick test thorough check texts site bench gallery pictures conformance fuzz wheels clean

# Modules are compiled when they are imported first: most of them never are.
# The tools that tests compare with pin old versions or want packages that are not needed for it: they run on newer ones.
.venv/.ready: pyproject.toml constraints.txt tests/peers.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: make PYTHON=python3.11 ...")'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --no-compile --constraint constraints.txt --editable '.[dev]'
	$(BIN)/python -m pip install --quiet --no-compile --no-deps --requirement tests/peers.txt
	touch $@

# What each process of the tests would compile at the same time.
.venv/.compiled: .venv/.ready
	$(BIN)/python -m pytest --collect-only -qq > /dev/null || true
	touch $@

# The peers pin old versions of what we use, so they live in an environment of their own.
.venv-peers/.ready: benchmarks/peers.txt
	$(PYTHON) -m venv .venv-peers
	$(PEERS)/python -m pip install --quiet --requirement benchmarks/peers.txt
	$(PEERS)/python -m pip install --quiet --no-deps anjana==1.2.3 beartype==0.22.2  # it pins another pyCANON
	touch $@

# The command `petworks demo`, in the language of the system. Writes only below build/demo.
demo: .venv/.ready
	@rm -rf $(DEMO)
	@$(BIN)/petworks demo $(DEMO)

quick: .venv/.compiled
	HYPOTHESIS_PROFILE=quick $(BIN)/python -m pytest --numprocesses auto -m 'not spark and not browser and not slow'

test: .venv/.compiled
	$(BIN)/python -m pytest --numprocesses auto

thorough: .venv/.compiled
	HYPOTHESIS_PROFILE=thorough $(BIN)/python -m pytest --numprocesses auto

check: .venv/.ready
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

# Brings the files of all languages up to date with the source, and lists what is to be translated.
texts: .venv/.ready
	$(BIN)/python tests/texts.py update

# The documentation site; open build/site/index.html.
site: .venv/.ready
	$(BIN)/python -m sphinx -q -W --keep-going -c docs/_site docs build/site

bench: .venv/.ready .venv-peers/.ready
	$(BIN)/python benchmarks/run.py --rows $(ROWS) --peers $(PEERS)/python
	$(BIN)/python benchmarks/anonymising.py --peers $(PEERS)/python
	$(BIN)/python benchmarks/releases.py --peers $(PEERS)/python
	$(BIN)/python benchmarks/samples.py --rows $(ROWS)

# The reports, in build/gallery; make site links them.
gallery: .venv/.ready
	$(BIN)/python docs/gallery/make_gallery.py tables docs/gallery
	$(BIN)/python docs/gallery/make_gallery.py reports build/gallery

# The pictures of the page, of the report and of charts, taken by tests; needs Chromium.
pictures: .venv/.ready
	PETWORKS_PICTURES=docs $(BIN)/python -m pytest tests/studio/test_workflow_browser.py tests/test_site.py tests/render/test_plots.py -k pictures

conformance: .venv/.ready .venv-peers/.ready
	$(BIN)/python docs/make_conformance.py --peers $(PEERS)/python

# make fuzz SECONDS=600; a saved failure: .venv/bin/python fuzz/run.py --repeat FILE
fuzz: .venv/.ready
	$(BIN)/python fuzz/run.py --seconds $(SECONDS)

# Each is installed alone, from the package index: several minutes. twine is needed for nothing else.
wheels: .venv/.ready
	$(BIN)/python -m pip install --quiet 'twine>=6,<8'
	$(BIN)/python wheels/run.py $(PYTHONS)

clean:
	rm -rf .venv .venv-peers build .pytest_cache .mypy_cache .ruff_cache .hypothesis .fuzz
	find . -name __pycache__ -prune -exec rm -rf {} +
