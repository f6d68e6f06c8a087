"""Exports flows as packages, and runs their command line in this process."""

import contextlib
import importlib
import io
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from unittest.mock import patch

from studio.app.exporting import export_package
from studio.app.package_files import package_name, save_package
from studio.flow.calls import GivenFlows
from studio.flow.records import Flow
from tests.export.scripts import Scripted
from tests.runtime.bench import REGISTRY


def export_into(folder: Path, flow: Flow, flows: Mapping[str, Flow] | None = None) -> Path:
    """Export a flow that the tests built, and save the package; gives where its files are."""
    registry = REGISTRY.with_flows(GivenFlows(flows)) if flows else REGISTRY
    package = export_package(flow, package_name(folder), registry=registry, name="bench")
    save_package(folder, package)
    return folder / package.name


def call_package(path: Path, arguments: Sequence[str] = (), typed: str = "") -> Scripted:
    """Run a package that asks no language model."""
    out, err = io.StringIO(), io.StringIO()
    with (
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        patch.object(sys, "argv", [str(path), *arguments]),
        patch.object(sys, "stdin", io.StringIO(typed)),
        patch.object(sys, "path", [str(path.parent), *sys.path]),
        patch.object(sys, "dont_write_bytecode", True),
        patch.dict(sys.modules),
    ):
        importlib.invalidate_caches()
        code = importlib.import_module(f"{path.name}.command_line").main()
    return Scripted(code, out.getvalue(), err.getvalue())
