from pathlib import Path

from studio.app.settings import Settings


def test_preferences_survive_a_restart(tmp_path: Path) -> None:
    settings = Settings(tmp_path)
    settings.theme = "light"
    settings.window_state = "QUJD"
    again = Settings(tmp_path)
    assert (again.theme, again.window_state) == ("light", "QUJD")


def test_the_last_project_comes_first_once_and_only_while_it_exists(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    for folder in (one, two):
        folder.mkdir()
    settings = Settings(tmp_path / "config")
    for folder in (one, two, one):
        settings.remember(folder)
    assert Settings(tmp_path / "config").recent == [one, two]
    two.rmdir()
    assert settings.recent == [one]


def test_a_change_is_heard_by_name_and_only_when_it_is_one(tmp_path: Path) -> None:
    settings = Settings(tmp_path)
    heard: list[str] = []
    end = settings.on_change(heard.append)
    settings.theme = "dark"
    settings.theme = "dark"
    end()
    settings.theme = "light"
    assert heard == ["theme"]


def test_values_of_another_kind_are_not_believed(tmp_path: Path) -> None:
    (tmp_path / "settings.json").write_text('{"theme": 3, "recent": ["/nowhere", 1], "window_state": true}')
    settings = Settings(tmp_path)
    assert (settings.theme, settings.recent, settings.window_state) == ("", [], "")
