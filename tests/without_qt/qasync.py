"""Refuses `qasync` where this folder is on PYTHONPATH: nothing outside tests/ui needs it."""

raise ModuleNotFoundError("qasync is refused outside tests/ui", name="qasync")
