import re
from pathlib import Path

import pytest

from studio import places
from studio.ui.theme.tokens import COLORS, Theme, ThemeError, load_theme, theme_names

GROUNDS = (
    *(f"surface.{name}" for name in ("window", "canvas", "panel", "raised", "hover", "pressed", "selection")),
    *("area.loop", "area.map", "area.frame", "note.paper"),
)
TEXTS = ("text.strong", "text.normal", "text.muted")
STATES = COLORS["pill"]


@pytest.fixture(params=theme_names())
def theme(request: pytest.FixtureRequest) -> Theme:
    return load_theme(request.param)


def copied(folder: Path, name: str, old: str, new: str) -> Path:
    """The measures and one theme in `folder`, with a line changed."""
    (folder / "measures.toml").write_text((places.themes() / "measures.toml").read_text())
    source = (places.themes() / f"{name}.toml").read_text()
    assert old in source
    (folder / f"{name}.toml").write_text(source.replace(old, new))
    return folder


def weakest(theme: Theme, marks: list[str], grounds: list[str]) -> tuple[float, str, str]:
    return min(
        (contrast(theme.color(mark), theme.color(ground)), mark, ground)
        for mark in marks
        for ground in grounds
    )


def test_there_is_a_dark_a_light_and_a_high_contrast_theme() -> None:
    assert {"dark", "light", "high_contrast"} <= set(theme_names())
    assert load_theme("dark").is_dark
    assert not load_theme("light").is_dark


def test_every_text_can_be_read_on_every_ground(theme: Theme) -> None:
    ratio, *pair = weakest(theme, list(TEXTS), list(GROUNDS))
    assert ratio >= (7 if theme.name == "high_contrast" else 4.5), pair


def test_a_button_can_be_read_at_rest_under_the_pointer_and_pressed(theme: Theme) -> None:
    ratio, *pair = weakest(theme, ["accent.on_action"], ["accent.action", "accent.hover", "accent.pressed"])
    assert ratio >= 4.5, pair


@pytest.mark.parametrize("state", STATES)
def test_a_state_can_be_read_as_text_as_a_pill_and_as_a_bar(theme: Theme, state: str) -> None:
    ratio, *pair = weakest(theme, [f"state.{state}"], [f"pill.{state}", "surface.panel", "surface.raised"])
    assert ratio >= 4.5, pair
    ratio, *pair = weakest(theme, ["state.on_state"], [f"state.{state}"])
    assert ratio >= 4.5, pair


def test_an_area_names_itself_readably(theme: Theme) -> None:
    for area in ("loop", "map", "frame"):
        assert contrast(theme.color(f"area.{area}_title"), theme.color(f"area.{area}")) >= 4.5


def test_every_mark_can_be_told_from_every_ground(theme: Theme) -> None:
    marks = [f"{table}.{name}" for table in ("port", "category") for name in COLORS[table]]
    marks += [f"state.{state}" for state in STATES] + ["accent.focus", "accent.action"]
    ratio, *pair = weakest(theme, marks, list(GROUNDS))
    assert ratio >= 3, pair


@pytest.mark.parametrize("color", ["blue", "green", "amber", "red", "violet"])
def test_a_coloured_frame_names_itself_readably(theme: Theme, color: str) -> None:
    ratio, *pair = weakest(theme, [f"frame.{color}"], [f"frame.{color}_fill"])
    assert ratio >= (7 if theme.name == "high_contrast" else 4.5), pair


def test_a_score_can_be_read_on_its_colour(theme: Theme) -> None:
    grounds = [f"score.{name}" for name in COLORS["score"]]
    ratio, *pair = weakest(theme, ["text.strong", "text.normal"], grounds)
    assert ratio >= (7 if theme.name == "high_contrast" else 4.5), pair


def test_every_variant_of_a_chart_can_be_seen(theme: Theme) -> None:
    marks = [f"series.{name}" for name in COLORS["series"]]
    ratio, *pair = weakest(theme, marks, ["surface.window", "surface.canvas", "surface.panel"])
    assert ratio >= 3, pair


def test_high_contrast_draws_its_lines_to_be_seen() -> None:
    theme = load_theme("high_contrast")
    ratio, *pair = weakest(theme, ["surface.line", "surface.edge"], ["surface.panel", "surface.raised"])
    assert ratio >= 3, pair


def test_every_theme_has_the_same_names() -> None:
    first, *others = (load_theme(name) for name in theme_names())
    for other in others:
        assert other.colors.keys() == first.colors.keys()
        assert other.numbers.keys() == first.numbers.keys()
        assert other.words.keys() == first.words.keys()


def test_every_category_of_nodes_and_every_folder_of_them_has_a_colour() -> None:
    folders = {path.name for path in places.nodes().iterdir() if path.is_dir() and path.name[0].isalpha()}
    assert folders <= set(COLORS["category"])


def test_contrast_is_what_wcag_says_it_is() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)
    assert contrast("#ffffff", "#ffffff") == 1


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('panel = "#1e2128"', "", "`surface.panel` is not a colour"),
        ('panel = "#1e2128"', 'panel = "grey"', "'grey'"),
        ('panel = "#1e2128"', 'panel = "#1e2128"\nplanel = "#1e2128"', "`surface.planel` is a name that"),
        ("opacity = 0.35", 'opacity = "much"', "`shadow.opacity` is not a number"),
        ('scheme = "dark"', 'scheme = "dim"', "`scheme` is neither"),
        ('title = "Dark"', "", "`title` is missing"),
        ('title = "Dark"', 'title = "Dark', "cannot be read"),
    ],
)
def test_a_theme_that_is_not_complete_is_refused_and_says_why(
    tmp_path: Path, old: str, new: str, said: str
) -> None:
    with pytest.raises(ThemeError, match=re.escape(said)):
        load_theme("dark", copied(tmp_path, "dark", old, new))


def test_a_theme_that_does_not_exist_is_refused_with_those_that_do() -> None:
    with pytest.raises(ThemeError, match="There are: dark, high_contrast, light"):
        load_theme("sepia")


def test_a_theme_may_give_a_measure_of_its_own(tmp_path: Path) -> None:
    folder = copied(tmp_path, "dark", "[shadow]", "[size]\nrow = 32\n\n[shadow]")
    assert load_theme("dark", folder).length("size.row") == 32


def test_a_name_that_no_theme_has_is_an_error(theme: Theme) -> None:
    with pytest.raises(ThemeError, match=r"surface\.ceiling"):
        theme.color("surface.ceiling")


def contrast(first: str, second: str) -> float:
    """The contrast ratio of two colours, 1 to 21, as WCAG 2.2 defines it."""
    lighter, darker = sorted((_luminance(first), _luminance(second)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(color: str) -> float:
    channels = (int(color[at : at + 2], 16) / 255 for at in (1, 3, 5))
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
