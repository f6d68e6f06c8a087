"""Settings of nodes that check a value."""

from typing import Annotated, Any, TypeAlias

from studio.building_blocks.answers.check_result import AtFault
from studio.sdk import In, Setting

OnFailure: TypeAlias = Annotated[
    AtFault, Setting("On failure", help="Continue at “failed”, or fail the step")
]
"""Where the step goes when what it checks does not pass."""

VerdictRepairs: TypeAlias = Annotated[
    int, Setting("Max. repairs", minimum=0, maximum=10, help="How often an invalid verdict is sent back")
]
"""How often a verdict that does not fit its form is sent back."""

Threshold: TypeAlias = Annotated[
    float, Setting("Threshold", minimum=0, maximum=1, help="The lowest score that passes")
]
"""The lowest score that passes."""

CheckedValue: TypeAlias = Annotated[Any, In("The value to check", type="T")]
"""The value that is checked, of any type."""

RuleFacts: TypeAlias = Annotated[Any, In("Additional data for the rule", type="json")]
"""What a rule can read beside the value."""
