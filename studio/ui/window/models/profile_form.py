"""The fields of one chat profile; which are shown follows the kind of endpoint and where its key is."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, cast, get_args

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtWidgets import QLineEdit, QScrollArea, QWidget

from studio.ids import MADE_UP, PERSON
from studio.llm.client import ChatProfile, Continues, Effort, Provider, ServiceTier
from studio.llm.limits import TimeLimits
from studio.llm.presets import PRESETS, preset_of
from studio.ui.editors.editor import Editor
from studio.ui.editors.simple import ChoiceEditor, FlagEditor, LineEditor, NumberEditor
from studio.ui.labels import text_label
from studio.ui.layouts import column_layout
from studio.ui.look import Look
from studio.ui.panels.inspector.form import Form
from studio.ui.window.models.solver_form import SolverForm

SCRIPTED, SIMULATED = "scripted", "simulated"
IN_PROCESS = (SCRIPTED, SIMULATED, MADE_UP, PERSON)
NEVER_ASKED = (SIMULATED, MADE_UP, PERSON)
"""Kinds that have no endpoint anywhere."""
AZURE = "azure"
USUAL = TimeLimits()
COUNTS = ("at_once", "requests_per_minute", "tokens_per_minute")
CLOCKS = ("connect", "first_token", "idle", "total")


@dataclass(frozen=True, slots=True)
class Draft:
    """A profile as it is edited, with what is kept outside of the project."""

    profile: ChatProfile
    key: str = ""
    """A key that was typed, for the keyring."""
    is_allowed: bool = False
    """Whether the key in the variable may be sent to the base URL."""
    is_default: bool = False


class ProfileForm(QScrollArea):
    """Shows one draft; `edited` tells that a person changed it."""

    edited = Signal()

    def __init__(self, look: Look, parent: QWidget | None = None, *, root: Path = Path()) -> None:
        super().__init__(parent)
        self._draft = Draft(ChatProfile(""))
        self.setWidgetResizable(True)
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        page = QWidget(self)
        rows = column_layout(page, (0, 0, look.length("space.large"), 0), look.length("space.wide"))
        self.about = text_label("", page, tone="muted", wraps=True)
        self.fields = Form(look, "", page)
        self.limits = Form(look, self.tr("Limits"), page)
        rows.addWidget(self.about)
        self.solvers = SolverForm(look, self._hear, page, root=root)
        rows.addWidget(self.fields)
        rows.addWidget(self.solvers)
        rows.addWidget(self.limits)
        rows.addStretch(1)
        self.setWidget(page)
        self._fill()

    def draft(self) -> Draft:
        """The draft as it stands in the fields."""
        kind = str(self.fields["kind"].value())
        clocks = {clock: self.limits[clock].value() for clock in CLOCKS}
        names = (name.strip() for name in self._text("fallback").split(","))
        profile = replace(
            self._draft.profile,
            name=self._text("name"),
            provider=_PROVIDERS.get(kind, "openai"),
            kind="" if kind in IN_PROCESS else kind,
            base_url=self._text("base_url") if kind not in NEVER_ASKED else "",
            solver=self.solvers.solver() if kind == SIMULATED else {},
            seed=int(cast("float | None", self.fields["seed"].value()) or 1) if kind == MADE_UP else 1,
            script=self._draft.profile.script if kind == SCRIPTED else "",
            llm=self._text("llm") if kind not in IN_PROCESS else "",
            key_from=cast('Literal["environment", "keyring"]', self.fields["key_from"].value()),
            key_env=self._text("key_env"),
            api=cast('Literal["auto", "chat", "responses"]', self.fields["api"].value()),
            fallback=tuple(name for name in names if name),
            api_version=self._text("api_version") if kind == AZURE else "",
            effort=cast("Effort", self.fields["effort"].value()),
            service_tier=cast("ServiceTier", self.fields["service_tier"].value()),
            continues=cast("Continues", self.fields["continues"].value()),
            cache_marks=bool(self.fields["cache_marks"].value()),
            **{name: int(cast("float | None", self.limits[name].value()) or 0) for name in COUNTS},
            time_limits={
                name: float(value) for name, value in clocks.items() if isinstance(value, int | float)
            },
        )
        flags = (bool(self.fields[name].value()) for name in ("is_allowed", "is_default"))
        return Draft(profile, self._text("key"), *flags)

    def show_draft(self, draft: Draft) -> None:
        """Show a draft without telling anyone."""
        self._draft = draft
        one = draft.profile
        shown: dict[str, object] = {
            "name": one.name,
            "kind": one.provider if one.provider in IN_PROCESS else preset_of(one.kind).kind,
            "base_url": one.base_url,
            "llm": one.llm,
            "key_from": one.key_from,
            "key_env": one.key_env,
            "key": draft.key,
            "is_allowed": draft.is_allowed,
            "fallback": ", ".join(one.fallback),
            "api": one.api,
            "api_version": one.api_version,
            "effort": one.effort,
            "service_tier": one.service_tier,
            "continues": one.continues,
            "cache_marks": one.cache_marks,
            "seed": one.seed if one.seed != 1 else None,
            "is_default": draft.is_default,
        }
        for name, value in shown.items():
            self.fields[name].set_value(value)
        self.solvers.show_solver(one.solver)
        for name in COUNTS:
            self.limits[name].set_value(getattr(one, name) or None)
        for clock in CLOCKS:
            self.limits[clock].set_value(one.time_limits.get(clock))
        self._kind = str(shown["kind"])
        self._arrange()

    def say(self, field: str, message: str) -> None:
        """Say beneath a field what is wrong with it."""
        self.fields[field].say(message)

    def _fill(self) -> None:
        tr = self.tr
        own = [
            (SCRIPTED, tr("Scripted answers")),
            (SIMULATED, tr("Simulated solvers")),
            (MADE_UP, tr("Made-up answers")),
            (PERSON, tr("I answer")),
        ]
        kinds = [*((one.kind, one.title) for one in PRESETS), *own]
        places = [
            ("environment", tr("an environment variable")),
            ("keyring", tr("the keyring of this system")),
        ]
        key = LineEditor(tr("Key"), hint=tr("leave empty to keep it"))
        key.field.setEchoMode(QLineEdit.EchoMode.Password)
        self._kind = PRESETS[0].kind
        self._add("name", tr("Name"), LineEditor(tr("Name")))
        self._add("kind", tr("Endpoint"), ChoiceEditor(tr("Endpoint"), kinds))
        self._add("base_url", tr("Base URL"), LineEditor(tr("Base URL"), hint=tr("from OPENAI_BASE_URL")))
        self._add("llm", tr("Model"), LineEditor(tr("Model"), hint=tr("from OPENAI_MODEL")))
        seed = NumberEditor(tr("Seed"), whole=True, least=1, optional=True, hint="1")
        self._add("seed", tr("Seed"), seed, tr("A different number gives different made-up answers."))
        self._add("key_from", tr("Key from"), ChoiceEditor(tr("Key from"), places))
        self._add("key_env", tr("Variable"), LineEditor(tr("Variable")))
        self._add("key", tr("Key"), key, tr("Saved in the keyring for this base URL, never in the project."))
        self._add(
            "is_allowed",
            "",
            FlagEditor(tr("The key in this variable may be sent to this base URL")),
            tr("Saved in your own settings: a project can't decide where your keys are sent."),
        )
        apis = [
            ("auto", tr("the endpoint's preference")),
            ("chat", tr("Chat Completions")),
            ("responses", tr("Responses")),
        ]
        self._add("api", tr("API"), ChoiceEditor(tr("API"), apis))
        self._add(
            "api_version",
            tr("Version"),
            LineEditor(tr("Version"), hint=tr("optional, such as 2024-10-21 for a dated API")),
        )
        self._fill_requests()
        self._add(
            "fallback",
            tr("Fallback"),
            LineEditor(tr("Fallback"), hint=tr("profile names, in order")),
            tr("Tried when this one can't be reached or refuses, before any output was shown."),
        )
        self._add("is_default", "", FlagEditor(tr("Use this profile by default")))
        words = (tr("Parallel calls"), tr("Calls per minute"), tr("Tokens per minute"))
        for name, label in zip(COUNTS, words, strict=True):
            many = NumberEditor(label, whole=True, least=1, optional=True, hint=tr("no limit"))
            self._limit(name, label, many)
        for clock, words in zip(CLOCKS, _clock_words(), strict=True):
            usual = f"{getattr(USUAL, clock):g} s"
            self._limit(clock, words, NumberEditor(words, least=0.1, optional=True, hint=usual))

    def _fill_requests(self) -> None:
        """Add what every request says."""
        tr = self.tr
        efforts = [(one, one or tr("the endpoint's default")) for one in get_args(Effort)]
        tiers = [(one, one or tr("the account's default")) for one in get_args(ServiceTier)]
        ways = [
            ("auto", tr("by its base URL")),
            ("message", tr("as the last message")),
            ("prefix", tr("as the last message, marked `prefix` (Mistral, DeepSeek)")),
            ("continue_final_message", tr("with `continue_final_message` (vLLM)")),
            ("no", tr("not at all")),
        ]
        effort, tier, begun = tr("Reasoning effort"), tr("Service tier"), tr("Continues replies")
        self._add("effort", effort, ChoiceEditor(effort, efforts), tr("Used where a node sets none."))
        self._add("service_tier", tier, ChoiceEditor(tier, tiers))
        about = tr("How this endpoint takes the beginning of a reply, which a chat can set.")
        self._add("continues", begun, ChoiceEditor(begun, ways), about)
        self._add(
            "cache_marks",
            "",
            FlagEditor(tr("Mark what the provider is to cache (`cache_control`)")),
            tr("Anthropic and OpenRouter need the marks; OpenAI caches without. Chat Completions only."),
        )

    def _add(self, name: str, label: str, editor: Editor, help_text: str = "") -> None:
        self.fields.add(name, label, editor, edited=lambda _: self._hear(), help_text=help_text)

    def _limit(self, name: str, label: str, editor: Editor) -> None:
        self.limits.add(name, label, editor, edited=lambda _: self._hear(), is_row=True)

    def _text(self, name: str) -> str:
        return str(self.fields[name].value() or "").strip()

    def _hear(self) -> None:
        kind = str(self.fields["kind"].value())
        if kind != self._kind:
            self._take_preset(self._kind, kind)
            self._kind = kind
        for field in (*self.fields, *self.solvers):
            field.editor.say("")
        self._arrange()
        self.edited.emit()

    def _take_preset(self, before: str, kind: str) -> None:
        """Put in what is usual for a kind, where nothing stands but what was usual for the one before."""
        if kind in IN_PROCESS:
            self.fields["base_url"].set_value("")
        old, new = preset_of(before), preset_of(kind)
        for name, was, becomes in (
            ("base_url", old.base_url, new.base_url),
            ("key_env", old.key_env or "OPENAI_API_KEY", new.key_env or "OPENAI_API_KEY"),
        ):
            if self._text(name) in ("", was):
                self.fields[name].set_value(becomes)

    def _about(self, kind: str) -> str:
        if kind == SIMULATED:
            return self.tr(
                "Simulated agents with the accuracy, cost and latency you set: evaluate a "
                "topology before paying for it."
            )
        if kind in IN_PROCESS:
            return ""
        return preset_of(kind).help

    def _arrange(self) -> None:
        is_kept = self.fields["key_from"].value() == "keyring"
        kind = str(self.fields["kind"].value())
        is_scripted = kind in IN_PROCESS
        self.about.setText(self._about(kind))
        self.about.setVisible(bool(self.about.text()))
        self.solvers.setVisible(kind == SIMULATED)
        shown = {
            "base_url": kind not in NEVER_ASKED,
            "seed": kind == MADE_UP,
            "api": kind not in NEVER_ASKED,
            "api_version": kind == AZURE,
            "llm": not is_scripted,
            "effort": not is_scripted,
            "service_tier": not is_scripted,
            "continues": not is_scripted,
            "cache_marks": not is_scripted,
            "key_from": not is_scripted,
            "key_env": not is_scripted and not is_kept,
            "key": not is_scripted and is_kept,
            "is_allowed": not is_scripted and not is_kept and bool(self._text("base_url")),
        }
        for name, is_shown in shown.items():
            self.fields.show_field(name, is_shown=is_shown)
        url = self.fields["base_url"]
        if isinstance(url, LineEditor):
            own = self.tr("the project's answers") if is_scripted else self.tr("from OPENAI_BASE_URL")
            url.field.setPlaceholderText(own)
        editor = self.fields["llm"]
        example = preset_of(str(self.fields["kind"].value())).llm
        if isinstance(editor, LineEditor):
            hint = self.tr("{name}; empty: from OPENAI_MODEL") if example else self.tr("from OPENAI_MODEL")
            editor.field.setPlaceholderText(hint.format(name=example))


_PROVIDERS: Mapping[str, Provider] = {
    SCRIPTED: "scripted",
    SIMULATED: "simulated",
    MADE_UP: "made-up",
    PERSON: "person",
}


def _clock_words() -> tuple[str, ...]:
    translate = QCoreApplication.translate
    return (
        translate("ProfileForm", "Connect"),
        translate("ProfileForm", "First token"),
        translate("ProfileForm", "Next token"),
        translate("ProfileForm", "Whole answer"),
    )
