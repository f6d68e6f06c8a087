"""Edits, undo, redo, jumps, saves, crashes and others, in any order: what undo gives never differs."""

import json
import shutil
import tempfile
from pathlib import Path
from typing import ClassVar

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from studio.app.documents.journal_file import journal_folder
from studio.app.documents.journal_writer import JournalWriter
from studio.app.documents.session import Session
from studio.flow.change import difference
from studio.flow.files.codec import dumps, loads
from studio.flow.records import Flow
from studio.workspace.catalog import builtin_registry
from tests.app.flows import chain
from tests.app.written_projects import write_project
from tests.examples import examples
from tests.flow.strategies import flows


class EditingMachine(RuleBasedStateMachine):
    """The model is a list of texts, the place in it, and what the file says."""

    registry: ClassVar = builtin_registry()

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.path = write_project(self.folder / "trial", flow=chain())
        self.writer = JournalWriter(delay=0)

    @initialize()
    def begin(self) -> None:
        self._open()
        self.session.save(over=True)  # as this studio writes it
        self.texts, self.place = [dumps(self.session.flow)], 0
        self.saved = self.texts[0]
        self.last: tuple[list[str], int] | None = (list(self.texts), 0)

    def teardown(self) -> None:
        self.session.close()
        self.writer.close()
        shutil.rmtree(self.folder)

    def _open(self) -> None:
        self.session = Session.open(self.path, self.registry)
        self.session.keep_journal(self.writer)

    def _moved(self, texts: list[str], place: int) -> None:
        self.last = (list(self.texts), self.place)
        self.texts, self.place = texts, place

    @rule(flow=flows())
    def edit(self, flow: Flow) -> None:
        text = dumps(flow)
        if text != self.texts[self.place]:
            wanted = loads(text).flow
            self.session.history.do(difference(self.session.flow, wanted, "Edit"))
            self._moved([*self.texts[: self.place + 1], text], self.place + 1)

    @rule()
    def undo(self) -> None:
        if self.session.history.undo() is not None:
            self._moved(self.texts, self.place - 1)

    @rule()
    def redo(self) -> None:
        if self.session.history.redo() is not None:
            self._moved(self.texts, self.place + 1)

    @rule(data=st.data())
    def jump(self, data: st.DataObject) -> None:
        place = data.draw(st.integers(0, len(self.texts) - 1))
        if self.session.history.jump(place) is not None:
            self._moved(self.texts, place)

    @rule()
    def save(self) -> None:
        self.session.save(over=True)
        self.saved = self.texts[self.place]
        self.last = (list(self.texts), self.place)

    @rule()
    def discard(self) -> None:
        if self.session.is_modified:
            self.session.discard()
            self._moved([*self.texts[: self.place + 1], self.saved], self.place + 1)
            self.last = (list(self.texts), self.place)

    @rule()
    def end(self) -> None:
        self.session.close()
        self._open()

    @rule()
    def crash_while_the_last_move_is_written(self) -> None:
        self.session.close()
        for journal in journal_folder(self.session.project.root, self.session.name).glob("*.journal"):
            data = journal.read_bytes()
            if self.last and data.count(b"\n") > 2 and b"jump" in data.splitlines()[-1]:
                journal.write_bytes(data[:-3])
                self.texts, self.place = self.last
                self.last = None  # what was before that is nowhere in the model
        self._open()

    @precondition(lambda self: self.texts[self.place] == self.saved)
    @rule(name=st.text("abc", min_size=1, max_size=3))
    def others_edit_the_file(self, name: str) -> None:
        self.session.close()
        document = json.loads(self.saved)
        document["name"] = f"{document['name']}{name}"
        self.session.path.write_text(dumps(loads(json.dumps(document)).flow), "utf-8")
        self._open()
        text = dumps(self.session.flow)
        self.saved = text
        self._moved([*self.texts[: self.place + 1], text], self.place + 1)
        self.last = (list(self.texts), self.place)

    @invariant()
    def the_flow_and_its_steps_are_those_of_the_model(self) -> None:
        if not hasattr(self, "texts"):
            return
        self.writer.flush()  # a crash reads the file, so no thread decides what is one write
        history = self.session.history
        assert dumps(history.flow) == self.texts[self.place]
        assert (history.position, len(history.steps)) == (self.place, len(self.texts) - 1)
        assert history.is_modified == (self.texts[self.place] != self.saved)
        assert not self.session.recovered.damaged


TestEditing = EditingMachine.TestCase
TestEditing.settings = settings(max_examples=examples(20), stateful_step_count=15, deadline=None)
