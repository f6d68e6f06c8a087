"""Writes down the kit's public interface: `python -m tests.kit.interface > tests/kit/interface.txt`."""

import inspect
import sys
from collections.abc import Iterator

import stepwire_kit


def interface() -> Iterator[str]:
    """Give each public name of the kit with its signature, and the public members of its classes."""
    for name in sorted(stepwire_kit.__all__):
        found = getattr(stepwire_kit, name)
        if not callable(found):
            yield name
            continue
        yield f"{name}{_signature(found)}"
        for member, value in sorted(_members(found).items()):
            if member.startswith("_"):
                continue
            function = inspect.unwrap(getattr(value, "__func__", value))
            yield f"  .{member}{_signature(function) if inspect.isfunction(function) else ''}"


def _members(found: object) -> dict[str, object]:
    """What a class has, with what comes from a class in the same folder."""
    classes = inspect.getmro(found) if inspect.isclass(found) else ()
    near = [one for one in classes if _folder(one) == _folder(found)]
    return {name: value for one in reversed(near) for name, value in vars(one).items()}


def _folder(found: object) -> str:
    return found.__module__.rpartition(".")[0]


def _signature(found: object) -> str:
    if not callable(found):
        return ""
    signature = inspect.signature(found)
    parameters = [
        one.replace(annotation=inspect.Parameter.empty, default=_default(one.default))
        for one in signature.parameters.values()
    ]
    return str(signature.replace(parameters=parameters, return_annotation=inspect.Signature.empty))


def _default(found: object) -> object:
    """A default that reads the same on every machine."""
    plain = found is inspect.Parameter.empty or isinstance(found, str | int | float | bool | None)
    return found if plain else ...


if __name__ == "__main__":
    sys.stdout.writelines(f"{line}\n" for line in interface())
