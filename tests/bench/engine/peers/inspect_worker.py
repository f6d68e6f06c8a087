"""Runs samples of two calls each in Inspect AI with its mock model: ROWS EPOCHS FOLDER AT_ONCE; says JSON."""

import json
import resource
import sys
import time
from collections.abc import Iterator
from typing import Any

import inspect_ai
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import match
from inspect_ai.solver import generate, prompt_template, system_message, user_message


def answers() -> Iterator[Any]:
    """The same answer again and again; with its usage, or tokens would be counted by a library."""
    while True:
        told = ModelOutput.from_content("mockllm/model", "r1")
        told.usage = ModelUsage(input_tokens=20, output_tokens=2, total_tokens=22)
        yield told


def main() -> None:
    """Run, and say how long it took."""
    rows, epochs, folder, at_once = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], int(sys.argv[4])
    samples = [Sample(id=str(n), input=f"What is in box {n}?", target=f"r{n}") for n in range(rows)]
    solver = [
        system_message("You are first."),
        prompt_template("{prompt} Say it in one word."),
        generate(),
        user_message("Somebody said that. What is it?"),
        generate(),
    ]
    task = inspect_ai.Task(dataset=samples, solver=solver, scorer=match(location="exact"), epochs=epochs)
    model = get_model("mockllm/model", custom_outputs=answers())
    began, before = time.monotonic(), resource.getrusage(resource.RUSAGE_SELF)
    logs = inspect_ai.eval(task, model=model, log_dir=folder, display="none", max_samples=at_once)
    after, seconds = resource.getrusage(resource.RUSAGE_SELF), time.monotonic() - began
    if logs[0].status != "success":
        raise RuntimeError(logs[0].error)
    calls = [sum(event.event == "model" for event in one.events) for one in logs[0].samples]
    if calls != [2] * (rows * epochs):
        raise RuntimeError(calls)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(json.dumps({"seconds": seconds, "cpu": cpu}))  # noqa: T201


if __name__ == "__main__":
    main()
