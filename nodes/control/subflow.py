"""Subflow: run another flow of the project as one step.

The inputs and outputs of the flow that is called become the ports of this node: a flow input `text` is an
input `text` here, needed unless it has a default. Its steps are recorded inside this one, named after it
(`summary/critic`), so that they can be looked at, held and forked. Retries, the time limit and the error
policy hold for the call as a whole; a failure in the called flow that nothing there takes in fails this step.

A flow may call itself, or one that calls it, as long as that ends some time: after so many calls within
calls the innermost one fails. What the tools of a called flow hold open is opened once in a run, for all
calls of it.

```json
{
  "settings": {"flow": "summary.json"},
  "flows": {
    "summary.json": {
      "format": "stepwire.flow",
      "version": 1,
      "name": "Summary",
      "nodes": {
        "text": {"kind": "io.flow_input"},
        "words": {"kind": "io.flow_input", "settings": {"type": "number", "default": 20}},
        "prompt": {
          "kind": "text.template",
          "settings": {"template": "In {{words}} words at most: {{text}}"}
        },
        "gist": {"kind": "io.flow_output"}
      },
      "wires": [
        "text.value -> prompt.text",
        "words.value -> prompt.words",
        "prompt.text -> gist.value"
      ]
    }
  },
  "inputs": {"text": "An owl called twice."},
  "outputs": {"gist": "In 20 words at most: An owl called twice."},
  "ports": {"inputs": {"text": "text", "words": "number"}, "outputs": {"gist": "text"}}
}
```
"""

from studio.building_blocks.settings.tools import CallDepth, CalledFlow
from studio.sdk import Structure, structural


class SubflowSettings:
    """What a subflow is told."""

    flow: CalledFlow = ""
    max_depth: CallDepth = 8


subflow = structural(
    "control.subflow",
    Structure.SUBFLOW,
    title="Subflow",
    settings=SubflowSettings,
    keywords=("call", "function", "reuse", "recursion", "nested", "module"),
)
