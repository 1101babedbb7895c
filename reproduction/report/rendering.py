"""The report as one self-contained HTML page and as Markdown, from templates."""

from __future__ import annotations

import base64
import hashlib
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from primum.figures.embedded import Embedded
from primum.figures.identity import identity_css
from primum.text import listed, paragraphs
from reproduction.judgement import FAILS, HOLDS, IN_PART, UNDECIDED
from reproduction.report.model import Report, Table
from reproduction.report.numbers import effect, interval, tally
from reproduction.scale import QUICK

TITLE = "Learning Modular Safe Policies in the Bandit Setting with Application to Adaptive Clinical Trials"
AUTHORS = "Hossein Aboutalebi, Doina Precup and Tibor Schuster"
ARXIV = "1903.01026"
MOST_LINKED_FILES = 6
MARKS = {HOLDS: "✓", IN_PART: "◐", FAILS: "✗", UNDECIDED: "?"}
_MARKDOWN_SIGNS = re.compile(r"[\\`*_{}\[\]#|]")
_MARKDOWN_ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "$": "&#36;"})


@dataclass(frozen=True)
class Drawing(Embedded):
    """A picture as the page shows it: an SVG file, and Plotly figures as JSON."""

    plots: tuple[str, ...]

    @property
    def json(self) -> Markup:
        """The Plotly figures as a list that contains no tag."""
        return Markup(f"[{','.join(self.plots)}]".replace("<", "\\u003c"))


def html(report: Report, drawings: Mapping[str, Drawing]) -> str:
    """The whole page; `drawings` has all figures by name."""
    from plotly.offline import get_plotlyjs

    environment = _environment()
    environment.filters["claim_links"] = lambda text: _linked(escape(text), r'<a href="#claim-\1">claim&nbsp;\1</a>')
    source = environment.loader.get_source  # type: ignore[union-attr]
    scripts = [_script(get_plotlyjs()), _script(source(environment, "report.js")[0])]
    return environment.get_template("report.html").render(
        report=report,
        drawings=drawings,
        style=Markup(identity_css() + source(environment, "report.css")[0]),
        scripts=scripts,
        hashes=[base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts],
    )


def markdown(report: Report) -> str:
    """The whole report as Markdown; its figures are in the folder ``figures``."""
    environment = _environment(markdown_text)
    environment.filters["claim_links"] = lambda text: _linked(markdown_text(text), r"[claim \1](#claim-\1)")
    return environment.get_template("report.md").render(report=report)


def markdown_text(given: Any) -> Any:
    """Plain text on one line in which Markdown sees no signs; what is marked up already is left alone.

    >>> print(markdown_text("a_b | <c>"))
    a\\_b \\| &lt;c&gt;
    """
    if isinstance(given, Markup):
        return given
    return Markup(_MARKDOWN_SIGNS.sub(r"\\\g<0>", " ".join(str(given).split())).translate(_MARKDOWN_ENTITIES))


def _environment(finalize: Any = None) -> Environment:
    """Escapes HTML, unless `finalize` has escaped everything for another format."""
    environment = Environment(
        loader=PackageLoader("reproduction.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=finalize,
    )
    environment.filters |= {
        "effect": effect,
        "interval": interval,
        "tally": tally,
        "counted_verdicts": lambda counts: listed([f"{n} {verdict_verb(verdict, n)}" for verdict, n in counts.items()]),
        "paragraphs": paragraphs,
        "brief": lambda figure: figure.title.partition(":")[0],
        "slug": lambda verdict: verdict.replace(" ", "-"),
        "verb": verdict_verb,
        "numeric": _numeric_columns,
        "is_table": lambda figure: isinstance(figure, Table),
        "command": _command,
    }
    environment.globals |= {
        "title": TITLE,
        "authors": AUTHORS,
        "arxiv": ARXIV,
        "marks": MARKS,
        "quick": QUICK.name,
        "most_linked": MOST_LINKED_FILES,
        "whole_folder": _whole_folder,
    }
    return environment


def _linked(text: Markup, link: str) -> Markup:
    """Escaped text in which each mention of a claim by its number is a link."""
    return Markup(re.sub(r"\bclaim (\d+)", link, str(text)))  # a Markup would escape what it is joined with


def verdict_verb(verdict: str, count: int = 1) -> str:
    """The verb for one claim or several.

    >>> verdict_verb("holds in part", 2), verdict_verb("undecided", 1)
    ('hold in part', 'is undecided')
    """
    if verdict == UNDECIDED:
        return f"{'is' if count == 1 else 'are'} {verdict}"
    return verdict if count == 1 else re.sub(r"^(\w+)s\b", r"\1", verdict)


def _numeric_columns(table: Table) -> list[int]:
    """The columns but the first that hold only numbers, which align right."""
    return [i for i in range(1, len(table.header)) if all(_is_number(row[i]) for row in table.rows)]


def _is_number(cell: str) -> bool:
    return not cell or cell[0] in "0123456789-+<>≤≥±∞" or cell in ("none", "exact")


def _whole_folder(names: tuple[str, ...], experiments: Mapping[str, str]) -> str:
    """The folder that consists of exactly these experiment files; else ''."""
    folder = names[0].rpartition("/")[0]
    return folder if folder and set(names) == {name for name in experiments if name.startswith(f"{folder}/")} else ""


def _command(names: tuple[str, ...], experiments: Mapping[str, str]) -> str:
    """The command that runs these experiment files."""
    paths = [shlex.quote(f"experiments/{name}.toml") for name in names]
    if len(names) == 1:
        return f"primum simulate {paths[0]}"
    folder = _whole_folder(names, experiments)
    over = f"experiments/{folder}/*.toml" if folder else " ".join(paths)
    return f'for file in {over}; do\n    primum simulate "$file" --out "${{file%.toml}}.nc"\ndone'


def _script(source: str) -> Markup:
    """JavaScript that no text in it can end or comment out, with the line ends that a browser gives all text."""
    return Markup(re.sub(r"<(?=/script|script|!--)", r"\\x3C", source.replace("\r\n", "\n"), flags=re.IGNORECASE))
