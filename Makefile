# The two commands of a newcomer: `make race` and `make test`. Both set up what is missing first.

PYTHON ?=
VENV := .venv
BIN := $(VENV)/bin
PRESET ?= quick
WORKLOAD ?=
OHA := 1.16.0
LLVM_COV := 0.9.1
# Percent of lines that tests are to reach (22 November 2026: 94.3 of Python, 88 of Rust; commit f6a1ed6: 92.0 and 85.0).
PYTHON_FLOOR := 93
RUST_FLOOR := 88
# Tests mostly wait, so there are more workers than cores.
WORKERS ?= $(shell expr 2 '*' $$(nproc))
PARALLEL = -n $(WORKERS) --dist worksteal
# Tests start `deadheat` hundreds of times: not from its sources each time.
unexport PYTHONDONTWRITEBYTECODE
# Rooms whose tests start no server and no race.
PURE := $(addprefix tests/,plan results suite storage studies report/test_*.py bench/test_[glr]*.py)
ENGINE := $(shell find engine launcher -name '*.rs' -not -path '*/fuzz/*' -o -name Cargo.toml -not -path '*/fuzz/*')

.PHONY: race test check coverage test-space test-packages setup lint pytest cargo-test client-test bench tables studies pages studies-from-copies picture schema map glossary test-bare wheel sdist static docs clean

race: setup
	$(BIN)/deadheat race $(WORKLOAD) --preset $(PRESET) $(ARGS)

test: test-space setup test-packages
	@$(BIN)/python scripts/side_by_side.py target/tests \
		$(foreach part,lint cargo-test client-test pytest,"$(part)=$(MAKE) --no-print-directory $(part)")

# The inner loop, below a minute: format, lint, types, contracts, and the tests that need nothing started.
check: lint
	$(BIN)/pytest $(PARALLEL) $(PURE)

test-space:
	@scripts/test-space.sh

# A browser, a database, the instruments: only the tests need them all.
test-packages:
	@scripts/system-packages.sh system-packages-test.txt

# System packages, a virtual environment, our own programs in it. Runs again only where something changed.
setup: $(VENV)/.installed

$(VENV)/.system: system-packages.txt scripts/system-packages.sh scripts/setup.sh
	@PYTHON=$(PYTHON) scripts/setup.sh system

$(VENV)/.installed: pyproject.toml constraints.txt Cargo.toml Cargo.lock $(ENGINE) | $(VENV)/.system
	@PYTHON=$(PYTHON) scripts/setup.sh programs

# Not every system has a formatter and a linter of the Rust that builds us (Debian 12 has no such linter).
optional = if $(1) --version >/dev/null 2>&1; then echo '$(2)'; $(2); else echo 'lint: $(1) not found: not run'; fi

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	@$(call optional,cargo fmt,cargo fmt --all --check)
	@$(call optional,cargo clippy,cargo clippy --quiet --all-targets --locked -- -D warnings)

# As pytest's: what fails beside other tests is tried once more, and said.
cargo-test: setup
	@cargo test --quiet --locked || { echo "cargo-test: once more"; cargo test --quiet --locked && \
		echo "cargo-test: passed the second time: what failed above is to be mended"; }

# The two Redis clients of ours are libraries with tests of their own.
client-test: setup
	cargo test --quiet --locked --manifest-path suite/redis-pipeline/rust-lean/Cargo.toml --target-dir target/rust-lean
	@if command -v crystal >/dev/null; then \
		cd suite/redis-pipeline/crystal-redis-client && crystal spec --no-color; \
	else echo "client-test: crystal not found (Debian: apt-get install crystal): its specs are not run"; fi

# Contenders in Rust are held to their answers here, not to their speed; what they depend on alike is compiled once
# (by a cargo older than 1.91, which keeps no folder for that, as often as it is used).
QUICK_RUST := CARGO_BUILD_BUILD_DIR=$(CURDIR)/target/contenders \
	$(foreach profile,RELEASE TUNED LTO,$(foreach setting,OPT_LEVEL=0 LTO=off CODEGEN_UNITS=16,\
	CARGO_PROFILE_$(profile)_$(setting)))

pytest: setup
	@env $(QUICK_RUST) scripts/pytest.sh $(BIN)/pytest $(PARALLEL)

# Which lines the tests reach, of Python (its processes too) and of Rust; fails below the figures of today.
coverage: setup test-packages
	@code=0; $(BIN)/pytest $(PARALLEL) --cov --cov-fail-under=$(PYTHON_FLOOR) \
		--cov-report=term:skip-covered --cov-report=html:target/coverage/python || code=1; \
		scripts/rust-coverage.sh $(LLVM_COV) $(RUST_FLOOR) || code=1; exit $$code

# Our generator against its peers, side by side on this machine: ratios, written to docs/performance.md.
bench: setup
	@scripts/system-packages.sh system-packages-bench.txt
	@command -v oha >/dev/null || test -x .cache/bench/bin/oha || \
		cargo install --quiet --locked --root .cache/bench --version $(OHA) oha || echo "bench: oha could not be built, left out"
	@export PATH="$(CURDIR)/$(BIN):$(CURDIR)/.cache/bench/bin:$$PATH"; code=0; \
		$(BIN)/python -m bench.load --truth --memory --flames $(ARGS) || code=1; \
		$(BIN)/python -m bench.redis_clients --write docs/performance-redis.md || code=1; \
		$(BIN)/python -m bench.grpc_bars --write docs/grpc.md || code=1; \
		$(MAKE) tables || code=1; exit $$code

# What the statistics promise, tried on simulated machines (some 6 minutes): written to docs/method.md.
tables: setup
	$(BIN)/python -m bench.statistics_tables --write docs/method.md

# docs/studies/<study>.md: races each study by our method and by its own at the published length, hours in all, one
# race at a time, and writes the pages; again, it goes on where it stopped (ARGS=--dry-run says what and how long,
# ARGS='--study NAME' is one study). What was found is kept in docs/results: `make pages` writes the pages of
# that without a race, where a template or a study's file has changed.
studies: setup
	$(BIN)/python -m bench.study_runs $(ARGS)

pages: setup
	$(BIN)/python -m scripts.studies $(ARGS)

# The same, with the Crystal shards and the packages of Hex from copies: docs/elixir.md says what DIR holds.
studies-from-copies: setup
	@test -n "$(DIR)" || { echo 'make studies-from-copies DIR=FOLDER: see docs/elixir.md' >&2; exit 2; }
	$(BIN)/python -m bench.study_runs --copies $(DIR) $(ARGS)

# The long measurements of docs/method.md, on this machine: races whose truth is known, unlike servers beside
# neighbours, starts warmed for 60 s. Hours; ARGS="--budget 25m" ends it sooner, ARGS=--dry-run says what is left,
# and the same command goes on from there. The tables are written to docs/method.md.
calibrate-full: setup
	@$(BIN)/python -m bench.calibrate_full $(ARGS)

# The picture that README opens with and those of docs/reports.md, from a real run: RUN=ID where not the newest.
RUN ?= latest
picture: setup test-packages
	$(BIN)/deadheat report $(RUN) >/dev/null
	$(BIN)/deadheat show $(RUN) --workload http-hello --image docs/images/race.png
	$(BIN)/deadheat show $(RUN) --workload http-hello --dark --image docs/images/race-dark.png
	$(BIN)/python scripts/pictures.py $(RUN)

# The commands of a newcomer in minimal Debian roots made by debootstrap, as root: RELEASES="trixie bookworm",
# COMMANDS (one a line). Half an hour a release; not part of `make test`. Its table belongs into docs/install.md.
test-bare:
	@scripts/test-bare.sh $(RELEASES)

# A wheel for this machine, with both programs and the suite in it: dist/.
wheel: setup
	@rm -rf build/lib* build/bdist* # modules that are gone would be in it
	$(BIN)/pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir dist .
	@ls -l dist/*.whl

# The sources of a release: dist/.
sdist: setup
	$(BIN)/python -m build --quiet --sdist --outdir dist .
	@ls -l dist/*.tar.gz

# The load generator alone as one static binary, of musl, that needs nothing of a system: dist/.
static:
	@scripts/static.sh

# The site, from docs/ and the code: target/site/index.html, to be opened from disk or served by anything.
docs: setup
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --quiet --strict
	@echo target/site/index.html

schema: setup
	$(BIN)/python -m deadheat.model.schema docs/schema

# The rooms of src/deadheat and their imports, for docs/architecture.md.
map: setup
	$(BIN)/python scripts/map.py

# docs/glossary.md, from docs/glossary.toml.
glossary: setup
	$(BIN)/python scripts/glossary.py

clean:
	rm -rf $(VENV) target
