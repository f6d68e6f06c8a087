"""Refuses `shiboken6` where this folder is on PYTHONPATH: nothing outside tests/ui needs it."""

raise ModuleNotFoundError("shiboken6 is refused outside tests/ui", name="shiboken6")
