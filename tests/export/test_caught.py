"""What a catch takes in, where some of the steps before it are left out."""

import pytest

from tests.export.moments import moments_of_run, moments_of_script
from tests.export.test_overlap import CASES, END, ITEMS, probe, steps
from tests.reference.generator import Case


@pytest.mark.parametrize("fails", [0, 100])
def test_a_step_takes_place_where_one_before_it_that_it_may_do_without_does_not(fails: int) -> None:
    flow = steps(
        "word.value -> fork.value",
        "fork.yes -> more.value",
        "fork.no -> maybe.one",
        "maybe.text -> always.parts[0]",
        "always.text -> safe.value",
        "safe.value -> last.parts[0]",
        "safe.error -> last.parts[1]",
        "last.text -> out.value",
        fork=("control.branch", CASES),
        more=END,
        maybe=probe(1),
        always=("test.probe", {"seconds": 5, "name": "always", "fails": fails}, {"one": "typed"}),
        safe="control.catch",
        last=("test.probe", {"name": "last"}, {"one": "typed"}),
    )
    for word in ("a", ""):
        case = Case(flow, {"word": word})
        ran, engine = moments_of_run(case)
        ended, script = moments_of_script(case)
        assert ended.ended.outputs == dict(ran.outputs)
        assert (script.over, script.spoke) == (engine.over, engine.spoke)


@pytest.mark.parametrize("fails", [0, 100])
def test_a_step_of_an_item_with_a_policy_may_come_after_one_outside_that_fails(fails: int) -> None:
    flow = steps(
        "word.value -> before.one",
        "before.text -> quiet.after",
        "list.value -> each.items",
        "each.item -> quiet.one",
        "quiet.error -> sorry.one",
        "quiet.text -> way.values[0]",
        "sorry.text -> way.values[1]",
        "way.value -> item.one",
        "item.text -> all.value",
        "all.values -> safe.value",
        "safe.value -> last.parts[0]",
        "safe.error -> last.parts[1]",
        "last.text -> out.value",
        before=probe(2, fails=fails),
        quiet=probe(1, {"on_error": "output"}, fails=50),
        sorry=probe(1),
        way="control.merge",
        item=probe(1),
        safe="control.catch",
        last=("test.probe", {"name": "last"}, {"one": "typed"}),
        **ITEMS,
    )
    case = Case(flow, {"word": "a"})
    ran, engine = moments_of_run(case)
    ended, script = moments_of_script(case)
    assert ended.ended.outputs == dict(ran.outputs)
    assert (script.over, script.spoke) == (engine.over, engine.spoke)
