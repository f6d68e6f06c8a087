"""Pictures of the project, read for a message."""

from collections.abc import Sequence
from pathlib import Path

from studio.llm.images import MOST_TOGETHER, Image, image_of
from studio.sdk import Context, StepError


def read_images(context: Context, paths: Sequence[Path]) -> tuple[Image, ...]:
    """Read pictures for one message; raises `StepError` for what is none, and for too many."""
    if not paths:
        return ()
    folder = context.folder()
    try:
        images = tuple(image_of(path.as_posix(), folder.read_bytes(path.as_posix())) for path in paths)
    except ValueError as error:
        raise StepError(f"{error}.", hint="Convert it, or make it smaller.") from error
    together = sum(len(image.data) for image in images)
    if together > MOST_TOGETHER:
        message = (
            f"The pictures are {together / (1 << 20):.1f} MiB in total; {MOST_TOGETHER >> 20} is the limit."
        )
        raise StepError(message, hint="Send fewer at a time, or make them smaller.")
    return images
