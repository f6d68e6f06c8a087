from studio.flow.plain_text import excerpt, on_one_line, pretty


def test_an_excerpt_is_one_line_and_says_that_it_is_cut() -> None:
    cut = excerpt("one\ntwo " * 100, 20)
    assert len(cut) <= 20
    assert "\n" not in cut
    assert cut.endswith("…")


def test_text_stands_as_it_is_and_everything_else_as_json() -> None:
    assert pretty("a\n b") == "a\n b"
    assert pretty({"é": [None]}) == '{\n  "é": [\n    null\n  ]\n}'
    assert on_one_line("a\n b") == "a b"
    assert on_one_line({"é": None}) == '{"é": null}'
