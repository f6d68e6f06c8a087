from collections.abc import Sequence
from pathlib import Path

import pytest

from studio.app.commands import Command, Commands
from studio.app.key_map import KeyMap
from studio.app.settings import Settings


def _command(
    name: str,
    title: str = "",
    shortcut: str = "",
    *,
    menu: str | None = "Edit",
    enabled: bool = True,
    also: Sequence[str] = (),
    words: str = "",
) -> Command[list[str]]:
    return Command(
        name,
        title or name,
        menu,
        lambda done: done.append(name),
        shortcut,
        lambda _: enabled,
        also=tuple(also),
        words=words,
    )


def _offered(*commands: Command[list[str]], keys: KeyMap | None = None) -> tuple[Commands, list[str]]:
    done: list[str] = []
    registry = Commands(keys)
    registry.add(commands, lambda: done)
    return registry, done


def test_a_command_runs_only_while_it_is_possible() -> None:
    registry, done = _offered(_command("undo"), _command("redo", enabled=False))
    assert registry.run("undo")
    assert not registry.run("redo")
    assert done == ["undo"]


def test_nothing_is_possible_while_there_is_nothing_to_do_it_to() -> None:
    registry = Commands()
    registry.add([_command("undo")], lambda: None)
    assert not registry["undo"].is_enabled()
    assert not registry.run("undo")


def test_what_comes_before_and_after_is_done_only_with_a_command_that_is_possible() -> None:
    said: list[str] = []
    registry = Commands()
    commands = [_command("undo"), _command("redo", enabled=False)]
    registry.add(
        commands, lambda: said, before=lambda: said.append("before"), after=lambda: said.append("after")
    )
    registry.run("redo")
    assert not said
    registry.run("undo")
    assert said == ["before", "undo", "after"]


def test_two_commands_never_share_a_name_or_a_key() -> None:
    registry, done = _offered(_command("undo", shortcut="Ctrl+Z"))
    with pytest.raises(ValueError, match="two commands"):
        registry.add([_command("undo")], lambda: done)
    with pytest.raises(ValueError, match=r"share the key Ctrl\+Z"):
        registry.add([_command("other", also=["Ctrl+Z"])], lambda: done)


def test_the_palette_finds_by_words_of_menu_and_title_what_a_menu_has() -> None:
    registry, _ = _offered(
        _command("a", "Show run"),
        _command("b", "Run the flow", menu="run"),
        _command("c", "Save"),
        _command("d", "Run left", menu=None),
    )
    registry.menus = {"run": "Run"}
    assert [one.id for one in registry.find("run")] == ["b", "a"]
    assert [one.id for one in registry.find("run flow")] == ["b"]


def test_the_palette_finds_by_other_words_too_after_what_is_called_so() -> None:
    registry, _ = _offered(
        _command("pause", "Pause", words="hold suspend"),
        _command("keep", "Hold the note"),
        _command("other", "Show the household"),
        _command("stop", "Stop", words="cancel"),
    )
    assert [one.id for one in registry.find("hold")] == ["keep", "other", "pause"]
    assert [one.id for one in registry.find("SUSPEND pause")] == ["pause"]
    assert registry.find("hold cancel") == []


def test_commands_can_be_taken_back() -> None:
    heard: list[None] = []
    registry, done = Commands(), list[str]()
    registry.on_change(lambda: heard.append(None))
    remove = registry.add([_command("a", shortcut="F5")], lambda: done)
    remove()
    assert "a" not in registry
    registry.add([_command("b", shortcut="F5")], lambda: done)
    assert len(heard) == 3


def test_a_chosen_key_is_kept_and_taken_from_the_command_that_had_it(tmp_path: Path) -> None:
    commands = _command("run", shortcut="F5"), _command("step", shortcut="F10", also=["Ctrl+T"])
    registry, _ = _offered(*commands, keys=KeyMap(Settings(tmp_path)))
    registry.choose_keys("run", ["F10", "Ctrl+R"])
    assert registry["run"].keys == ("F10", "Ctrl+R")
    assert registry["step"].keys == ("Ctrl+T",)
    again, _ = _offered(*commands, keys=KeyMap(Settings(tmp_path)))
    assert again["run"].shortcut == "F10"
    assert again.with_key("Ctrl+T") == again["step"]


def test_a_command_without_keys_stays_without_them_and_can_have_its_own_again(tmp_path: Path) -> None:
    registry, _ = _offered(_command("run", shortcut="F5"), keys=KeyMap(Settings(tmp_path)))
    registry.choose_keys("run", [])
    assert registry["run"].shortcut == ""
    registry.restore_keys("run")
    assert registry["run"].keys == ("F5",)
    assert not Settings(tmp_path).keys, "what is as it always was needs no place"


def test_its_own_key_goes_back_to_a_command_from_the_one_that_has_it_meanwhile(tmp_path: Path) -> None:
    commands = _command("run", shortcut="F5"), _command("step", shortcut="F10")
    registry, _ = _offered(*commands, keys=KeyMap(Settings(tmp_path)))
    registry.choose_keys("step", ["F5"])
    registry.restore_keys("run")
    assert (registry["run"].keys, registry["step"].keys) == (("F5",), ())
    registry.restore_keys()
    assert (registry["run"].keys, registry["step"].keys) == (("F5",), ("F10",))


@pytest.mark.parametrize("text", ['{"keys": 3}', '{"keys": {"run": "F5"}}', '{"keys": ["F5"]}'])
def test_keys_that_cannot_be_read_are_left_out(tmp_path: Path, text: str) -> None:
    (tmp_path / "settings.json").write_text(text)
    assert not Settings(tmp_path).keys
