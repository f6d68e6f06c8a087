"""The environment of a run whose project is trusted, and has no key and no setting."""

import os

from studio.workspace.trust import TRUSTED_FOLDERS

HERE = {TRUSTED_FOLDERS: os.environ[TRUSTED_FOLDERS]}
"""What the projects of tests were made in; `tests/conftest.py` sets it."""
