"""What is said of a memory's file that is in trouble."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from studio.errors import StoreError
from studio.store.memories.sql import BUSY, UNWRITABLE, DiskError, FullError, SqlError

RUN_KEEPS = "The run keeps what it wrote, and you can save it to the project later."


@contextmanager
def told(path: Path) -> Generator[None]:
    """Raise `StoreError` in words for what SQLite and the system say of a file; damage excepted."""
    try:
        yield
    except BUSY as error:
        raise StoreError(f"`{path.name}` is in use by another program.", hint="Try again.") from error
    except FullError as error:
        message = f"There is no space for `{path.name}`: the disk is full."
        raise StoreError(message, hint="Free some space.") from error
    except DiskError as error:
        message = f"`{path.name}` can't be read or written: the disk is full or not working."
        raise StoreError(message, hint="Free some space, or check the disk.") from error
    except UNWRITABLE as error:
        message = f"`{path.name}` can't be opened or written: {error}."
        raise StoreError(message, hint="Make the file and its folder writable.") from error
    except OSError as error:
        message = f"`{path.name}` can't be read or written: {error.strerror or error}."
        raise StoreError(message, hint="Make the file and its folder writable.") from error


@contextmanager
def told_all(path: Path) -> Generator[None]:
    """Raise `StoreError` in words for whatever is wrong with a file."""
    try:
        with told(path):
            yield
    except (SqlError, ValueError) as error:
        message = f"`{path.name}` is damaged or can't be read: {error}."
        raise StoreError(message, hint="The next run that uses it recovers what can be read.") from error
