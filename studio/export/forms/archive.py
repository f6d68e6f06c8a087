"""A script and its engine as one file that Python starts: a zip with a `__main__.py` (PEP 441)."""

import hashlib
import io
import json
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from studio.export.forms import archive_start
from studio.export.forms.engine import engine_of, import_name, needs_of
from studio.export.forms.header import with_paragraph, without_block
from studio.export.forms.kit_folder import MANIFEST, vendored_files
from studio.export.forms.requirements import bounded
from studio.export.forms.scripts import OPTIONS
from studio.export.forms.signature import signed

SHEBANG: Final = b"#!/usr/bin/env python3\n"
LONG_AGO: Final = (1980, 1, 1, 0, 0, 0)
"""The date of every file: the oldest that the format knows."""

AS_ARCHIVE: Final = (
    f"Run it with `python FILE`, where its libraries are installed; what is missing is said. {OPTIONS}"
)


def archive_of(script: str, *, libraries: Iterable[str] = ()) -> bytes:
    """Give a script as one file that runs where Python and the script's libraries are installed.

    `libraries` are as of `beside_engine`. The same script always gives the same bytes.
    """
    engine = engine_of(needs_of(script))
    needed = sorted({*engine.libraries, *libraries})
    vendored = {} if engine.needs.is_empty else vendored_files(engine)
    told = {
        "libraries": dict(zip(map(import_name, needed), bounded(needed), strict=True)),
        "engine": hashlib.sha256(vendored.get(MANIFEST, b"")).hexdigest()[:32],
    }
    text = signed(with_paragraph(without_block(script), AS_ARCHIVE))
    return SHEBANG + zipped(
        {
            "__main__.py": Path(archive_start.__file__).read_bytes(),
            archive_start.SCRIPT: text.encode(),
            archive_start.TOLD: json.dumps(told, indent=2).encode(),
            **{f"{archive_start.ENGINE}/{name}": data for name, data in vendored.items()},
        }
    )


def script_in(archive: bytes) -> str | None:
    """Give the script in such a file; None for any other."""
    try:
        with zipfile.ZipFile(io.BytesIO(archive)) as file:
            if archive_start.TOLD not in file.namelist():
                return None
            return file.read(archive_start.SCRIPT).decode()
    except (zipfile.BadZipFile, KeyError, UnicodeDecodeError):
        return None


def zipped(files: Mapping[str, bytes]) -> bytes:
    """Write files as a ZIP archive that is the same wherever and whenever it is written."""
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name, LONG_AGO)
            entry.create_system = 3  # lest the system where it is written shows
            entry.external_attr = 0o100644 << 16
            archive.writestr(entry, data, zipfile.ZIP_DEFLATED, 9)
    return written.getvalue()
