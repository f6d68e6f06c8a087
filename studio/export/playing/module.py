"""The module of a script that is played; a package is one as well, whatever file something stands in."""

import importlib
import importlib.util
import pkgutil
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

from studio.errors import ExportError

NAME = "stepwire_script"


def load_script(path: Path) -> ModuleType:
    """Read a script, or the package in a folder of this name; raises what it raises when it is read."""
    if path.is_dir():
        return _Files(_package(path))
    spec = importlib.util.spec_from_file_location(NAME, path)
    if spec is None or spec.loader is None:
        raise ExportError(f"`{path}` is no script of Python.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def is_own(found: object, module: ModuleType) -> bool:
    """Whether something was made by the script itself, and not imported by it."""
    homes = module.homes if isinstance(module, _Files) else {module.__name__}
    return getattr(found, "__module__", "") in homes


def _package(path: Path) -> list[ModuleType]:
    sys.path.insert(0, str(path.parent))
    package = importlib.import_module(path.name)
    names = [one.name for one in pkgutil.iter_modules([str(path)]) if one.name != "__main__"]
    return [package, *(importlib.import_module(f"{path.name}.{name}") for name in names)]


class _Files(ModuleType):
    """Has what is in any of the files; what is put in the place of something is so in all of them."""

    def __init__(self, modules: Sequence[ModuleType]) -> None:
        super().__init__(NAME)
        for one in modules:
            vars(self).update({name: value for name, value in vars(one).items() if name[:2] != "__"})
        vars(self).update(modules=modules, homes={one.__name__ for one in modules})

    homes: set[str]
    modules: Sequence[ModuleType]

    def __setattr__(self, name: str, value: object) -> None:
        for one in self.modules:
            if name in vars(one):
                setattr(one, name, value)
        vars(self)[name] = value
