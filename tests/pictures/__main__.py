"""Renews the pictures of README and guide: `python -m tests.pictures [NAME…]`, without a display."""

import os
import sys
import tempfile
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtWidgets import QApplication  # the platform is chosen before

from studio.places import resources
from tests.pictures.animation import Frame, write_pictures
from tests.pictures.scenes import SCENES, SIZE, TOUR, TOUR_SIZE
from tests.pictures.stage import a_stage
from tests.pictures.tour import tour


def main() -> None:
    """Take the pictures that are named, or all; each in a window and a profile of its own."""
    names = sys.argv[1:] or [TOUR, *SCENES]
    if unknown := [one for one in names if one != TOUR and one not in SCENES]:
        raise SystemExit(f"There is no picture {', '.join(unknown)}. There are {', '.join([TOUR, *SCENES])}.")
    qt = QApplication([])
    for name in names:
        path = resources() / "screenshots" / f"{name}.png"
        with tempfile.TemporaryDirectory(prefix="stepwire-", ignore_cleanup_errors=True) as folder:
            take(qt, name, Path(folder), path)
        print(f"{path.name}: {path.stat().st_size // 1000} kB", flush=True)  # noqa: T201


def take(qt: QApplication, name: str, folder: Path, path: Path) -> None:
    """Take one picture."""
    if name == TOUR:
        with a_stage(qt, folder, "dark", *TOUR_SIZE) as stage:
            write_pictures(tour(stage), path)
        return
    with a_stage(qt, folder, name.rpartition("-")[2], *SIZE) as stage:
        SCENES[name](stage)
        write_pictures([Frame(stage.picture(), 0)], path)


if __name__ == "__main__":
    main()
