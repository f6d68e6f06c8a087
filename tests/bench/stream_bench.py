"""A streamed token beside the `openai` client: `python -m tests.bench.stream_bench [TOKENS [ROUNDS]]`.

Whole processes, in time of the processor: what an answer of so many tokens costs, less
what an answer of one costs, by the token. Ours is `stepwire run` of a flow with one chat or agent: stored,
folded, and told as it comes; the other iterates the client's stream and joins the text. The endpoint is
`stepwire answer-server`, in a process of its own.
"""

import os
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import yaml

from studio.flow.files.codec import dumps
from tests.runtime.bench import flow_of

CLIENT = """
import sys
from openai import OpenAI
client = OpenAI(base_url=sys.argv[1], api_key="none")
said = client.chat.completions.create(
    model="any", stream=True, messages=[{"role": "user", "content": sys.argv[2]}]
)
print(len("".join(part.choices[0].delta.content or "" for part in said if part.choices)))
"""
KINDS = {"chat": ("llm.chat", "reply"), "agent": ("llm.agent", "reply")}


@contextmanager
def endpoint(folder: Path, tokens: int) -> Iterator[str]:
    """Serve an answer of `tokens` words to whoever asks for the long one, and of one to others."""
    rules = [
        {"name": "long", "when": {"asked": "long"}, "reply": "word " * tokens},
        {"name": "short", "when": {}, "reply": "word"},
    ]
    script = folder / "answers.yaml"
    script.write_text(yaml.safe_dump({"rules": rules}), "utf-8")
    served = subprocess.Popen(  # noqa: S603 - our own command
        [sys.executable, "-m", "studio", "answer-server", str(script)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert served.stdout is not None
    try:
        line = next(line for line in served.stdout if "http://" in line)
        url = next(word for word in line.split() if word.startswith("http://")).rstrip(".,")
        yield url if url.endswith("/v1") else f"{url}/v1"
    finally:
        served.terminate()
        served.wait()


def cost(command: list[str], environ: dict[str, str]) -> float:
    """Seconds of the processor that a process takes, user and system, with those that it waited for."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, env={**os.environ, **environ}, check=True, capture_output=True)  # noqa: S603
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main(tokens: int, rounds: int) -> None:
    """Print one line for each way."""
    with tempfile.TemporaryDirectory() as name, endpoint(Path(name), tokens) as url:
        folder, commands = Path(name), dict[str, list[str]]()
        commands["the openai client"] = [sys.executable, "-c", CLIENT, url]
        for title, (kind, port) in KINDS.items():
            nodes = {
                "question": ("io.flow_input", {"type": "text"}),
                "said": (kind, {}),
                "out": "io.flow_output",
            }
            wires = ["question.value -> said.prompt", f"said.{port} -> out.value"]
            flow = folder / f"{title}.json"
            flow.write_text(dumps(flow_of(nodes, wires)), "utf-8")
            commands[f"stepwire run, {title}"] = [
                *(sys.executable, "-m", "studio", "run", str(flow), "--chat", "openai"),
                "--input",
            ]
        environ = {"OPENAI_BASE_URL": url, "OPENAI_MODEL": "any", "XDG_DATA_HOME": name}
        first = 0.0
        for title, command in commands.items():
            ask = "question=" if command[-1] == "--input" else ""
            costs = [
                (cost([*command, f"{ask}long"], environ) - cost([*command, f"{ask}short"], environ)) / tokens
                for _ in range(rounds)
            ]
            found = statistics.median(costs) * 1e6
            first = first or found
            spread = f"{min(costs) * 1e6:.0f} to {max(costs) * 1e6:.0f}"
            sys.stdout.write(f"{title}: {found:.0f} µs a token ({spread}), {found / first:.2f} ×\n")
            sys.stdout.flush()


if __name__ == "__main__":
    asked = [int(one) for one in sys.argv[1:3]]
    main(*asked, *(20_000, 5)[len(asked) :])
