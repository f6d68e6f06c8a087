"""The statements that import: Python's own modules, others, each sorted as linters do."""

import re
import sys
from collections.abc import Mapping

from studio.export.python.pieces import Origin


def import_lines(imports: Mapping[str, Origin]) -> str:
    """Write what imports these, given by what they are called."""
    plain: dict[str, str] = {}
    named: dict[str, list[str]] = {}
    for called, one in imports.items():
        if one.name:
            said = one.name if called == one.name else f"{one.name} as {called}"
            named.setdefault(one.module, []).append(said)
        else:
            is_renamed = called != one.module.partition(".")[0]
            plain[one.module] = f" as {called}" if is_renamed else ""
    groups: tuple[list[str], list[str]] = ([], [])
    for module, renamed in sorted(plain.items()):
        groups[not _is_standard(module)].append(f"import {module}{renamed}")
    for module, names in sorted(named.items()):
        groups[not _is_standard(module)].append(f"from {module} import {', '.join(sort_names(names))}")
    return "\n\n".join("\n".join(group) for group in groups if group)


def sort_names(names: list[str]) -> list[str]:
    """Put names in order: constants, classes, others; numbers in names by what they count."""
    return sorted(names, key=_name_key)


def is_standard(origin: Origin) -> bool:
    """Whether something comes with Python."""
    return _is_standard(origin.module)


def _is_standard(module: str) -> bool:
    return module.partition(".")[0] in sys.stdlib_module_names


def _name_key(name: str) -> tuple[bool, bool, list[str | int]]:
    parts = re.split(r"(\d+)", name)
    numbered = [int(one) if one.isdigit() else one for one in parts]
    return not name.isupper(), not name[0].isupper(), numbered
