"""Code that remembers what it assigned, from one call to the next.

What is kept travels with the calls, as plain JSON: names with their values, and what JSON cannot say pickled.
So a replay, a fork or a run that goes on has it as it was, and it is only ever read where the code runs.
"""

CALL = "__session__"
"""The function that a session's code is called by: with what is kept, the function's name, its arguments."""

SOURCE = r"""
def __session__(kept, function, arguments, most=4 * 2**20):
    import base64, json, math, pickle, sys, types

    scope = globals()
    module = sys.modules["__code__"] = types.ModuleType("__code__")
    module.__dict__.update(scope)
    left_out = types.ModuleType, types.FunctionType, types.BuiltinFunctionType, type

    def is_plain(value):
        kind = type(value)
        if kind is list:
            return all(map(is_plain, value))
        if kind is dict:
            return all(type(name) is str for name in value) and all(map(is_plain, value.values()))
        if kind is float:
            return math.isfinite(value)
        return value is None or kind in (str, bool) or kind is int and abs(value) < 2**53

    def written(value):
        try:
            if is_plain(value):
                return "values", json.loads(json.dumps(value))
            return "pickled", base64.b64encode(pickle.dumps(value, 4)).decode()
        except Exception as error:
            return "unkept", str(error)

    def assigned():
        return {
            name: (value, written(value))
            for name, value in scope.items()
            if not name.startswith("_") and not isinstance(value, left_out)
        }

    begun = assigned()
    scope.update(kept.get("values", {}))
    unread = {}
    for name, text in kept.get("pickled", {}).items():
        try:
            scope[name] = pickle.loads(base64.b64decode(text))
        except (AttributeError, ImportError):
            unread[name] = text
    result = scope[function](**arguments)
    left = {"values": {}, "pickled": {name: text for name, text in unread.items() if name not in scope}}
    for name, (value, (place, said)) in assigned().items():
        before, said_before = begun.get(name, (None, None))
        if said_before == (place, said) and (place != "unkept" or before is value):
            continue
        if place == "unkept":
            raise TypeError(
                f"`{name}` cannot be kept in the session: {said}; a name that begins with `_` is left out"
            )
        left[place][name] = said
    if len(json.dumps(left)) > most:
        raise ValueError(f"the session keeps more than {most >> 20} MiB")
    return {"result": result, "kept": left}
"""
"""What is put at the end of the code; it keeps `most` characters."""


def variable_of(session: str) -> str:
    """The run variable in which a session is kept; what others write to theirs is never read as one."""
    return f"session {session}"


def in_session(code: str) -> str:
    """Give the code with the function `CALL` at its end; its lines stay where they are."""
    return f"{code}\n\nexec(compile({SOURCE!r}, '<session>', 'exec'))\n"
