"""Maps as functions of one item, which `each` calls for all of them."""

import keyword

from studio.export.python.literals import number_literal, text_literal
from studio.export.statements.block import Lines, indented
from studio.export.statements.places import NOTHING
from studio.export.statements.readings import by_name
from studio.export.statements.regions import RegionWriter
from studio.export.structure.variable_names import function_of_item, part_of_item
from studio.flow.structure.regions import Region
from studio.ids import NodeId


class Maps(RegionWriter):
    """Writes the maps of one flow."""

    def function(self, region: Region) -> Lines:
        """The function of one item."""
        owner, places = region.owner or NodeId(""), self._outline.places
        name, number = self._readings.variable(owner), places.number()
        with places.inside("function", number):
            body = [places.start(number), *self._written(self._inside(region))]
            body += self._given_back(region)
        parameters = ", ".join(f"{one}: Any" for one in self._parameters(owner))
        head = f"async def {function_of_item(name)}({parameters}) -> Any:"
        return [head, *indented(body if any(_is_said(one) for one in body) else [*body, "return None"]), ""]

    def call(self, region: Region) -> tuple[str, str]:
        """What the lists that are gathered are assigned to, and the call that gathers them."""
        chart, places = self._chart, self._outline.places
        owner = region.owner or NodeId("")
        collects = self.collects(region)
        inputs = {str(one.port.name): one for one in chart.inputs(owner)}
        items = self._readings.input(owner, inputs.pop("items")) or "[]"
        arguments = [text_literal(owner), function_of_item(self._readings.variable(owner)), items]
        for name, one in inputs.items():
            value = self._readings.input(owner, one) or "[]"
            # Of a word of Python's a type checker would think that it may be any parameter.
            is_word = keyword.iskeyword(name)
            arguments.append(
                f"**dict[str, Any]({by_name(name, value)[2:]})" if is_word else by_name(name, value)
            )
        settings = chart.registry.settings(chart.record(owner))
        if settings["at_once"] != 8:
            arguments.append(f"at_once={settings['at_once']}")
        if collects:
            told = chart.registry.settings(chart.record(collects[0]))
            arguments += [
                f"{name}={text_literal(str(told[name]))}"
                for name, usual in (("failed", "fail"), ("absent", "drop"))
                if told[name] != usual
            ]
        limit = chart.record(owner).run.time_limit
        arguments += [f"time_limit={number_literal(limit)}"] if limit is not None else []
        arguments.append(f"collected={self._collected(collects)}")
        arguments += ["with_index=True"] if self._is_counted(owner) else []
        after = self._readings.after(owner)
        arguments += [f"after=[{', '.join(after)}]"] if after else []
        names = [self._readings.variable(one) if chart.is_read(one, "values") else "_" for one in collects]
        for one in names:
            if one != "_":
                places.set(one)
        is_read = any(one != "_" for one in names)
        return (", ".join(names) if is_read else ""), f"{self._outline.use('each')}({', '.join(arguments)})"

    def collects(self, region: Region) -> list[NodeId]:
        """Those that gather what the items give, in the order of the flow."""
        return [
            node
            for node in self._chart.flow.nodes
            if node in region.collects and not self._facts.is_muted(node)
        ]

    def _collected(self, collects: list[NodeId]) -> str:
        if len(collects) == 1:
            return text_literal(collects[0])
        return f"({', '.join(map(text_literal, collects))})"

    def _is_counted(self, owner: NodeId) -> bool:
        return self._chart.is_read(owner, "index")

    def _parameters(self, owner: NodeId) -> list[str]:
        name = self._readings.variable(owner)
        ports = [str(port.name) for port in self._chart.data_outputs(owner)]
        if not self._is_counted(owner):
            ports.remove("index")
        return [part_of_item(name, port) for port in ports]

    def _given_back(self, region: Region) -> Lines:
        collects = self.collects(region)
        if not collects:
            return []
        values: list[str] = []
        for node in collects:
            value = self._readings.input(node, self._chart.input(node, "value"))
            values.append(value or self._outline.use(NOTHING))
        return [f"return {', '.join(values)}"]


def _is_said(line: str) -> bool:
    plain = line.strip()
    return bool(plain) and not plain.startswith(("#", "\x1e"))
