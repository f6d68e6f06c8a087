"""The run variables of an exported script."""

from typing import Any

from studio.trace.variables import Operation, changed


class Variables:
    """What the steps share beside their arguments, by name."""

    def __init__(self) -> None:
        self.values: dict[str, Any] = {}

    def has(self, name: str) -> bool:
        """Tell whether anything was written to a variable."""
        return name in self.values

    def read(self, name: str, default: Any = None) -> Any:
        """Give a variable, or `default` where nothing was written."""
        return self.values.get(name, default)

    def write(self, name: str, value: Any, operation: Operation = "set") -> None:
        """Change a variable."""
        self.values[name] = changed(name, self.values.get(name), operation, value)
