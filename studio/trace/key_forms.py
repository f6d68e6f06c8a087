"""What a key can look like: the forms in which a known one is written, and the marks of an unknown one."""

import json
import re
from base64 import b64encode
from collections import defaultdict
from collections.abc import Iterable
from urllib.parse import quote, quote_plus

ANCHOR = 6
"""As many characters of a form are looked for at first."""

_RARE = "%+/=_QXZJKVYUWGHFNDLOPMBCRESITA9876543210-zqjxkvbywgpfmucdlhrsnioate"
"""Characters of keys in the order in which other text has more of them."""

_GENERAL = (
    # OpenAI and its like, Anthropic, OpenRouter, DeepSeek, Stripe
    *("sk-", "sk_live_", "sk_test_", "rk_live_", "rk_test_", "whsec_"),
    # Groq, Cerebras, Perplexity, Nvidia, Together, xAI, Fireworks
    *("gsk_", "csk-", "pplx-", "nvapi-", "tgp_v1_", "xai-", "fpk_"),
    # GitHub, GitLab, Slack
    *("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-"),
    *("xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxe-", "xapp-"),
    # Tavily, Pinecone, LangSmith, Langfuse, PyPI, Docker, Vault, Shopify, Notion, Linear, Figma, Google
    *("tvly-", "pcsk_", "lsv2_pt_", "lsv2_sk_", "pk-lf-", "pypi-", "dckr_pat_", "hvs."),
    *("shpat_", "shpss_", "ntn_", "lin_api_", "figd_", "GOCSPX-", "ya29."),
    # Grafana, Sentry, Databricks, New Relic, Postman, DigitalOcean
    *("glsa_", "sntrys_", "sntryu_", "NRAK-", "PMAK-", "dop_v1_", "dckr_oat_"),
)
"""Beginnings of keys that are followed by letters and digits, `_` and `-`, with a digit among them."""

_SHORT = ("hf_", "r8_", "npm_", "fw_", "e2b_", "sbp_", "fc-", "jina_")
"""Beginnings so much like words that only a long row of letters and digits after them is a key: Hugging Face,
Replicate, npm, Fireworks, E2B, Supabase, Firecrawl, Jina."""

SHORTEST_LOOK = 16 + min(map(len, _GENERAL))
"""No text of fewer characters looks like a key."""

# A key may follow upon an escape of a URL or of a JSON text, whose last character is a letter or digit.
_BEGIN = r"(?:(?<![A-Za-z0-9])|(?<=%[0-9A-Fa-f]{2})|(?<=\\[bfnrt]))"
# Each look ahead is bounded, so that a text of nothing but beginnings takes no longer than others.
_TAIL = r"(?=[A-Za-z_-]{0,200}+\d)[A-Za-z0-9_-]{16}"
_LONG_TAIL = r"(?=[A-Za-z]{0,200}+\d)[A-Za-z0-9]{30}"
_OTHERS = (
    r"(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])",  # AWS
    r"AIza[A-Za-z0-9_-]{35}",  # Google
    r"SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{32,64}",  # SendGrid
    r"eyJ[A-Za-z0-9_-]{8,2000}+\.[A-Za-z0-9_-]*+\.[A-Za-z0-9_-]{16,}(?:\.[A-Za-z0-9_-]+){0,2}",  # JWT
)
_PEM = r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
# Without its end, a private key goes as far as rows of base64 do.
_PEM_BODIES = (
    r"(?:(?!-----)[\s\S]){1,16384}+-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----",
    r"(?:\s|\\[nr])*+[A-Za-z0-9+/=]{16,}+(?:(?:\s|\\[nr])++[A-Za-z0-9+/=]{16,}+)*+",
)

_KEY = re.compile(
    _BEGIN
    + rf"(?:(?:{'|'.join(map(re.escape, _GENERAL))}){_TAIL}[A-Za-z0-9_-]*"
    + rf"|(?:{'|'.join(map(re.escape, _SHORT))}){_LONG_TAIL}[A-Za-z0-9]*+(?![_-])|{'|'.join(_OTHERS)})",
    re.ASCII,
)
_WHOLE_PEM = re.compile(f"{_PEM}(?:{'|'.join(_PEM_BODIES)})", re.ASCII)
_ROW = re.compile(rf"[%\\]?[A-Za-z0-9_.-]{{{SHORTEST_LOOK},}}", re.ASCII)
"""Finds what is long enough; `_KEY` alone would try its many beginnings at each character of a text."""


def without_looks(text: str, instead: str) -> str:
    """Put `instead` in the place of all that looks like a key, whoever's it is."""

    def cleaned(row: re.Match[str]) -> str:
        """One row of characters without the keys in it."""
        return _KEY.sub(instead, row[0])

    return _ROW.sub(cleaned, _WHOLE_PEM.sub(instead, text))


def rough_look(forms: Iterable[str]) -> str:
    """Give the pattern that finds something in each text with one of `forms`, or with what looks like a key.

    It is a quick one: its alternatives begin with few characters, those that other text has seldom.
    """
    rest: defaultdict[str, set[str]] = defaultdict(set)
    for form in forms:
        part = _anchor(form)
        rest[part[0]].add(re.escape(part[1:]))
    for marks, tail in ((_GENERAL, _TAIL), (_SHORT, _LONG_TAIL)):
        behind: defaultdict[tuple[str, int], list[str]] = defaultdict(list)
        for mark in marks:
            behind[mark[-1], len(mark)].append(re.escape(mark))
        for last in {last for last, _ in behind}:
            before = "|".join(f"(?<={'|'.join(those)})" for (end, _), those in behind.items() if end == last)
            rest[last].add(f"(?:{before}){tail}")
    rest["A"] |= {"(?:KIA|SIA)[A-Z0-9]{16}", "Iza[A-Za-z0-9_-]{35}"}
    # Dots between shorter words are those of modules and of addresses.
    rest["."].add(r"(?:(?<=SG\.)|(?<=[A-Za-z0-9_-]{11}\.))[A-Za-z0-9_-]*\.[A-Za-z0-9_-]{16}")
    rest["-"].add("----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY")
    return "|".join(f"{re.escape(first)}(?:{'|'.join(sorted(those))})" for first, those in rest.items())


def forms_of(secret: str) -> set[str]:
    """Give all forms in which a secret is hidden: as it is, reversed, in base64, in hex, in URLs, in JSON."""
    data = secret.encode("utf-8", "surrogatepass")
    in_hex = data.hex()
    escaped = "".join(f"%{one:02x}" for one in data)
    plain = {secret, secret[::-1], *_in_base64(data), in_hex, in_hex.upper(), escaped, escaped.upper()}
    for one in tuple(plain):
        written = one.encode("utf-8", "surrogatepass")
        for in_url in (quote(written), quote(written, ""), quote_plus(written)):
            plain |= {in_url, re.sub("%..", _lower, in_url)}
    # Events hold JSON text in texts (the arguments of a tool call), and that may hold JSON text again.
    once = {quoted(one) for one in plain} | {quoted(one).replace("/", "\\/") for one in plain}
    return plain | once | {quoted(one) for one in once}


def quoted(text: str) -> str:
    """Give a text as it stands within quotes in JSON."""
    return json.dumps(text, ensure_ascii=False)[1:-1]


def _in_base64(data: bytes) -> set[str]:
    """Give what stands in base64 wherever the secret lies in a longer text, whatever is around it."""
    found: set[str] = set()
    for before in range(3):
        # What a character shares with a neighbour of the secret is not the secret's alone.
        first, last = -(-before * 8 // 6), (before + len(data)) * 8 // 6
        for marks in (b"+/", b"-_"):
            found.add(b64encode(bytes(before) + data, marks)[first:last].decode())
    return found


def _lower(found: re.Match[str]) -> str:
    return found[0].lower()


def _anchor(form: str) -> str:
    """Give the part of a form that begins with its rarest character: no other text has it often."""
    last = max(len(form) - ANCHOR, 0)
    start = min(range(last + 1), key=lambda at: _RARE.find(form[at]))
    return form[start : start + ANCHOR]
