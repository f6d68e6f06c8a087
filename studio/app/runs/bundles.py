"""Runs as files for other people: saved without keys and without paths of this machine; opened to read.

An opened bundle is unpacked into a folder of the user's cache: a project whose flows and one run are those
of the bundle. That it came from one stands there in a file, so that it stays read-only however it is opened.
"""

import hashlib
import json
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing, suppress
from pathlib import Path, PurePosixPath

import orjson
import platformdirs

from studio.app.write_guard import refuse_loss
from studio.errors import FlowFileError, StoreError, UsageError
from studio.flow.files import codec
from studio.flow.records import Flow
from studio.ids import RunId, slug
from studio.llm.clean_text import normalise_json
from studio.sdk.registry import Registry
from studio.store.bundle import SUFFIX, Bundle, BundleError, BundleHead, run_of, write_bundle
from studio.store.reader import RunStore
from studio.store.run_files.writer import RunWriter
from studio.trace.events import Entry, RunStarted
from studio.trace.redact import HIDDEN, Redactor
from studio.workspace.files import SaveError
from studio.workspace.private_folder import private_folder
from studio.workspace.project import FILE, FORMAT, FROM_BUNDLE, VERSION, Project
from studio.workspace.servers import secrets_lent
from studio.workspace.web import trusted_keys
from studio.workspace.whole_file import sync

MOST_KEPT = 20
"""Unpacked bundles that stay in the cache; opening one more removes the one that was opened longest ago."""

BUNDLES = "bundles"


def suggested_name(flow_name: str, run: RunId) -> str:
    """A file name for the bundle of a run."""
    return f"{slug(flow_name or 'run')}-{run}{SUFFIX}"


def hidden_here(
    project: Project, flows: Iterable[Flow], registry: Registry, environ: Mapping[str, str]
) -> frozenset[str]:
    """The keys of a project and of this user that no bundle may tell."""
    names = {"OPENAI_API_KEY", *(one.key_env for one in project.profiles.values())}
    keys = {value for name in names if (value := environ.get(name, "").strip())}
    return frozenset(keys) | trusted_keys(environ) | secrets_lent(tuple(flows), registry, environ)


def save_bundle(
    store: RunStore,
    run: RunId,
    path: Path,
    *,
    secrets: Iterable[str] = (),
    more: Iterable[str] = (),
    force: bool = False,
) -> int:
    """Write a run that is over to one file; gives its size in bytes.

    Keys, the project's place and the user's home folder are not in it, nor are the words `more`, however
    short. Raises `UsageError` for a run that goes on, and as `refuse_loss` does, `StoreError` for one that
    cannot be read, `SaveError` when the disk refuses.
    """
    summary = store.summary(run)
    if not summary.status.is_final:
        raise UsageError(f"The run `{run}` is still running.", hint="Stop it, or wait until it ends.")
    entries = list(store.entries(run))
    head = BundleHead(run, summary.flow_name, len(entries), time.time())
    target = path.expanduser().resolve()
    refuse_loss(target, "bundle", reads=[store.path(run)], force=force)
    hide = _hiding(store.root.parent, secrets, more)
    try:
        handle, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".tmp", dir=target.parent)
        os.close(handle)
        temporary = Path(name)
        try:
            temporary.unlink()  # the archive is made anew, and nothing of another file is left in it
            write_bundle(temporary, head, entries, store.images.read, hide)
            sync(temporary)
            size = temporary.stat().st_size
            temporary.replace(target)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise SaveError(
            f"`{target}` could not be written: {error.strerror or error}.",
            hint="Choose an existing folder that you can write to.",
        ) from error
    return size


def open_bundle(path: Path, cache: Path | None = None) -> tuple[Path, RunId]:
    """Unpack a bundle, and give the folder of its project and the run; one that was opened before is there.

    Raises `BundleError` for what is none, or damaged, and `StoreError` where there is no room for it.
    """
    folder = (cache or platformdirs.user_cache_path("stepwire", appauthor=False)) / BUNDLES
    with closing(Bundle(path)) as bundle:
        run = run_of(bundle.head)
        try:
            target = folder / _digest(path)
            if (target / FROM_BUNDLE).is_file():
                os.utime(target)
                return target, run
            folder.mkdir(parents=True, exist_ok=True)
            _forget_oldest(folder)
            temporary = Path(tempfile.mkdtemp(prefix=".", dir=folder))
            try:
                _unpack(bundle, run, temporary, path)
                temporary.replace(target)
            finally:
                shutil.rmtree(temporary, ignore_errors=True)
        except OSError as error:
            raise StoreError(
                f"`{path.name}` could not be unpacked into `{folder}`: {error.strerror or error}.",
                hint="Free some space there, or make it writable.",
            ) from error
    return target, run


def _unpack(bundle: Bundle, run: RunId, folder: Path, source: Path) -> None:
    entries = bundle.entries()
    first = next(entries, None)
    if first is None or not isinstance(first.event, RunStarted):
        raise BundleError(
            f"`{source.name}` contains no run that started.", hint="Bundle the run again where it is stored."
        )
    main = _write_flows(first.event, folder)
    name = f"{bundle.head.flow_name or 'Run'} (bundle)"
    described = {"format": FORMAT, "version": VERSION, "name": name, "main": main}
    (folder / FILE).write_bytes(orjson.dumps(described))
    store = RunStore(private_folder(folder))
    writer = RunWriter(store.new_run_path(run), lambda _: None)
    try:
        for number, entry in enumerate((first, *entries), 1):
            writer.put(Entry(run, number, entry.step, entry.parent, entry.time, entry.event))
    finally:
        writer.close()
    if writer.failed is not None:
        raise writer.failed
    for sha256, data in bundle.images():
        store.images.keep(sha256, data)
    (folder / FROM_BUNDLE).write_bytes(orjson.dumps({"from": source.name}))


def _write_flows(started: RunStarted, folder: Path) -> str:
    """Write the flows of a run as files, those within its folder alone; gives the name of the main one."""
    names = {name for name in started.flows if _is_inside(name)}
    for name in names:
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(_checked(started.flows[name]), "utf-8")
    taken = {FILE, FROM_BUNDLE, *names}
    own = slug(started.flow_name or "flow", {Path(name).stem for name in taken})
    (folder / f"{own}.json").write_text(_checked(started.flow), "utf-8")
    return f"{own}.json"


def _checked(text: str) -> str:
    """The text of a flow that can be read; raises `BundleError`."""
    try:
        codec.loads(text)
    except FlowFileError as error:
        raise BundleError(f"A flow in the bundle cannot be read: {error.message}", hint=error.hint) from error
    return text


def _is_inside(name: str) -> bool:
    """Whether a flow's name is a file that may be written below a folder of its own."""
    path = PurePosixPath(name)
    is_plain = "\\" not in name and ":" not in name and "\0" not in name and len(name) < 200
    is_visible = bool(path.parts) and not any(one.startswith(".") for one in path.parts)
    is_file = path.suffix == ".json" and path.name not in {FILE, FROM_BUNDLE}
    return is_plain and is_visible and is_file and not path.is_absolute()


def _hiding(project: Path, secrets: Iterable[str], more: Iterable[str]) -> Callable[[str], str]:
    """Give the function that takes keys, words, and this machine's folders out of a text."""
    redact = Redactor(secrets).text
    projects = (project.resolve(), project.absolute())
    home = Path.home()
    folders = [(str(one), "." if one in projects else "~") for one in (*projects, home.resolve(), home)]
    known = [*(one for one in folders if len(one[0]) > 1), *((one, HIDDEN) for one in more if one)]
    changed = [(form, short) for long, short in known for form in dict.fromkeys((long, _quoted(long)))]

    def hide(text: str) -> str:
        text = redact(text)
        for long, short in changed:
            text = text.replace(long, short)
        return text

    return hide


def _quoted(text: str) -> str:
    return json.dumps(normalise_json(text), ensure_ascii=False)[1:-1]


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:24]


def _forget_oldest(folder: Path) -> None:
    known = [one for one in folder.iterdir() if one.is_dir() and not one.name.startswith(".")]
    known.sort(key=lambda one: one.stat().st_mtime, reverse=True)
    for one in known[MOST_KEPT - 1 :]:
        with suppress(OSError):
            shutil.rmtree(one)
