"""What scores a trial: a check node or a flow, run as a flow of its own, or what reads what the trial did."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias

from studio.errors import StepwireError, UsageError
from studio.experiments.cases.case_checks import AT_FAULT
from studio.experiments.check_calls import CheckCall
from studio.experiments.datasets import Dataset, Row, column_of, digest_of, has_column
from studio.experiments.experiment import Experiment, ScorerUse
from studio.experiments.identity import identity_of
from studio.experiments.scores import Score
from studio.experiments.trajectories import TRACE, reader
from studio.experiments.variants import OpenVariant, output_names, version_of
from studio.flow.ports import Port
from studio.flow.records import Flow, Json, Node, Socket, Wire
from studio.ids import NodeId, PortName
from studio.kit.ready_flow import PreparedFlow, load
from studio.llm.client import ChatProfile
from studio.sdk.registry import Registry
from studio.trace.events import Entry
from studio.workspace.inputs import input_fields
from studio.workspace.problems import read_flow
from studio.workspace.profiles import choose_profile, find_profile
from studio.workspace.project import Project
from studio.workspace.runs import profiles_used

VERDICT = ("score", "ok", "reason")
"""What a check says; a guard gives no score, and a flow may leave out all but the score."""

CHECKS = "check."
CHECK = NodeId("check")


@dataclass(frozen=True, slots=True)
class FlowScorer:
    """A scorer that is a flow; `given` says where its inputs come from.

    `digest` names what it does by content, so that the scores of another one are not taken for its own.
    """

    name: str
    digest: str
    prepared: PreparedFlow
    given: Mapping[str, str]
    profile: ChatProfile | None
    """Who answers its chats; None where it has none of the run's own."""
    asks: bool
    """Whether it asks anybody, so that its runs are kept and nothing is bought twice."""
    call: CheckCall | None = None
    """How it is called without a run, where it is a check that only computes."""


class Seen(NamedTuple):
    """What a scorer that reads is shown of a trial that is done."""

    row: Row
    inputs: Mapping[str, Json]
    outputs: Mapping[str, Json]
    entries: Callable[[], Sequence[Entry]]
    """All that happened in its run; raises `StoreError` where that is not kept any more."""


@dataclass(frozen=True, slots=True)
class ReadScorer:
    """A scorer that reads a trial, and runs nothing; `digest` is as that of `FlowScorer`."""

    name: str
    digest: str
    read: Callable[[Seen], Score]
    given: Mapping[str, str] = field(default_factory=dict[str, str])
    profile: None = None
    asks: Literal[False] = False


Scorer: TypeAlias = FlowScorer | ReadScorer


def open_scorers(
    experiment: Experiment,
    project: Project,
    registry: Registry,
    variants: Sequence[OpenVariant],
    dataset: Dataset,
    environ: Mapping[str, str],
) -> tuple[dict[str, Scorer], list[tuple[str, str]]]:
    """Make the scorers of an experiment ready, and tell what is wrong with them, by path and words."""
    found: dict[str, Scorer] = {}
    wrong: list[tuple[str, str]] = []
    for name, use in experiment.scorers.items():
        place = f"scorers.{name}"
        try:
            one = open_scorer(name, use, experiment, project, registry, variants, environ)
        except StepwireError as error:
            details: Sequence[str] = getattr(error, "details", ())
            wrong.append((place, " ".join((error.message, *details))))
            continue
        found[name] = one
        wrong += ((f"{place}.given", words) for words in _unmet(one, variants, dataset))
        if one.profile is not None and one.profile.provider == "made-up" and not experiment.made_up:
            wrong.append((place, f"the verdicts of `{one.profile.name}` would be made up."))
    return found, wrong


def open_scorer(
    name: str,
    use: ScorerUse,
    experiment: Experiment,
    project: Project,
    registry: Registry,
    variants: Sequence[OpenVariant],
    environ: Mapping[str, str],
) -> Scorer:
    """Make one scorer ready; raises `StepwireError` with what is wrong in it."""
    if sum(map(bool, (use.check, use.flow, use.trajectory))) != 1:
        raise UsageError("either `check`, `flow` or `trajectory` says what scores.")
    if use.trajectory:
        return _trajectory(name, use)
    given, call = dict(use.given), None
    if use.check:
        given = {**_default_value(given, variants), **given}
        flow = _check_flow(use, registry, given)
        check = flow.nodes[CHECK]
        call = CheckCall.of(check.kind, check.settings, registry)
    else:
        path = (project.root / use.flow).resolve()
        if not path.is_relative_to(project.root) or not path.is_file():
            raise UsageError(f"the project has no flow `{use.flow}`.")
        flow = read_flow(path).flow
        if not {"score", "ok"} & set(output_names(flow, registry)):
            raise UsageError(f"`{use.flow}` has no output `score`, and none called `ok`.")
    prepared = load(flow, nodes=registry, project=project)
    flows = (flow, *prepared.flows.values())
    used = {profile for one in flows for profile in profiles_used(one, prepared.registry)}
    chosen = choose_profile(project, use.chat or experiment.chat, environ) if "" in used else None
    asked = [chosen if one == "" else find_profile(project, one) for one in sorted(used)]
    who = [identity_of(project, one, environ) for one in asked if one is not None]
    digest = digest_of([version_of(flow, prepared.flows), dict(sorted(given.items())), who])
    return FlowScorer(name, digest, prepared, given, chosen, bool(used), call)


def given_to(references: Mapping[str, str], seen: Seen) -> dict[str, Json] | str:
    """Give what a scorer is given; or in words, which output of the trial it lacks.

    Raises `StoreError` where it is given something of a run that is not kept any more.
    """
    given: dict[str, Json] = {}
    for name, reference in references.items():
        source, _, key = reference.partition(".")
        if source == "row":
            given[name] = column_of(seen.row.columns, key)
        elif source == "inputs":
            given[name] = seen.inputs.get(key)
        elif source == "trace":
            given[name] = TRACE[key](seen.entries())
        elif key in seen.outputs:
            given[name] = seen.outputs[key]
        else:
            return f"`{key}` was not produced."
    return {name: one for name, one in given.items() if one is not None}


def given_of_row(scorer: Scorer, row: Row) -> str:
    """Name by content what a scorer is given of a row; empty where that is nothing."""
    columns = sorted(one.removeprefix("row.") for one in scorer.given.values() if one.startswith("row."))
    return digest_of([column_of(row.columns, one) for one in columns]) if columns else ""


def _trajectory(name: str, use: ScorerUse) -> ReadScorer:
    """A scorer of a trial's way, which is given what it looks at by its own name."""
    score = reader(use.trajectory, use.settings, use.given)
    references = {**use.given, use.trajectory: f"trace.{use.trajectory}"}

    def read(seen: Seen) -> Score:
        given = given_to(references, seen)
        return Score(0.0, ok=False, reason=given) if isinstance(given, str) else score(given)

    digest = digest_of(["trajectory", use.trajectory, dict(use.settings), dict(sorted(use.given.items()))])
    return ReadScorer(name, digest, read, use.given)


def _default_value(given: Mapping[str, str], variants: Sequence[OpenVariant]) -> dict[str, str]:
    """What is checked where nothing is said: the output that all variants have, if it is the only one."""
    if "value" in given or not variants:
        return {}
    shared = set(variants[0].outputs).intersection(*(one.outputs for one in variants))
    if len(shared) != 1:
        names = ", ".join(f"`outputs.{one}`" for one in sorted(shared)) or "none that all variants have"
        raise UsageError(f"say in `given` what is scored, as `value`: outputs are {names}.")
    return {"value": f"outputs.{shared.pop()}"}


def _check_flow(use: ScorerUse, registry: Registry, given: Mapping[str, str]) -> Flow:
    """The flow of a check: an input for each thing it is given, and what it says as outputs."""
    kind = registry.get(use.check)
    if kind is None or not use.check.startswith(CHECKS):
        known = ", ".join(f"`{one.kind}`" for one in registry if one.kind.startswith(CHECKS))
        raise UsageError(f"there is no check `{use.check}`. There are {known}.")
    settings = dict(use.settings)
    if any(spec.name == AT_FAULT for spec in kind.settings):
        settings[AT_FAULT] = "go on"
    unknown = sorted(set(settings) - {spec.name for spec in kind.settings})
    if unknown:
        raise UsageError(f"`{use.check}` has no setting `{unknown[0]}`.")
    kind.complete_settings(settings)
    node = Node(kind=use.check, settings=settings)
    signature = registry.signature(node)
    ports = {str(one.name): one for one in signature.inputs} if signature is not None else {}
    said = {str(one.name) for one in signature.outputs} if signature is not None else set[str]()
    for name in given:
        if name not in ports:
            listed = ", ".join(f"`{one}`" for one in ports)
            raise UsageError(f"`{use.check}` has no input `{name}`. It has {listed}.")
    names = {name: NodeId(name) for name in given}
    nodes = {names[name]: Node(kind="io.flow_input", settings={"type": _type(ports[name])}) for name in given}
    outputs = {NodeId(one): Node(kind="io.flow_output") for one in VERDICT if one in said}
    wires = [
        *(Wire(Socket(names[name], PortName("value")), Socket(CHECK, PortName(name))) for name in given),
        *(Wire(Socket(CHECK, PortName(one)), Socket(one, PortName("value"))) for one in outputs),
    ]
    return Flow(
        f"Score by {kind.title}",
        nodes={CHECK: node, **nodes, **outputs},
        wires=tuple(sorted(wires, key=lambda one: one.sort_key)),
    )


def _type(port: Port) -> str:
    return "json" if port.type.is_variable or port.type.base == "any" else str(port.type)


def _unmet(scorer: Scorer, variants: Sequence[OpenVariant], dataset: Dataset) -> Iterator[str]:
    """Tell which inputs of a scorer nothing would fill, or nothing that there is."""
    if isinstance(scorer, FlowScorer):
        fields = {str(one.node): one for one in input_fields(scorer.prepared.flow, scorer.prepared.registry)}
        yield from (f"it has no input `{name}`." for name in scorer.given if name not in fields)
        for name, one in fields.items():
            if one.is_required and name not in scorer.given:
                yield f"nothing is given to its input `{name}`."
    for reference in scorer.given.values():
        source, _, key = reference.partition(".")
        if source == "row":
            if not any(has_column(one.columns, key) for one in dataset.rows):
                yield f"no row has a column `{key}`."
        elif source == "trace":
            if key not in TRACE:
                known = ", ".join(f"`{one}`" for one in TRACE)
                yield f"nothing called `{key}` is read of a trial's run. There are {known}."
        else:
            yield from _lacking(source, key, variants)


def _lacking(source: str, name: str, variants: Sequence[OpenVariant]) -> Iterator[str]:
    """Tell which variants have no such input or output."""
    for one in variants:
        known = one.outputs if source == "outputs" else [str(field.node) for field in one.fields]
        if name not in known:
            yield f"`{one.name}` has no {source[:-1]} `{name}`."
