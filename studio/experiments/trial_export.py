"""The table of trials as a file for other programs: CSV (RFC 4180) or Parquet, a cell a line."""

import csv
import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from studio.errors import PlaceError
from studio.experiments.files import write_file
from studio.experiments.opening import OpenExperiment
from studio.experiments.table import Table
from studio.extras import missing_library
from studio.flow.records import Json

Columns = Mapping[str, list[Json]]
"""Values by column, one for each cell; None where there is nothing."""


def columns_of(opened: OpenExperiment, table: Table) -> Columns:
    """Give the columns: place, run, US dollars, seconds, what each scorer says, and outputs as JSON.

    Cells without a trial have their place alone, and a cost that nobody knows is None.
    """
    lines: list[dict[str, Json]] = []
    for cell in table.cells:
        line: dict[str, Json] = {
            "variant": cell.variant,
            "row": opened.dataset.rows[cell.row].id,
            "repeat": cell.repeat,
        }
        trial = table.trials.get(cell.key)
        if trial is not None:
            line |= {
                "run": trial.run,
                "state": str(trial.state),
                "error": trial.error,
                "cost": None if trial.unpriced and not trial.cost else trial.cost,
                "unpriced_tokens": trial.unpriced,
                "tokens": trial.tokens,
                "chats": trial.chats,
                "steps": trial.steps,
                "seconds": trial.seconds,
                "made_up": trial.made_up,
                "outputs": json.dumps(trial.outputs, ensure_ascii=False),
            }
        for name in opened.scorers:
            score = table.scores.get((cell.key, name))
            if score is not None:
                line |= {f"{name}.score": score.score, f"{name}.ok": score.ok, f"{name}.reason": score.reason}
        lines.append(line)
    names = ["variant", "row", "repeat", "run", "state", "error", "cost", "unpriced_tokens", "tokens"]
    names += ["chats", "steps", "seconds", "made_up", "outputs"]
    names += [f"{name}.{what}" for name in opened.scorers for what in ("score", "ok", "reason")]
    return {name: [line.get(name) for line in lines] for name in names}


def csv_text(columns: Columns) -> str:
    """Give a line of names and one for each cell, as RFC 4180 has them."""
    text = io.StringIO(newline="")
    lines = csv.writer(text)
    lines.writerow(columns)
    lines.writerows(zip(*columns.values(), strict=True))
    return text.getvalue()


def write_csv(path: Path, columns: Columns) -> None:
    """Write that to a file; raises `PlaceError` where it cannot be written."""
    write_file(path, csv_text(columns).encode("utf-8", "backslashreplace"))


def write_parquet(path: Path, columns: Columns) -> None:
    """Write Parquet; raises `PlaceError`, also without the extra `parquet`."""
    try:
        import pyarrow  # type: ignore[import-untyped]  # noqa: ICN001  # spelled out
        from pyarrow import parquet  # type: ignore[import-untyped]
    except ImportError as error:
        message = f"`{path.name}` is Parquet, which needs a library."
        raise PlaceError(message, hint=missing_library("pyarrow")) from error
    arrow, data = cast("Any", pyarrow), io.BytesIO()
    arrays = {
        name: arrow.array(
            [_encodable(one) for one in values],
            arrow.float64() if name.endswith(".score") or name in {"cost", "seconds"} else None,
        )
        for name, values in columns.items()
    }
    cast("Any", parquet).write_table(arrow.table(arrays), data)
    write_file(path, data.getvalue())


def _encodable(value: Json) -> Json:
    """A text as UTF-8 has it: models sometimes give half of a pair of surrogates."""
    return value.encode("utf-8", "backslashreplace").decode() if isinstance(value, str) else value
