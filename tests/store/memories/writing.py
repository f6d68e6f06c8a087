"""Writes to a memory until it is killed; tells of each save that was made."""

import sys
from pathlib import Path

from tests.store.memories.kept import opened, put


def main() -> None:
    memory = opened(Path(sys.argv[1]))
    for number in range(1_000_000):
        letter = "abcdefghij"[number % 10]
        if memory.save(f"{number}", put(f"{letter} {number} {'more ' * 400}")):
            break
        print(number, flush=True)  # noqa: T201  # it is how it tells


if __name__ == "__main__":
    main()
