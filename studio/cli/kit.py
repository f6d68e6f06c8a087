"""Write the engine as a wheel, for machines on which scripts run flows without the studio."""

import argparse
from pathlib import Path

from studio.terminal.output import print_json, say, write_line

COMPONENT = (
    "It has no sandbox, so code of flows will not run. Run: stepwire sandbox --component resources/sandbox"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `stepwire kit`."""
    parser.add_argument(
        "-o", "--output", metavar="FOLDER", type=Path, required=True, help="where the wheel is written"
    )
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def execute(arguments: argparse.Namespace) -> int:
    """Write the wheel, and print where it is and how it is installed."""
    from studio.app.scripts.kit_wheel import has_component, write_kit

    path = write_kit(arguments.output)
    if not has_component():
        say(f"warning: {COMPONENT}")
    if arguments.json:
        print_json({"wheel": str(path), "bytes": path.stat().st_size, "has_sandbox": has_component()})
        return 0
    write_line(f"{path} ({path.stat().st_size / 1e6:.1f} MB)")
    say(f"Install it where scripts run: pip install {path}")
    return 0
