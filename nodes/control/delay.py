"""Delay: wait, then pass the value on.

It can be stopped at any time. Wired into a Race beside something slow, it is a time limit with a value of
its own.

```json
{
  "settings": {"seconds": 0},
  "inputs": {"value": "on a later train"},
  "outputs": {"value": "on a later train"}
}
```
"""

from typing import Annotated

from studio.sdk import Context, In, Out, Setting, T, node


@node("control.delay", title="Delay", keywords=("wait", "sleep", "pause", "timer", "rate"))
async def delay(
    value: Annotated[T, In("The value to pass on")],
    context: Context,
    *,
    seconds: Annotated[float, Setting("Seconds", minimum=0, maximum=86_400)] = 1.0,
) -> Annotated[T, Out("value", "The same value")]:
    """Give `value` after `seconds`."""
    await context.sleep(seconds)
    return value
