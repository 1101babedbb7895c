"""The claims and the whole reproduction as Markdown, for documents that are written from a run."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from primum.paper import words
from primum.paper.chapter import Chapter, Figure, Table
from primum.paper.claims import IN_PART, UNDECIDED, Judgement, Part, verdict
from primum.paper.scale import QUICK, Scale
from primum.text import listed

_SIGNS = re.compile(r"[\\`*_{}\[\]#|]")
_ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "$": "&#36;"})


def claims_table(judgements: Iterable[Judgement], brief: bool) -> str:
    """All claims by number; if not brief, with places, quotations, numbers and links to the full judgements."""
    rows: list[tuple[str, ...]] = []
    for one in sorted(judgements, key=lambda one: one.claim.number):
        number, claim = str(one.claim.number), text(one.claim.short)
        if brief:
            why = f" ({words.tally(one)})" if one.verdict in (IN_PART, UNDECIDED) and len(one.parts) > 1 else ""
            rows.append((number, claim, _verdict(one.verdict) + why))
        else:
            link = f"[{number}](#claim-{number})"
            quote = f"{claim}<br>*“{text(one.claim.quote)}”*"
            rows.append((link, text(one.claim.place), quote, _verdict(one.verdict), _deciding(one)))
    header = ("No.", "Claim", "Verdict") if brief else ("No.", "Place", "Claim", "Verdict", "Deciding number")
    return _table(header, rows, right=(0,))


def report(chapters: tuple[Chapter, ...], scale: Scale, version: str, folder: str = "figures") -> str:
    """The whole report; its figures are in `folder`, by their names."""
    judgements = words.sorted_judgements(chapters)
    counts = [f"{count} {words.verdict_word(one, count)}" for one, count in words.counted(judgements).items()]
    paper = f"{words.AUTHORS}, *{words.TITLE}*, 2019, [arXiv:{words.ARXIV}](https://arxiv.org/abs/{words.ARXIV})"
    blocks = [
        "# The paper, reproduced",
        f"The experiments of {paper}, run again with Primum {text(version)}, and a verdict on each of its claims.",
        f"**{text(scale.name.capitalize())} scale:** {text(words.size(scale))}",
        *([f"**Fewer replications.** {text(words.QUICK)}"] if scale == QUICK else []),
        "## Claims and verdicts",
        f"Of {len(judgements)} claims, {listed(counts)}.",
        *_prose(words.RULE),
        claims_table(judgements, brief=False),
    ]
    for chapter in chapters:
        blocks += [_heading(2, chapter.title, chapter.name), *_prose(chapter.text)]
        for exhibit in chapter.exhibits:
            blocks += [_heading(3, exhibit.title, exhibit.name), *_prose(exhibit.text)]
            blocks.append(_exhibit(exhibit, folder))
        for judgement in chapter.judgements:
            blocks += _judgement(judgement, chapters)
    return "\n\n".join(blocks) + "\n"


def text(given: str) -> str:
    """Plain text on one line, in which Markdown sees no signs.

    >>> print(text("a_b | <c>"))
    a\\_b \\| &lt;c&gt;
    """
    return _SIGNS.sub(r"\\\g<0>", " ".join(given.split())).translate(_ENTITIES)


def _heading(level: int, title: str, anchor: str) -> str:
    """The anchor is written out, so that links do not depend on the wording or on who renders the page."""
    return f'<a id="{anchor}"></a>\n\n{"#" * level} {text(title)}'


def _prose(given: str) -> list[str]:
    return [text(paragraph) for paragraph in words.paragraphs(given)]


def _exhibit(exhibit: Figure | Table, folder: str) -> str:
    if isinstance(exhibit, Figure):
        return f"![{text(exhibit.title)}]({folder}/{exhibit.name}.svg)"
    right = range(1, len(exhibit.header))
    return _table(
        [text(cell) for cell in exhibit.header], [[text(cell) for cell in row] for row in exhibit.rows], right
    )


def _judgement(judgement: Judgement, chapters: tuple[Chapter, ...]) -> list[str]:
    claim = judgement.claim
    titles = {exhibit.name: words.brief(exhibit) for chapter in chapters for exhibit in chapter.exhibits}
    links = ", ".join(f"[{text(titles[name])}](#{name})" for name in judgement.exhibits)
    blocks = [
        _heading(3, f"Claim {claim.number}: {claim.short}", f"claim-{claim.number}"),
        f"> “{text(claim.quote)}” ({text(claim.place)})",
        f"**{_verdict(judgement.verdict)}.** {text(words.evidence(judgement))}"
        + (f" Evidence: {links}." * bool(links)),
        f"Rule: {text(claim.asks)}",
        _parts(judgement.parts),
        *_prose(judgement.note),
    ]
    for name, parts in judgement.elsewhere.items():
        judged = verdict(parts, claim.together)
        blocks += [f"{text(name)} (decides nothing): {_verdict(judged)}.", _parts(parts)]
    return blocks


def _parts(parts: tuple[Part, ...]) -> str:
    rows = [
        (text(part.says), words.effect(part), words.interval(part), text(part.needs), part.outcome) for part in parts
    ]
    return _table(("Statement", "Number", "Interval", "Needed", "Outcome"), rows, right=(1, 2))


def _deciding(judgement: Judgement) -> str:
    part = words.deciding(judgement)
    if part is None:
        return ""
    tally = words.tally(judgement)
    number = f"**{words.effect(part)}** ({words.interval(part)}): {text(part.says)}; needed: {text(part.needs)}"
    return f"{number} ({tally})" if tally else number


def _verdict(judged: str) -> str:
    return f"{words.MARKS[judged]} {judged}"


def _table(header: Sequence[str], rows: Iterable[Sequence[str]], right: Iterable[int] = ()) -> str:
    aligned = frozenset(right)
    rule = ["---:" if i in aligned else "---" for i in range(len(header))]
    return "\n".join("| " + " | ".join(row) + " |" for row in (header, rule, *rows))
