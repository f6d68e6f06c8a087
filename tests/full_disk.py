"""A disk that is full."""

import resource
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def full_disk(size: int = 0) -> Generator[None]:
    """No file of this process becomes larger than `size` bytes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
