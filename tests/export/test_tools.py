"""Flows with lent tools as scripts: nothing that a linter or type checker would find."""

from pathlib import Path

from tests.export.scripts import complaints, export
from tests.nodes.tools.test_http_request import flow as http_flow
from tests.nodes.tools.test_mcp_server import FLOW as MCP
from tests.nodes.tools.test_sqlite_query import FLOW as SQLITE

FLOWS = {"http": http_flow("127.0.0.1:1"), "sqlite": SQLITE, "mcp": MCP}


def test_linter_and_type_checker_find_nothing(tmp_path: Path) -> None:
    for name, flow in FLOWS.items():
        export(flow, tmp_path / f"{name}_flow.py")
    assert complaints(tmp_path) == ""
