"""The report as one page of HTML that needs nothing else."""

from __future__ import annotations

import base64
import hashlib
import importlib.resources
import re
from collections.abc import Mapping

from primum.paper import exhibits, verdicts, words
from primum.paper.chapter import Chapter, Figure, Table
from primum.paper.exhibits import Drawn
from primum.paper.scale import QUICK, Scale
from primum.paper.tags import heading, prose, text

RESERVED = ("main", "claims", "contents", "unfold")  # anchors of the page itself


def page(
    chapters: tuple[Chapter, ...],
    drawn: Mapping[str, Drawn],
    experiments: Mapping[str, str],
    scale: Scale,
    version: str,
) -> str:
    """The whole page; `drawn` has all figures by their names, and `experiments` all TOML texts."""
    judgements = words.sorted_judgements(chapters)
    known = {exhibit.name: exhibit for chapter in chapters for exhibit in chapter.exhibits}
    scripts = [_script(_plotly()), _script(_asset("page.js"))]
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{_policy(scripts)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light">
<title>A reproduction of “{text(words.TITLE)}”</title>
<style>
{_asset("page.css")}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the claims</a>
{_header(scale, version)}
<main id="main">
<section id="claims">
{heading(2, "claims", "Claims and verdicts")}
{verdicts.summary(judgements)}
{prose(words.RULE)}
<p class="tools"><button type="button" id="unfold" hidden>Unfold all</button></p>
{verdicts.claims(judgements, known)}
</section>
{_contents(chapters)}
{"".join(_chapter(chapter, drawn, experiments) for chapter in chapters)}
</main>
<footer><p>Primum {text(version)}, {text(scale.name)} scale. All verdicts as data:
<a href="verdicts.json">verdicts.json</a>. What was simulated can be run again from the experiment files beside
this page.</p></footer>
{"".join(f"<script>{script}</script>" for script in scripts)}
</body>
</html>
"""


def _header(scale: Scale, version: str) -> str:
    quick = f'<p class="quick"><strong>Fewer replications.</strong> {text(words.QUICK)}</p>' if scale == QUICK else ""
    return f"""<header>
<p class="kind">A reproduction</p>
<h1>{text(words.TITLE)}</h1>
<p class="authors">{text(words.AUTHORS)}, 2019, <a href="https://arxiv.org/abs/{words.ARXIV}">arXiv:{words.ARXIV}</a></p>
<p>The experiments of the paper, run again with Primum, a laboratory for safety-aware bandits, and a verdict on each of
its claims with the numbers that decide it.</p>
{quick}
<dl><div><dt>Scale</dt><dd>{text(scale.name)}: {text(words.size(scale))}</dd></div>
<div><dt>Version</dt><dd>Primum {text(version)}</dd></div></dl>
</header>"""


def _contents(chapters: tuple[Chapter, ...]) -> str:
    items = "\n".join(
        f'<li><a href="#{text(chapter.name)}">{text(chapter.title)}</a>\n<ul>'
        + "".join(f'<li><a href="#{text(one.name)}">{text(one.title)}</a></li>' for one in chapter.exhibits)
        + "</ul></li>"
        for chapter in chapters
    )
    return f'<nav id="contents" aria-label="Contents">\n<h2>Contents</h2>\n<ol>\n{items}\n</ol></nav>'


def _chapter(chapter: Chapter, drawn: Mapping[str, Drawn], experiments: Mapping[str, str]) -> str:
    shown = "\n".join(_exhibit(exhibit, drawn, experiments) for exhibit in chapter.exhibits)
    return f"""<section class="chapter" id="{text(chapter.name)}">
{heading(2, chapter.name, chapter.title)}
{prose(chapter.text)}
{shown}
{verdicts.of_chapter(chapter.judgements) if chapter.judgements else ""}
</section>
"""


def _exhibit(exhibit: Figure | Table, drawn: Mapping[str, Drawn], experiments: Mapping[str, str]) -> str:
    if isinstance(exhibit, Figure):
        return exhibits.figure(exhibit, drawn[exhibit.name], experiments)
    return exhibits.tabular(exhibit, experiments)


def _asset(name: str) -> str:
    return importlib.resources.files("primum.paper").joinpath(name).read_text("utf-8")


def _plotly() -> str:
    from plotly.offline import get_plotlyjs

    return str(get_plotlyjs())


def _script(source: str) -> str:
    """JavaScript that no text in it can end or comment out, with the line ends that a browser makes of all."""
    return re.sub(r"<(?=/script|script|!--)", r"\\x3C", source.replace("\r\n", "\n"), flags=re.IGNORECASE)


def _policy(scripts: list[str]) -> str:
    """Nothing is loaded from anywhere, and no script runs but these."""
    hashes = " ".join(
        f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'" for script in scripts
    )
    return (
        f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; img-src data: blob:; "
        "base-uri 'none'; form-action 'none'"
    )
