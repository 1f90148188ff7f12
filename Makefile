# The commands of this project; `make` lists them.
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
FUZZ_SECONDS ?= 30
FUZZ_RUNS ?=
NIGHT_FUZZ_SECONDS ?= 3600
RANDOM_SEEDS ?= 4000
RANDOM_FIRST ?= 1

MAKEFLAGS += --no-print-directory
BUILD := cmake --build
CPP_FILES = $(shell find $(wildcard include src cli python tests bench benchmarks operations examples) -name '*.[ch]pp' -not -path '*/.*')

PY_FILES = $(shell find $(wildcard python tools tests bench docs) -name '*.py' -not -path '*/.*')

.PHONY: help setup build python demo test bench bench-peers benchmarks operations verify verify-night all-code-test more-tests browser-test notebooks fuzz wheel docs pictures format format-check schema install clean
.NOTPARALLEL:

help:  ## list these targets
	@sed -n 's/^\([a-z-]*\):.*## /  make \1\t/p' Makefile | expand -t 22

setup:  ## install the Debian packages needed (silent if none is missing)
	@tools/setup

build: setup  ## build the tool, build/gough
	@[ -x build/gough ] || echo "gough: the first build takes about four minutes on two cores; [n/m] counts its steps"
	@cmake --preset release >/dev/null
	@$(BUILD) build -j$(JOBS) --target gough_cli

python: setup  ## build the Python package for trying: PYTHONPATH=build/python build/venv/bin/python
	@cmake --preset release $$(tools/python_env) >/dev/null
	@$(BUILD) build -j$(JOBS) --target gough_python gough_python_modules

demo: build  ## build, check a hexapod, run a study of it and write its report
	build/gough check robots/hexapod.yaml
	@echo
	build/gough run studies/hexapod_circle.yaml
	@echo
	@echo "Open $(CURDIR)/results/hexapod_circle/report.html in a browser: animation, plots, tables."
	@echo
	@echo "This read a Stewart-Gough hexapod from one file, cut and closed its loops, counted its degrees"
	@echo "of freedom, looked for redundant equations and idle joints, and measured how near its home pose"
	@echo "is to a singularity. Next: build/gough view robots/hexapod.yaml shows it with sliders and follows"
	@echo "the file as you change it; try another of robots/, or see build/gough --help. Open README.md and"
	@echo "docs/kinematics.md for what else there is."

test: setup  ## build everything, check the format, run all tests
	@cmake --preset release $$(tools/python_env) >/dev/null
	@$(BUILD) build -j$(JOBS)
	@$(MAKE) format-check
	@ctest --test-dir build -j$(JOBS) --output-on-failure --no-tests=error

bench: setup  ## build and run the benchmarks, write docs/performance.md
	@cmake --preset release -DGOUGH_BENCH=ON $$(tools/python_env) >/dev/null
	@$(BUILD) build -j$(JOBS) --target gough_bench gough_python gough_python_modules
	@build/gough_bench --benchmark_out=build/times.json --benchmark_out_format=json
	@python3 bench/roofline.py build/times.json docs/pictures/roofline.svg
	@PYTHONPATH=build/python build/venv/bin/python bench/python_bench.py build/python_times.json
	@python3 bench/page.py build/times.json build/python_times.json .

bench-peers: setup  ## compare with Pinocchio, MuJoCo, Simbody and DART (installs them), write docs/peers.md
	@tools/setup peers
	@cmake --preset release -DGOUGH_PEERS=ON >/dev/null
	@$(BUILD) build -j$(JOBS) --target peers
	@python3 bench/peers/page.py build .

benchmarks: setup  ## compute the published benchmarks, write docs/benchmarks.md
	@cmake --preset release >/dev/null
	@$(BUILD) build -j$(JOBS) --target gough_benchmarks
	@build/gough_benchmarks .

operations: setup  ## count the operations of generated code, write docs/operations.md
	@cmake --preset release >/dev/null
	@$(BUILD) build -j$(JOBS) --target gough_operations
	@build/gough_operations .

verify:  ## test; all generated code; browser; notebooks; wheel; clang-tidy; tests with sanitizers; fuzzing for FUZZ_SECONDS
	@tools/setup verify
	@echo "== build without ccache, against its budget"
	@tools/build_time --check
	@$(MAKE) test
	@$(MAKE) notebooks
	@$(MAKE) wheel
	@$(MAKE) all-code-test
	@$(MAKE) more-tests
	@$(MAKE) browser-test
	@echo "== clang-tidy"
	@cmake --preset verify >/dev/null
	@tools/tidy build/verify
	@echo "== tests with address and undefined-behaviour sanitizers"
	@$(BUILD) build/verify -j$(JOBS)
	@ctest --test-dir build/verify -j$(JOBS) --output-on-failure --no-tests=error
	@$(MAKE) fuzz
	@echo "verify: tests, notebooks, wheel, all generated code, sanitizers, clang-tidy, browser and fuzzing passed"

verify-night:  ## verify, fuzzing each reader for NIGHT_FUZZ_SECONDS
	@$(MAKE) verify FUZZ_SECONDS=$(NIGHT_FUZZ_SECONDS)

fuzz: fuzz-robot_file fuzz-motion_file fuzz-study_file fuzz-table fuzz-command_line  ## change inputs of every reader for FUZZ_SECONDS each, or FUZZ_RUNS times (part of verify)

# Seeds are the shipped files, those written by hand and those that once went wrong; what is found joins them in build/fuzz.
fuzz-robot_file: CORPUS = robots
fuzz-motion_file: CORPUS = motions
fuzz-study_file: CORPUS = studies
fuzz-table: CORPUS = tests/fuzz/inputs

fuzz-%:
	@cmake --preset verify >/dev/null
	@$(BUILD) build/verify -j$(JOBS) --target $*_fuzz
	@echo "== fuzzing $*: $(if $(FUZZ_RUNS),$(FUZZ_RUNS) runs,$(FUZZ_SECONDS) s)"
	@mkdir -p build/fuzz/$* build/fuzz/scratch
	@TMPDIR=$(CURDIR)/build/fuzz/scratch build/verify/tests/fuzz/$*_fuzz \
	  $(if $(FUZZ_RUNS),-runs=$(FUZZ_RUNS),-max_total_time=$(FUZZ_SECONDS)) -timeout=10 -rss_limit_mb=4096 -max_len=20000 \
	  -print_final_stats=1 -artifact_prefix=$(CURDIR)/build/fuzz/ \
	  build/fuzz/$* tests/fuzz/seeds/$* $(CORPUS) >build/fuzz/$*.log 2>&1 || { tail -n 50 build/fuzz/$*.log; exit 1; }
	@grep number_of_executed_units build/fuzz/$*.log

all-code-test:  ## generated code of every robot, compiled by gcc and clang, beside the library (part of verify)
	@cmake --preset release >/dev/null
	@$(BUILD) build -j$(JOBS) --target gough_tests
	@echo "== generated code of every robot"
	@ctest --test-dir build -C all_code -R all_code -j$(JOBS) --output-on-failure --no-tests=error

more-tests: setup  ## RANDOM_SEEDS random mechanisms from RANDOM_FIRST on, and every robot in every variant (part of verify)
	@cmake --preset release $$(tools/python_env) >/dev/null
	@$(BUILD) build -j$(JOBS) --target gough_tests
	@echo "== random mechanisms, and all variants of all robots"
	@GOUGH_RANDOM_SEEDS=$(RANDOM_SEEDS) GOUGH_RANDOM_FIRST=$(RANDOM_FIRST) GOUGH_VARIANT_SEEDS=1 \
	  build/gough_tests --gtest_brief=1 --gtest_filter='*Random*:*Variant*:FastPaths*'

browser-test:  ## the pages of report and view in a real browser (part of verify)
	@tools/setup verify
	@$(MAKE) build
	@echo "== report and view in Chromium"
	@cd viewer && GOUGH_TOOL=$(CURDIR)/build/gough node --test --test-concurrency=1 --test-reporter=spec test/*.test.mjs

notebooks: python  ## execute docs/notebooks into build/notebooks (part of verify)
	@tools/python_env notebook >/dev/null
	@echo "== notebooks"
	@PYTHONPATH=$(CURDIR)/build/python build/venv/bin/python tools/notebooks.py docs/notebooks build/notebooks

wheel:  ## build a wheel, install it into a clean environment and try it there (part of verify)
	@tools/python_env notebook >/dev/null
	@echo "== wheel"
	@python/tests/wheel.sh build/venv/bin/python

docs: build notebooks  ## the documentation as a site that needs no network, build/site/index.html
	@tools/setup docs
	@$(MAKE) -s build/docs-venv/installed
	@python3 tools/docs/keys.py
	@python3 tools/docs/commands.py
	@PYTHONPATH=build/python build/venv/bin/python tools/docs/python_api.py
	@rm -rf build/cpp && mkdir -p build/cpp && doxygen docs/Doxyfile
	@NO_MKDOCS_2_WARNING=1 build/docs-venv/bin/mkdocs build --strict -q
	@cp -r build/cpp/html build/site/cpp
	@python3 tools/docs/check_site.py build/site
	@echo "open build/site/index.html in a browser"

pictures: build  ## take the documentation's screenshots again (PICTURES="modes ..": these; see viewer/pictures.mjs)
	@tools/setup verify
	@cd viewer && GOUGH_TOOL=$(CURDIR)/build/gough node pictures.mjs $(PICTURES)

build/docs-venv/installed: docs/requirements.txt
	@python3 -m venv build/docs-venv
	@build/docs-venv/bin/python -m pip install -q --disable-pip-version-check -r docs/requirements.txt
	@touch $@

format:  ## format all C++ and Python files
	@clang-format -i $(CPP_FILES)
	@if [ -x build/venv/bin/ruff ]; then build/venv/bin/ruff format -q $(PY_FILES); fi

format-check:  ## check the format of all C++ and Python files
	@echo $(CPP_FILES) | xargs -n 40 -P $(JOBS) clang-format --dry-run --Werror || { echo "format-check: run 'make format'" >&2; exit 1; }
	@if [ -x build/venv/bin/ruff ]; then build/venv/bin/ruff format --check -q $(PY_FILES) && build/venv/bin/ruff check -q python || \
	  { echo "format-check: run 'make format'" >&2; exit 1; }; fi

schema: build  ## write the JSON Schemas of robot, motion and study files
	@mkdir -p schema
	@for kind in robot motion study; do build/gough schema $$kind > build/$$kind.schema.json && \
	  mv build/$$kind.schema.json schema/$$kind.schema.json || exit 1; done

install: build  ## install tool, library, robots, motions and studies under PREFIX
	@cmake --install build --prefix $(PREFIX)

clean:  ## remove build/
	@rm -rf build
