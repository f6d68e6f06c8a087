# Two commands for everyone (run, test) and one for whoever changes the code (check).
# All set-up is in .ci/setup, which does nothing when .venv still fits pyproject.toml.

.PHONY: run test check clean
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

# Four at a time at most: each worker starts a Qt of its own.
test:
	@.ci/setup dev
	@QT_QPA_PLATFORM=offscreen .venv/bin/python -m pytest -q -n auto --maxprocesses=4 --dist loadfile

check:
	@.ci/run

clean:
	rm -rf .venv .venv-headless build dist .pytest_cache .ruff_cache .hypothesis .import_linter_cache
