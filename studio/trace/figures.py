"""How times, costs and sizes are written for people, the same on screen and at the terminal."""

from math import floor, log10


def duration(seconds: float) -> str:
    """Say how long something took, in two or three significant figures: `12 ms`, `1.8 s`, `3:07`."""
    if seconds < 0.9995:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 99.95:
        return f"{seconds:.1f} s"
    return clock(seconds)


def clock(seconds: float) -> str:
    """Say a running time in minutes and seconds: `0:12`, `1:02:03`."""
    whole = int(seconds)
    hours, rest = divmod(whole, 3600)
    minutes, left = divmod(rest, 60)
    return f"{hours}:{minutes:02}:{left:02}" if hours else f"{minutes}:{left:02}"


def size(count: float) -> str:
    """Say how many bytes something has: `812 B`, `3.4 kB`, `1.2 GB`."""
    for unit in ("B", "kB", "MB"):
        if count < 999.5:  # what rounds to a thousand
            return f"{count:.0f} B" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.1f} GB"


def counted(number: int, what: str) -> str:
    """Say how many of what there are, which is named as one of it: `1 row`, `1,200 trials`."""
    return f"{number:,} {what}{'s' * (number != 1)}"


def amount(what: str, number: float) -> str:
    """Say so much of what a limit is set on: `$0.45`, `4,210 tokens`, `0.451 s`."""
    if what == "cost":
        return cost(number) if number == 0 or number >= 0.0001 else f"${_significant(number)}"
    if what == "seconds":
        return f"{number:.3g} s" if number < 999.5 else f"{number:,.0f} s"
    whole = f"{number:,.0f}" if number % 1 == 0 else f"{number:g}"
    return f"{whole} {what[:-1] if number == 1 else what}"


def _significant(number: float) -> str:
    """Write a small number in two figures, without an exponent."""
    return f"{number:.{1 - floor(log10(number))}f}".rstrip("0")


def cost(dollars: float, unpriced: int = 0) -> str:
    """Say an amount of US dollars with as many decimals as it takes: `$0.0031`, `$1.24`.

    With `unpriced` tokens, which no price is known for, it is said that this is not all.
    """
    if unpriced and dollars < 0.00005:
        return "price unknown"
    if unpriced:
        return f"{cost(dollars)} + unknown"
    if dollars == 0:
        return "$0"
    if 0 < dollars < 0.00005:  # what rounds to nothing is not free
        return "<$0.0001"
    return f"${dollars:.2f}" if dollars >= 1 else f"${dollars:.4f}"
