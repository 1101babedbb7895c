"""Judgements as HTML: the table of all claims, and the short list that ends a chapter."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from primum.paper import words
from primum.paper.chapter import Figure, Table
from primum.paper.claims import FAILS, HOLDS, IN_PART, UNDECIDED, Judgement, Part, verdict
from primum.paper.tags import prose, table, text

Exhibits = Mapping[str, Figure | Table]

# Told apart by shape first: a tick in a full disc, a half full disc, a cross in an empty one, a question mark in a dashed
# one.
_SHAPES = {
    HOLDS: '<circle cx="8" cy="8" r="7.5" fill="currentColor"/><path d="M4.6 8.3l2.3 2.4 4.6-5" stroke="#fff"/>',
    IN_PART: '<circle cx="8" cy="8" r="6.75" stroke="currentColor"/><path d="M8 1.25a6.75 6.75 0 0 1 0 13.5z" '
    'fill="currentColor"/>',
    FAILS: '<circle cx="8" cy="8" r="6.75" stroke="currentColor"/><path d="M5.4 5.4l5.2 5.2m0-5.2l-5.2 5.2" '
    'stroke="currentColor"/>',
    UNDECIDED: '<circle cx="8" cy="8" r="6.75" stroke="currentColor" stroke-dasharray="2.4 2.4"/><path d="M5.9 6.3a2.1 '
    '2.1 0 1 1 3 1.9c-.6.3-.9.7-.9 1.3m0 1.7v.4" stroke="currentColor"/>',
}
_CLASSES = {HOLDS: "holds", IN_PART: "part", FAILS: "fails", UNDECIDED: "undecided"}


def icon(judged: str) -> str:
    """The shape of a verdict, which always stands beside its word."""
    return (
        f'<svg class="{_CLASSES[judged]}" viewBox="0 0 16 16" width="16" height="16" fill="none" stroke-width="1.5" '
        f'aria-hidden="true">{_SHAPES[judged]}</svg>'
    )


def badge(judged: str) -> str:
    """A verdict: its shape and its word."""
    return f'<span class="verdict {_CLASSES[judged]}">{icon(judged)}&nbsp;{text(judged)}</span>'


def summary(judgements: Iterable[Judgement]) -> str:
    """How many claims have which verdict."""
    items = "".join(
        f'<li class="{_CLASSES[judged]}">{icon(judged)}<b>{count}</b> {words.verdict_word(judged, count)}</li>'
        for judged, count in words.counted(judgements).items()
    )
    return f'<ul class="summary">{items}</ul>'


def claims(judgements: Iterable[Judgement], exhibits: Exhibits) -> str:
    """All claims. On a narrow page, rows become cards, which loses the roles unless they are written out."""
    header = ("No.", "Place", "Claim", "Verdict", "Deciding number", "Evidence")
    head = "".join(f'<th scope="col" role="columnheader">{name}</th>' for name in header)
    return (
        '<table class="claims" role="table" aria-label="All claims and verdicts">\n'
        f'<thead role="rowgroup"><tr role="row">{head}</tr></thead>\n'
        + "\n".join(_claim(judgement, exhibits) for judgement in judgements)
        + "\n</table>"
    )


def _claim(judgement: Judgement, exhibits: Exhibits) -> str:
    claim = judgement.claim
    parts = len(judgement.parts)
    return f"""<tbody id="claim-{claim.number}" role="rowgroup">
<tr role="row"><th scope="row" role="rowheader" class="no">{claim.number}</th>
<td role="cell" class="place">{text(claim.place)}</td>
<td role="cell" class="claim">{text(claim.short)}<q>{text(claim.quote)}</q></td>
<td role="cell" class="judged">{badge(judgement.verdict)}</td>
<td role="cell" class="deciding">{_deciding(judgement)}</td>
<td role="cell" class="evidence">{_evidence(judgement, exhibits)}</td></tr>
<tr role="row" class="more"><td role="cell"></td><td role="cell" colspan="5"><details>
<summary>Rule and {"the number" if parts == 1 else "both numbers" if parts == 2 else f"all {parts} numbers"}</summary>
{_details(judgement)}
</details></td></tr></tbody>"""


def _deciding(judgement: Judgement) -> str:
    part = words.deciding(judgement)
    if part is None:
        return "none"
    tally = words.tally(judgement)
    return (
        f'<span class="effect"><b>{words.effect(part)}</b> ({words.interval(part)})</span> '
        f'<span class="says">{text(part.says)}; <span>needed: {text(part.needs)}</span></span>'
        + (f' <span class="tally">{text(tally)}</span>' if tally else "")
    )


def _evidence(judgement: Judgement, exhibits: Exhibits) -> str:
    links = [f'<a href="#{text(name)}">{text(words.brief(exhibits[name]))}</a>' for name in judgement.exhibits]
    return "<br>".join(links)


def _details(judgement: Judgement) -> str:
    about = f"Claim {judgement.claim.number}"
    blocks = [
        f'<p class="rule"><b>Rule.</b> {text(judgement.claim.asks)}</p>',
        _parts(judgement.parts, f"{about}: parts"),
        f'<p class="runs">{text(words.evidence(judgement))}</p>',
        f'<div class="note">{prose(judgement.note)}</div>' if judgement.note else "",
    ]
    if judgement.elsewhere:
        blocks.append("<h4>Under other conditions, which decide nothing</h4>")
        for name, parts in judgement.elsewhere.items():
            blocks.append(f'<p class="condition">{text(name)}: {badge(verdict(parts, judgement.claim.together))}</p>')
            blocks.append(_parts(parts, f"{about}, {name}: parts"))
    return "\n".join(filter(None, blocks))


def _parts(parts: tuple[Part, ...], name: str) -> str:
    rows = [
        (
            text(part.says),
            words.effect(part),
            words.interval(part),
            f'<span class="needed">needed: </span>{text(part.needs)}',
            f'<span class="outcome {part.outcome}">{part.outcome}</span>',
        )
        for part in parts
    ]
    return table(name, ("Statement", "Number", "Interval", "Needed", "Outcome"), rows, numeric=(1, 2), kind="parts")


def of_chapter(judgements: Iterable[Judgement]) -> str:
    """The judgements that rest on a chapter, in short."""
    items = "".join(
        f'<li><a class="no" href="#claim-{one.claim.number}">Claim&nbsp;{one.claim.number}</a>'
        f"<div><p>{text(one.claim.short)}</p><p>{badge(one.verdict)} {_deciding(one)}</p></div></li>\n"
        for one in judgements
    )
    return f'<section class="judgements"><h3>What follows for the claims</h3>\n<ul>\n{items}</ul></section>'
