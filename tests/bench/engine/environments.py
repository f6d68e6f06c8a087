"""The peers, each in a virtual environment of its own in the user's cache, installed from PyPI."""

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from platformdirs import user_cache_path

HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Peer:
    """Another engine: what it is called, its packages, and its worker."""

    name: str
    packages: tuple[str, ...]
    worker: str

    @property
    def home(self) -> Path:
        """The folder of its environment."""
        return user_cache_path("stepwire-bench") / self.worker.removesuffix("_worker.py")

    @property
    def python(self) -> Path:
        """The interpreter of its environment."""
        return self.home / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")

    @property
    def command(self) -> list[str]:
        """What starts its worker."""
        return [str(self.python), str(HERE / "peers" / self.worker)]

    @property
    def version(self) -> str:
        """The version of its first package."""
        package = self.packages[0].partition("==")[0]
        code = f"from importlib.metadata import version; print(version({package!r}))"
        told = subprocess.run([self.python, "-c", code], capture_output=True, text=True, check=True)  # noqa: S603
        return told.stdout.strip()

    def install(self) -> None:
        """Make the environment, unless it is there and whole."""
        whole = self.home / "whole"
        if whole.exists():
            return
        subprocess.run([sys.executable, "-m", "venv", "--clear", self.home], check=True)  # noqa: S603
        pip = [str(self.python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, *self.packages], check=True)  # noqa: S603
        whole.touch()


PEERS = (
    Peer("LangGraph", ("langgraph", "langgraph-checkpoint-sqlite"), "langgraph_worker.py"),
    Peer("pydantic-graph", ("pydantic-graph",), "pydantic_graph_worker.py"),
    Peer("Haystack", ("haystack-ai",), "haystack_worker.py"),
)
