"""Catch: continue after an error.

What arrives at `value` is passed on. When the step that was to give it has failed, or one before that, the
error comes out at `error` instead: `error`, its kind; `message`, one sentence; `hint`, what to do. A failure
comes here, instead of ending the run, when every way from the step that failed leads into a Catch (or a
race, or a map that tolerates failed items); steps on the way are not run.

```json
{
  "settings": {},
  "ports": {"inputs": {"value": "T"}, "outputs": {"value": "T", "error": "json"}}
}
```
"""

from studio.sdk import Port, PortName, Structure, parse_type, structural

catch = structural(
    "control.catch",
    Structure.CATCH,
    title="Catch",
    inputs=(Port(PortName("value"), parse_type("T"), "value", "The value that may fail"),),
    outputs=(
        Port(PortName("value"), parse_type("T"), "value", "The value, if it did not fail"),
        Port(PortName("error"), parse_type("json"), "error", "The error, if it failed"),
    ),
    keywords=("error", "exception", "failure", "fallback", "try"),
)
