# The two commands of a newcomer: `make race` and `make test`. Both set up what is missing first.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PRESET ?= quick
WORKLOAD ?=
OHA := 1.16.0
ENGINE := $(shell find engine launcher -name '*.rs' -not -path '*/fuzz/*' -o -name Cargo.toml -not -path '*/fuzz/*')

.PHONY: race test test-packages setup lint pytest cargo-test client-test bench tables studies picture schema clean

race: setup
	$(BIN)/deadheat race $(WORKLOAD) --preset $(PRESET) $(ARGS)

test: setup test-packages lint cargo-test client-test pytest

# A browser, a database, the instruments: only the tests need them all.
test-packages:
	@scripts/system-packages.sh system-packages-test.txt

# Packages, a virtual environment, our own programs in it. Runs again only where something changed.
setup: $(VENV)/.system $(VENV)/.installed

$(VENV)/.system: system-packages.txt scripts/system-packages.sh | $(VENV)/pyvenv.cfg
	@scripts/system-packages.sh
	@touch $@

$(VENV)/pyvenv.cfg:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml constraints.txt Cargo.toml Cargo.lock $(ENGINE) | $(VENV)/pyvenv.cfg
	@command -v cargo >/dev/null || { echo "setup: cargo not found: install Rust (Debian: apt-get install cargo), then make setup"; exit 1; }
	$(BIN)/pip install --quiet --constraint constraints.txt --editable '.[dev]'
	@touch $@

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	cargo fmt --all --check
	cargo clippy --quiet --all-targets --locked -- -D warnings

cargo-test: setup
	cargo test --quiet --locked

# The two Redis clients of ours are libraries with tests of their own.
client-test: setup
	cargo test --quiet --locked --manifest-path suite/redis-pipeline/rust-lean/Cargo.toml --target-dir target/rust-lean
	@if command -v crystal >/dev/null; then \
		cd suite/redis-pipeline/crystal-redis-client && crystal spec --no-color; \
	else echo "client-test: crystal not found (Debian: apt-get install crystal): its specs are not run"; fi

pytest: setup
	$(BIN)/pytest

# Our generator against its peers, side by side on this machine: ratios, written to docs/performance.md.
bench: setup
	@scripts/system-packages.sh system-packages-bench.txt
	@command -v oha >/dev/null || test -x .cache/bench/bin/oha || \
		cargo install --quiet --locked --root .cache/bench --version $(OHA) oha || echo "bench: oha could not be built, left out"
	@export PATH="$(CURDIR)/$(BIN):$(CURDIR)/.cache/bench/bin:$$PATH"; code=0; \
		$(BIN)/python -m bench.load --truth --memory --flames $(ARGS) || code=1; \
		$(BIN)/python bench/redis_clients.py --write docs/performance-redis.md || code=1; \
		$(BIN)/python -m bench.grpc_bars --write docs/grpc.md || code=1; \
		$(MAKE) tables || code=1; exit $$code

# What the statistics promise, tried on simulated machines (some 6 minutes): written to docs/method.md.
tables: setup
	$(BIN)/python bench/statistics_tables.py --write docs/method.md

# docs/studies/<study>.md, every figure from the results of these runs: make studies RUNS="runs/a runs/b"
studies: setup
	$(BIN)/python scripts/studies.py $(RUNS)

# Races whose truth is known, on this machine: an hour or more; ARGS="--budget 25m" ends it sooner, and the
# same command goes on from there. Its tables are written to docs/method.md.
calibrate-full: setup
	@$(BIN)/deadheat calibrate --full --races bench/calibration.jsonl $(ARGS); code=$$?; \
		$(BIN)/python bench/calibration_table.py --write docs/method.md && exit $$code

# The picture that README opens with and those of docs/reports.md, from a real run: RUN=ID where not the newest.
RUN ?= latest
picture: setup test-packages
	$(BIN)/deadheat report $(RUN) >/dev/null
	$(BIN)/deadheat show $(RUN) --workload http-hello --image docs/images/race.png
	$(BIN)/deadheat show $(RUN) --workload http-hello --dark --image docs/images/race-dark.png
	$(BIN)/python scripts/pictures.py $(RUN)

schema: setup
	$(BIN)/python -m deadheat.schema docs/schema

clean:
	rm -rf $(VENV) target
