"""How the files of memories are called."""

import hashlib
import unicodedata
from pathlib import Path
from urllib.parse import quote

MEMORIES = Path("data", "memories")
"""The folder of them, in the folder of a project."""

SUFFIX = ".memory"

_LONGEST = 120


def file_of(folder: Path, name: str) -> Path:
    """Give the file of a memory, whatever its name is made of."""
    whole = unicodedata.normalize("NFC", name)
    safe = quote(whole.encode(errors="surrogatepass"), safe=" ")
    safe = f"%2E{safe[1:]}" if safe.startswith(".") else safe
    if len(safe) > _LONGEST:
        safe = (
            f"{safe[:80]}~{hashlib.blake2b(whole.encode(errors='surrogatepass'), digest_size=8).hexdigest()}"
        )
    return folder / f"{safe}{SUFFIX}"
