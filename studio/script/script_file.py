"""Reads the flow out of the file of a script."""

import importlib
import sys
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import CodeType, ModuleType

from studio.errors import UsageError
from studio.script.flow import Flow

NAME = "stepwire_script"
"""What the module of a script is called that is read here: not `__main__`, so that nothing of it runs."""


def flow_of(path: Path) -> Flow:
    """Read a script, or that of the package in a folder, and give its flow.

    Its module is executed, and runs on this very copy of the kit, not on one beside it. Raises `UsageError`
    for a file without a flow or with several, and whatever the module raises.
    """
    path = path.resolve()
    importlib.import_module("stepwire_kit.nodes")
    made = _module(path / "script.py" if path.is_dir() else path)
    found = {id(one): one for one in vars(made).values() if isinstance(one, Flow)}
    flows = [*found.values()]
    if len(flows) != 1:
        many = "no flow" if not flows else f"{len(flows)} flows"
        raise UsageError(f"`{path}` has {many}.", hint='One `flow = Flow("…")` is expected.')
    return flows[0]


def _module(path: Path) -> ModuleType:
    spec = spec_from_file_location(NAME, path, loader=_AsItStands(NAME, str(path)))
    if spec is None or spec.loader is None:
        raise UsageError(f"`{path}` is no Python script.")
    module = module_from_spec(spec)
    sys.modules[NAME] = module
    sys.path.insert(0, str(path.parent))  # as Python does for a script that it runs
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(path.parent))
    return module


class _AsItStands(SourceFileLoader):
    """Compiles a script each time: one that was edited twice in a second is not taken for the earlier one."""

    def get_code(self, fullname: str) -> CodeType:  # noqa: ARG002  # as the loader calls it
        return self.source_to_code(self.get_data(self.path), self.path)
