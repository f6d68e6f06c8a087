"""Forms filled at a terminal: asked field by field, those of objects and the entries of lists one by one."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from studio.bounds.schemas import mismatch
from studio.building_blocks.answers.approvals import fields_of, shown
from studio.runtime.resources.typed_answers import field_prompt, part_of, read_answer

YES: Mapping[str, Any] = {"type": "boolean", "default": False}


@dataclass(frozen=True)
class Filling:
    """Asks for what a form wants, of whoever types the lines."""

    schema: Mapping[str, Any]
    line: Callable[[], Awaitable[str]]
    """Waits for what is typed."""
    write: Callable[[str], None]
    """Writes to the terminal, without a break."""
    edit: Callable[[str, str], Awaitable[str | None]] | None = None
    """Has a text edited, in a file with this ending; gives None where that cannot be done."""

    async def filled(self) -> dict[str, Any]:
        """Ask for all fields, until they fit together."""
        while True:
            answer = await self.of_fields(self.schema, "")
            problem = mismatch(answer, self.schema, "This")
            if not problem:
                return answer
            self.write(f"  {problem}\n")

    async def of_fields(self, part: Mapping[str, Any], within: str) -> dict[str, Any]:
        """Ask for each field of an object that stands `within` others."""
        answer: dict[str, Any] = {}
        if "approval" in part:
            return await self.decided(part)
        for name, one in part.get("properties", {}).items():
            found = await self.field(f"{within}{name}", one, is_required=name in part.get("required", ()))
            if found is not None:
                answer[name] = found
        return answer

    async def decided(self, part: Mapping[str, Any]) -> dict[str, Any]:
        """Show what is to be approved, ask for the decision, and for what goes with it."""
        fields: Any = part["properties"]
        self.write(f"{shown(part['approval']['value'])}\n")
        answer = {"decision": await self.field("decision", fields["decision"], is_required=True)}
        if answer["decision"] == "edit":
            answer["value"] = await self.edited(fields["value"])
        needed = fields_of(answer["decision"], part)
        if reason := await self.field("reason", fields["reason"], is_required="reason" in needed):
            answer["reason"] = reason
        return answer

    async def edited(self, part: Mapping[str, Any]) -> Any:
        """Have a value changed: in an editor where there is one, as a line of the terminal otherwise."""
        given, plain = shown(part["default"]), part_of(part, self.schema)
        ending = ".txt" if isinstance(part["default"], str) else ".json"
        while self.edit is not None:
            text = await self.edit(given, ending)
            if text is None:
                break
            try:
                return read_answer(text, plain)
            except ValueError as error:
                given = text
                self.write(f"  {error} Enter opens the editor again: ")
                await self.line()
        return await self.field("value", part, is_required=True)

    async def field(self, name: str, part: Mapping[str, Any], *, is_required: bool) -> Any:
        """Ask for one field; None for one that is left out."""
        plain = part_of(part, self.schema)
        if "default" not in plain:
            if plain.get("type") == "object" and "properties" in plain:
                return await self.object(name, plain, is_required=is_required)
            if plain.get("type") == "array" and "items" in plain:
                return await self.entries(name, plain, is_required=is_required)
        while True:
            self.write(f"  {field_prompt(name, plain)}: ")
            text = await self.line()
            default = plain.get("default")
            if not text and (default is not None or not is_required):
                return default
            try:
                if text:
                    return read_answer(text, plain)
                self.write("  Something has to be answered here.\n")
            except ValueError as error:
                self.write(f"  {error}\n")

    async def object(self, name: str, part: Mapping[str, Any], *, is_required: bool) -> Any:
        """Ask for the fields of an object, if it is wanted at all."""
        title = str(part.get("title", name))
        if not is_required and not await self.field(
            name, {**YES, "title": f"Fill in {title}"}, is_required=True
        ):
            return None
        return await self.of_fields(part, f"{name}.")

    async def entries(self, name: str, part: Mapping[str, Any], *, is_required: bool) -> Any:
        """Ask for the entries of a list, until one is left empty."""
        found: list[Any] = []
        entry = part_of(part["items"], self.schema)
        least, most = part.get("minItems", 0), part.get("maxItems")
        title = str(part.get("title", name))
        while most is None or len(found) < most:
            named = f"{title} {len(found) + 1}"
            is_needed = len(found) < least and is_required
            one = await self.field(f"{name}.{len(found)}", {**entry, "title": named}, is_required=is_needed)
            if one is None:
                break
            found.append(one)
        return found if found or is_required else None
