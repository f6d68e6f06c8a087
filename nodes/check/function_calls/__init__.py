r"""Function calls: whether the functions that were called are those that count as right.

`value` is a conversation with calls, a list of objects with `name` and `arguments`, or a text such as
`[add(a=1, b=2)]`. `wanted` is a row of the Berkeley Function Calling Leaderboard: its `kind`, the declared
`functions`, and `answers`, which have a list of right values for each argument; an empty text among them says
that the argument may be left out.

*simple* and *multiple* want one call, *parallel* and *parallel_multiple* as many as there are answers, in any
order, *irrelevance* none at all and *relevance* any. Texts are compared without regard to case, spaces and
punctuation. Nothing is executed.

```json
{
  "inputs": {
    "value": [{"name": "weather", "arguments": {"city": "new york", "unit": "C"}}],
    "wanted": {
      "kind": "simple",
      "functions": [
        {
          "name": "weather",
          "parameters": {
            "type": "dict",
            "properties": {"city": {"type": "string"}, "unit": {"type": "string"}},
            "required": ["city"]
          }
        }
      ],
      "answers": [{"weather": {"city": ["New York", "New York, NY"], "unit": ["C", ""]}}]
    }
  },
  "outputs": {"ok": true, "score": 1.0, "reason": ""}
}
```
"""

from typing import Annotated, Any

from nodes.check.function_calls.matching import calls_made, function_fault
from studio.building_blocks.answers.check_result import Checked, checked
from studio.building_blocks.settings.checks import OnFailure
from studio.sdk import In, node


@node(
    "check.function_calls",
    title="Function calls",
    heavy=True,
    keywords=("bfcl", "tool calls", "arguments", "benchmark", "abstract syntax"),
)
def function_calls(
    value: Annotated[Any, In("Messages with calls, a list of calls, or Python calls as text", type="T")],
    wanted: Annotated[Any, In("The kind, the functions, and the right answers", type="json")],
    *,
    at_fault: OnFailure = "go on",
) -> Checked:
    """Let calls pass that are right."""
    fault = function_fault(calls_made(value), wanted)
    return checked(value, 0.0 if fault else 1.0, fault, at_fault=at_fault)
