"""Settings of nodes that read and write files."""

from typing import Annotated, TypeAlias

from pydantic import AfterValidator

from studio.building_blocks.files.tables import one_character
from studio.sdk import In, Setting

FilePath: TypeAlias = Annotated[str, Setting("File", editor="file")]
"""A file of the project."""

GivenPath: TypeAlias = Annotated[str, In("A path inside the project; overrides the setting")]
"""A path that comes over a wire, in the place of the setting."""

Delimiter: TypeAlias = Annotated[
    str, Setting("Delimiter", help="For CSV; empty: comma, or tab in .tsv"), AfterValidator(one_character)
]
"""What stands between the values of a line."""
