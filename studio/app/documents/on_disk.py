"""What a file was like when it was last read or written here, so that what others do to it is seen."""

import hashlib
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class OnDisk:
    """A file at one moment: `modified` in nanoseconds, `size` in bytes."""

    modified: int
    size: int
    digest: bytes

    @staticmethod
    def of(path: Path, data: bytes | None = None) -> "OnDisk | None":
        """Look at a file; None where there is none. `data` is what it is known to say."""
        try:
            stat = path.stat()
            content = path.read_bytes() if data is None else data
        except OSError:
            return None
        return OnDisk(stat.st_mtime_ns, stat.st_size, hashlib.sha256(content).digest())

    def text_of(self, path: Path) -> str:
        """What the file says, if it still says what it did then; else nothing."""
        try:
            data = path.read_bytes()
            return data.decode("utf-8") if hashlib.sha256(data).digest() == self.digest else ""
        except (OSError, UnicodeDecodeError):
            return ""
