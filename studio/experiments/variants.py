"""A variant that can run: its flow patched and checked, its chat profile found, and both named by content."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from studio.errors import ExperimentFileError, StepwireError
from studio.experiments.datasets import digest_of
from studio.experiments.experiment import Experiment, Variant
from studio.experiments.identity import identity_of
from studio.experiments.patches import patched
from studio.flow.files.codec import digest_text
from studio.flow.ports import Structure
from studio.flow.records import Flow, Layout
from studio.kit.ready_flow import PreparedFlow, load
from studio.llm.client import ChatProfile
from studio.runtime.gates.faults import Fault, faults_to_json, placed
from studio.runtime.limits.budget import read_limits
from studio.sdk.registry import Registry
from studio.workspace.inputs import InputField, input_fields
from studio.workspace.problems import read_flow
from studio.workspace.profiles import choose_profile, find_profile
from studio.workspace.project import Project
from studio.workspace.runs import profiles_used


@dataclass(frozen=True, slots=True)
class OpenVariant:
    """A variant that can run: its flow made ready, who answers its chats, and what a trial may spend.

    `version` names the flow and those that it calls by their content, without layout; `answered` who answers.
    """

    name: str
    prepared: PreparedFlow
    fields: Sequence[InputField]
    profile: ChatProfile | None
    limits: Mapping[str, float]
    outputs: Sequence[str]
    version: str
    answered: str
    faults: tuple[Fault, ...]
    is_free: bool
    """Whether all that it asks answers in this process, so that nothing is bought."""


class PatchError(Exception):  # mapped to lines by who reads the file
    """Edits of a variant that mean nothing: the place of each, and why."""

    def __init__(self, wrong: Sequence[tuple[int, str]]) -> None:
        super().__init__(wrong)
        self.wrong = wrong


def open_variant(
    project: Project,
    experiment: Experiment,
    label: str,
    variant: Variant,
    registry: Registry,
    environ: Mapping[str, str],
) -> OpenVariant:
    """Make a variant ready; raises `ExperimentFileError`, and `PatchError` for edits that mean nothing."""
    path = (project.root / variant.flow).resolve() if variant.flow else project.main_flow
    if not path.is_relative_to(project.root) or not path.is_file():
        raise ExperimentFileError(f"the project has no flow `{variant.flow}`.")
    try:
        flow, wrong = patched(read_flow(path).flow, variant.patch, registry)
    except StepwireError as error:
        raise _told(error) from error
    if wrong:
        raise PatchError(wrong)
    return variant_of(project, experiment, label, variant, flow, registry, environ)


def variant_of(
    project: Project,
    experiment: Experiment,
    label: str,
    variant: Variant,
    flow: Flow,
    registry: Registry,
    environ: Mapping[str, str],
    *,
    flows: Mapping[str, Flow] | None = None,
) -> OpenVariant:
    """Make ready a variant whose flow is a value, which may call `flows`, else those of the project.

    Raises `ExperimentFileError`.
    """
    try:
        prepared = load(flow, flows=flows, nodes=registry, project=project)
        placed(variant.faults, flow, prepared.registry, prepared.flows)
        limits = read_limits(
            {**project.limits, **experiment.limits, **variant.limits}, f"The variant `{label}`"
        )
        chosen = choose_profile(project, variant.chat or experiment.chat, environ)
        used = {
            name for one in (flow, *prepared.flows.values()) for name in profiles_used(one, prepared.registry)
        }
        asked = [chosen if name == "" else find_profile(project, name) for name in sorted(used)]
    except StepwireError as error:
        raise _told(error) from error
    if chosen is None and "" in used:
        raise ExperimentFileError("it asks a model, and no chat profile is named; name one as `chat`.")
    return OpenVariant(
        label,
        prepared,
        input_fields(flow, prepared.registry),
        chosen if "" in used else None,
        limits,
        output_names(flow, prepared.registry),
        version_of(flow, prepared.flows),
        digest_of([identity_of(project, one, environ) for one in asked if one is not None]),
        variant.faults,
        all(one.is_in_process for one in asked if one is not None),
    )


def _told(error: StepwireError) -> ExperimentFileError:
    details: Sequence[str] = getattr(error, "details", ())
    return ExperimentFileError(" ".join((error.message, *details)))


def decided_by(one: OpenVariant) -> list[object]:
    """What of a variant decides its trials, as JSON."""
    more: list[object] = [faults_to_json(one.faults)] if one.faults else []
    return [one.version, one.answered, dict(one.limits), *more]


def output_names(flow: Flow, registry: Registry) -> list[str]:
    """Name the outputs of a flow, in the order of its file."""
    signatures = ((name, registry.signature(node)) for name, node in flow.nodes.items())
    return [str(name) for name, one in signatures if one and one.structure is Structure.FLOW_OUTPUT]


def version_of(flow: Flow, flows: Mapping[str, Flow]) -> str:
    """Name a flow, with those that it calls, by what of them decides a run: all but title and layout."""
    bare = [replace(one, name="", description="", layout=Layout()) for one in (flow, *flows.values())]
    return digest_of([["", *flows], [digest_text(one) for one in bare]])


def refusals(project: Project, variant: OpenVariant, experiment: Experiment) -> Iterator[str]:
    """Why those who would answer may not: answers made up, unless named; and nobody is there to be asked."""
    flows = (variant.prepared.flow, *variant.prepared.flows.values())
    names = {name for one in flows for name in profiles_used(one, variant.prepared.registry)} - {""}
    asked = [find_profile(project, name) for name in sorted(names)]
    asked += [variant.profile] if variant.profile is not None else []
    asked += [find_profile(project, name) for one in asked for name in one.fallback]
    for one in {one.name: one for one in asked}.values():
        if one.provider == "made-up" and not experiment.made_up:
            yield (
                f"the answers of `{one.name}` would be made up and say nothing of a model; "
                'write `"made_up": true` to allow it.'
            )
        if one.provider == "person":
            yield f"`{one.name}` is answered by a person, and nobody is there to be asked."
