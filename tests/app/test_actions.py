import pytest

from studio.app.actions import Action, Actions


def _action(
    name: str, title: str = "", shortcut: str = "", *, group: str = "Edit", enabled: bool = True
) -> Action:
    return Action(name, title or name, group, lambda: None, shortcut, is_enabled=lambda: enabled)


def test_an_action_runs_only_while_it_is_possible() -> None:
    done: list[str] = []
    actions = Actions()
    actions.add(
        Action("undo", "Undo", "Edit", lambda: done.append("undo")),
        Action("redo", "Redo", "Edit", lambda: done.append("redo"), is_enabled=lambda: False),
    )
    assert actions.run("undo")
    assert not actions.run("redo")
    assert done == ["undo"]


def test_two_actions_never_share_a_name_or_a_shortcut() -> None:
    actions = Actions()
    actions.add(_action("undo", shortcut="Ctrl+Z"))
    with pytest.raises(ValueError, match="two actions"):
        actions.add(_action("undo"))
    with pytest.raises(ValueError, match=r"share the shortcut Ctrl\+Z"):
        actions.add(_action("other", shortcut="Ctrl+Z"))


def test_the_palette_finds_by_words_of_group_and_title() -> None:
    actions = Actions()
    actions.add(_action("a", "Show run"), _action("b", "Run the flow", group="Run"), _action("c", "Save"))
    assert [action.id for action in actions.find("run")] == ["b", "a"]
    assert [action.id for action in actions.find("run flow")] == ["b"]


def test_actions_can_be_taken_back() -> None:
    heard: list[None] = []
    actions = Actions()
    actions.on_change(lambda: heard.append(None))
    remove = actions.add(_action("a", shortcut="F5"))
    remove()
    assert "a" not in actions
    actions.add(_action("b", shortcut="F5"))
    assert len(heard) == 3
