"""What a script says of itself: what it does, where it comes from, how to run it, what it imports."""

from collections.abc import Mapping, Sequence

from studio import __version__
from studio.export.command_line import command_of
from studio.export.python.lifter import Lifter
from studio.export.versions import version_of
from studio.export.writing.functions import FlowFunction
from studio.export.writing.parts import Head
from studio.flow.records import Flow

LIBRARIES = {"jsonschema": "jsonschema>=4.23,<5", "openai": "openai>=3,<4", "regex": "regex>=2024.5"}
"""What a script depends on that imports one of these in what all kinds of steps share."""

HOW_TO_RUN = "Run it with `uv run FILE`, or with `python FILE` if its dependencies are installed; "
HOW_TO_START = (
    "Run it with `uv run --project FOLDER {command}`, where FOLDER contains "
    "`pyproject.toml`; or install it with `pipx install FOLDER` and start `{command}`, or "
    "`python -m {name}`; "
)
WHAT_IT_SAYS = "`--help` lists its arguments. Outputs go to standard output as JSON."
WHERE_TO_READ = "Start reading at `{flow}`: it is the flow. Its steps follow."
HOW_TO_ASK = (
    "The model is set by `--model` or OPENAI_MODEL; the client reads its key from "
    "OPENAI_API_KEY and its URL from OPENAI_BASE_URL."
)
HOW_TO_FALL_BACK = (
    "If it can't be reached or refuses, {names} tried: OPENAI_MODEL_NAME sets the model of "
    "each, and OPENAI_BASE_URL_NAME with OPENAI_API_KEY_NAME its endpoint, if that is "
    "another one."
)


def head_of(
    flow: Flow,
    functions: Sequence[FlowFunction],
    lifter: Lifter,
    source_name: str,
    fallbacks: Mapping[str, Sequence[str]],
    package: str,
) -> Head:
    """The head of a script whose other parts are written."""
    about = "\n".join(_about(flow, functions, lifter, source_name, fallbacks, package))
    return Head(about, _needed(functions, lifter), lifter.imports())


def _about(
    flow: Flow,
    functions: Sequence[FlowFunction],
    lifter: Lifter,
    source_name: str,
    fallbacks: Mapping[str, Sequence[str]],
    package: str,
) -> list[str]:
    texts = [f"{flow.name or 'A flow'}."]
    if flow.description.strip():
        texts += ["", flow.description]
    texts += ["", f"Exported by Stepwire {__version__} from {source_name} (flow {version_of(flow)})."]
    called = [
        f"{one.flow.name} (flow {version_of(one.flow.chart.flow)})" for one in functions if one.flow.name
    ]
    texts += [f"It calls {', '.join(called)}."] if called else []
    start = HOW_TO_START.format(command=command_of(package), name=package) if package else HOW_TO_RUN
    texts += ["", start + WHAT_IT_SAYS, "", WHERE_TO_READ.format(flow=functions[0].flow.function)]
    if not lifter.is_imported("openai"):
        return texts
    texts += ["", HOW_TO_ASK]
    others = dict.fromkeys(one for names in fallbacks.values() for one in names)
    if others:
        names = f"{' and '.join(others)} {'are' if len(others) > 1 else 'is'}"
        texts += ["", HOW_TO_FALL_BACK.format(names=names)]
    return texts


def _needed(functions: Sequence[FlowFunction], lifter: Lifter) -> list[str]:
    charts = [one.flow.chart for one in functions]
    needed = {one for chart in charts for node in chart.flow.nodes for one in chart.type_of(node).requires}
    return sorted(needed | {spec for name, spec in LIBRARIES.items() if lifter.is_imported(name)})
