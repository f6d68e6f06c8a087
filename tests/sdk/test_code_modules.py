"""What code may import is said before it runs."""

import pytest

from nodes.control.python import python
from nodes.tools.python_function import python_function
from studio.errors import SettingsError
from studio.sdk.code_modules import BOX_MODULES, boxed_code
from studio.sdk.node import node_type_of


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("import numpy as np", "line 1: `numpy` is a package"),
        ("import json\nfrom pandas.io import sql", "line 2: `pandas` is a package"),
        ("def main():\n    import socket", "line 2: `socket` is not available in the sandbox"),
        (
            "if True:\n    x = 1\nelse:\n    import subprocess",
            "line 4: `subprocess` is not available in the sandbox",
        ),
        ("try:\n    import ctypes\nfinally:\n    pass", "line 2: `ctypes` is not available in the sandbox"),
        ("try:\n    pass\nexcept ValueError:\n    import sqlite3", "line 4: `sqlite3`"),
        ("match 1:\n    case 1:\n        import ssl", "line 3: `ssl`"),
        ("import os.path, requests", "line 1: `requests` is a package"),
    ],
)
def test_a_package_or_a_module_that_reaches_out_is_refused_by_its_line(code: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        boxed_code(code)


@pytest.mark.parametrize(
    "code",
    [
        "import json, xml.etree.ElementTree\nfrom collections.abc import Mapping",
        "try:\n    import numpy\nexcept ImportError:\n    numpy = None",
        "try:\n    import numpy\nexcept (ValueError, ModuleNotFoundError):\n    numpy = None",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import numpy",
        "from . import other",
        "def (",
        "\0",
    ],
)
def test_what_is_there_is_guarded_or_cannot_be_read_is_no_refusal(code: str) -> None:
    assert boxed_code(code) == code


def test_both_node_types_refuse_it_in_their_settings() -> None:
    for thing in (python, python_function):
        with pytest.raises(SettingsError) as raised:
            node_type_of(thing).complete_settings({"code": "import torch\ndef main(): pass"})
        assert "`torch` is a package" in raised.value.details[0]


def test_what_reaches_out_is_not_in_the_list() -> None:
    assert {"socket", "subprocess", "ctypes", "sqlite3", "multiprocessing", "mmap"}.isdisjoint(BOX_MODULES)
