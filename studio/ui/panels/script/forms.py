"""The forms in which a flow is exported as Python, in words."""

from collections.abc import Mapping
from enum import StrEnum

from PySide6.QtCore import QCoreApplication

translate = QCoreApplication.translate


class Form(StrEnum):
    """What is written."""

    SCRIPT = "script"
    """A script, and beside it a folder with the modules that it needs."""
    KIT = "kit"
    """A script alone, for where stepwire-kit is installed."""
    ARCHIVE = "archive"
    """A script and the modules that it needs, as one file."""
    PACKAGE = "package"
    """A folder that can be installed."""


def form_titles() -> Mapping[Form, str]:
    """What menus call them; call it when translations are installed."""
    return {
        Form.SCRIPT: translate("actions", "Export as Python script…"),
        Form.KIT: translate("actions", "Export as Python script for stepwire-kit…"),
        Form.ARCHIVE: translate("actions", "Export as single file (.pyz)…"),
        Form.PACKAGE: translate("actions", "Export as Python package…"),
    }


def form_tips() -> Mapping[Form, str]:
    """What menus say of them besides."""
    return {
        Form.SCRIPT: translate("actions", "With a folder stepwire_kit beside it that it needs to run"),
        Form.KIT: translate("actions", "The script alone, for machines where stepwire-kit is installed"),
        Form.ARCHIVE: translate("actions", "Script and modules in one file, run with python FILE.pyz"),
        Form.PACKAGE: translate("actions", "A folder that pip, pipx and uv can install, with a command"),
    }
