# Two commands for everyone (run, test); for whoever changes the code, the tests of the inner loop (quick; some of them:
# make quick ARGS="tests/nodes -k guard"), those of random examples with many (test-long), and all that CI asks for (check).
# All set-up is in .ci/setup, which does nothing when .venv still fits pyproject.toml.

.PHONY: run test quick test-long check clean
.DEFAULT_GOAL := run

# Without a display the example runs on the command line and prints its trace and its answer.
run:
	@.ci/setup run
	@if [ -n "$$DISPLAY$$WAYLAND_DISPLAY" ] || [ "$$(uname)" = Darwin ]; then \
		exec .venv/bin/stepwire projects/field_notes; \
	else \
		echo "No display: running the example on the command line."; \
		exec .venv/bin/stepwire run projects/field_notes --offline; \
	fi

test:
	@.ci/setup dev
	@.ci/test

quick:
	@.ci/setup dev
	@.ci/test quick $(ARGS)

test-long:
	@.ci/setup dev
	@.ci/test long

check:
	@.ci/run

clean:
	rm -rf .venv .venv-headless build dist .pytest_cache .ruff_cache .hypothesis .import_linter_cache
