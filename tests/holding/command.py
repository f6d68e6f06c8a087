"""The command line, as its console script starts it."""

import sys

from studio.__main__ import main
from tests.holding import add_kind

if __name__ == "__main__":
    add_kind()
    sys.exit(main())
