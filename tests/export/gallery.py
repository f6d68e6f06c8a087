"""All flows of `projects/` as scripts, each written once."""

import json
from functools import cache
from pathlib import Path

from studio import places
from studio.app.scripts.flow_export import script_of
from studio.export.statements.parts import Script
from studio.script.nodes import kinds_by_name


def _is_flow(path: Path) -> bool:
    plain = json.loads(path.read_text("utf-8"))
    return isinstance(plain, dict) and plain.get("format") == "stepwire.flow"


FLOWS = [path for path in sorted(places.projects().glob("*/*.json")) if _is_flow(path)]
NAMES = [f"{path.parent.name}/{path.stem}" for path in FLOWS]


def exported(path: Path) -> Script:
    """The script of a flow, with the names that node types have just now."""
    return _exported(path, frozenset(kinds_by_name()))


@cache
def _exported(path: Path, _names: frozenset[str]) -> Script:
    return script_of(path)


def named(name: str) -> Script:
    """The script of the flow of this name, `chapters/flow`."""
    return exported(FLOWS[NAMES.index(name)])
