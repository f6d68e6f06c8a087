"""The cases in LangGraph: `StateGraph`, `ainvoke`, and its SQLite checkpointer. Runs in its environment."""

import asyncio
import itertools
import operator
import sys
import time
from pathlib import Path
from typing import Annotated, Any, TypedDict

sys.path.insert(0, str(Path(__file__).parent.parent))
from cases import CHAIN_OF_MANY, MANY_STEPS, NAP, bytes_in, import_seconds, message, timed, worked, worker
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import END, START, StateGraph


class Number(TypedDict):
    x: int


class Gathered(TypedDict):
    found: Annotated[list[int], operator.add]


async def add(state: Number) -> dict[str, int]:
    return {"x": state["x"] + 1}


def chain(length: int) -> Any:
    graph = StateGraph(Number)
    before = START
    for number in range(length):
        graph.add_node(f"step_{number}", add)
        graph.add_edge(before, f"step_{number}")
        before = f"step_{number}"
    graph.add_edge(before, END)
    return graph


def fan(width: int) -> Any:
    async def nap(_: Gathered) -> dict[str, list[int]]:
        await asyncio.sleep(NAP)
        return {"found": [1]}

    graph = StateGraph(Gathered)
    graph.add_node("join", lambda state: {"found": [len(state["found"])]})
    for number in range(width):
        graph.add_node(f"nap_{number}", nap)
        graph.add_edge(START, f"nap_{number}")
        graph.add_edge(f"nap_{number}", "join")
    graph.add_edge("join", END)
    return graph


class Conversation(TypedDict):
    found: Annotated[list[dict[str, str]], operator.add]


def growing() -> Any:
    async def one_more(state: Conversation) -> dict[str, list[dict[str, str]]]:
        return {"found": [message(len(state["found"]))]}

    graph = StateGraph(Conversation)
    graph.add_node("one_more", one_more)
    graph.add_edge(START, "one_more")
    graph.add_conditional_edges(
        "one_more", lambda state: END if len(state["found"]) >= GROWN else "one_more", ["one_more", END]
    )
    return graph


GROWN = 4_000


def settings(length: int, thread: int = 0) -> Any:
    return {"recursion_limit": length + 10, "configurable": {"thread_id": str(thread)}}


def in_memory(graph: Any, start: Any, length: int) -> Any:
    compiled = graph.compile()
    return lambda: compiled.ainvoke(start, settings(length))


def run_stored(graph: Any, start: Any, length: int, folder: Path) -> float:
    async def go() -> float:
        async with AsyncSqliteSaver.from_conn_string(str(folder / "runs.sqlite")) as saver:
            compiled = graph.compile(checkpointer=saver)
            await saver.setup()
            began = time.perf_counter()
            await compiled.ainvoke(start, settings(length))
            return time.perf_counter() - began

    return asyncio.run(go())


def plan(size: int, _: Path) -> float:
    graph = chain(size)
    began = time.perf_counter()
    graph.compile()
    return time.perf_counter() - began


def many(count: int, folder: Path) -> float:
    async def go() -> float:
        async with AsyncSqliteSaver.from_conn_string(str(folder / "runs.sqlite")) as saver:
            compiled = chain(CHAIN_OF_MANY).compile(checkpointer=saver)
            await saver.setup()
            began = time.perf_counter()
            await asyncio.gather(
                *(compiled.ainvoke({"x": 0}, settings(CHAIN_OF_MANY, one)) for one in range(count))
            )
            return time.perf_counter() - began

    return asyncio.run(go())


def synced(length: int, count: int, folder: Path) -> Any:
    """Runs that go on at once, each step of which is on disk before the next begins."""

    async def go() -> None:
        async with AsyncSqliteSaver.from_conn_string(str(folder / "runs.sqlite")) as saver:
            compiled = chain(length).compile(checkpointer=saver)
            await saver.setup()
            threads = [settings(length, next(THREADS)) for _ in range(count)]
            await asyncio.gather(*(compiled.ainvoke({"x": 0}, one, durability="sync") for one in threads))

    return go


THREADS = itertools.count()


def disk(size: int, folder: Path) -> float:
    global GROWN  # noqa: PLW0603
    GROWN = size
    run_stored(growing(), {"found": []}, size, folder)
    return float(bytes_in(folder))


worker(
    {
        "plan": plan,
        **dict.fromkeys(
            ("formula", "template", "branch"),
            lambda size, _: worked(in_memory(chain(size), {"x": 0}, size)),
        ),
        "product": lambda size, folder: worked(synced(size, 1, folder)),
        "product_many": lambda count, folder: worked(synced(MANY_STEPS, count, folder)),
        "delays": lambda size, _: worked(in_memory(fan(size), {"found": []}, size)),
        "chain": lambda size, _: worked(in_memory(chain(size), {"x": 0}, size)),
        "chain_stored": lambda size, folder: run_stored(chain(size), {"x": 0}, size, folder),
        "fan": lambda size, _: timed(in_memory(fan(size), {"found": []}, size)),
        "fan_stored": lambda size, folder: run_stored(fan(size), {"found": []}, size, folder),
        "many": many,
        "disk": disk,
        "import": lambda *_: import_seconds("import langgraph.graph, langgraph.checkpoint.sqlite.aio"),
    }
)
