"""Figures and tables as HTML, with the files that reproduce them."""

from __future__ import annotations

import base64
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass

from primum.paper.chapter import Figure, Table
from primum.paper.tags import heading, link, prose, table, text

FEW = 6  # up to so many experiment files are all linked


@dataclass(frozen=True)
class Drawn:
    """A picture as the page shows it: an SVG file, and Plotly figures as JSON."""

    svg: bytes
    plots: tuple[str, ...]


def figure(exhibit: Figure, drawn: Drawn, experiments: Mapping[str, str]) -> str:
    """The static picture, which gives way to the Plotly figures once it is near the window."""
    name = exhibit.name
    width, height = _pixels(drawn.svg)
    image = base64.b64encode(drawn.svg).decode()
    kinds = {"PNG": "figures/{}.png", "SVG": "figures/{}.svg", "CSV": "data/{}.csv", "netCDF": "data/{}.nc"}
    plots = ",".join(drawn.plots).replace("<", "\\u003c")  # no end tag inside a script
    return f"""<article class="exhibit" id="{text(name)}"><div class="whole">
{heading(3, name, exhibit.title)}
{prose(exhibit.text)}
<figure>
<img src="data:image/svg+xml;base64,{image}" width="{width}" height="{height}" alt="{text(exhibit.title)}; its numbers \
are in data/{text(name)}.csv">
<div class="plots{" several" * (len(drawn.plots) > 1)}"></div>
<script type="application/json">[{plots}]</script>
</figure></div>
{_files({kind: path.format(name) for kind, path in kinds.items()})}
{_recipe(exhibit.experiments, experiments)}
</article>"""


def tabular(exhibit: Table, experiments: Mapping[str, str]) -> str:
    """A table; columns of numbers align right."""
    rows = [[text(cell) for cell in row] for row in exhibit.rows]
    numeric = [i for i in range(1, len(exhibit.header)) if all(_is_number(row[i]) for row in exhibit.rows)]
    return f"""<article class="exhibit" id="{text(exhibit.name)}">
{heading(3, exhibit.name, exhibit.title)}
{prose(exhibit.text)}
{table(exhibit.title, [text(cell) for cell in exhibit.header], rows, numeric)}
{_files({"CSV": f"data/{exhibit.name}.csv"})}
{_recipe(exhibit.experiments, experiments)}
</article>"""


def _pixels(svg: bytes) -> tuple[int, int]:
    """The size of Matplotlib's SVG, which is in points."""
    size = [re.search(rb'<svg[^>]*? %s="([0-9.]+)pt"' % side, svg) for side in (b"width", b"height")]
    width, height = (round(float(match[1]) * 96 / 72) if match else 0 for match in size)
    return width, height


def _is_number(cell: str) -> bool:
    return not cell or cell[0] in "0123456789-+<>≤≥±∞" or cell in ("none", "exact")


def _files(paths: Mapping[str, str]) -> str:
    links = " ".join(link(path, kind) for kind, path in paths.items())
    return f'<p class="files">{links}</p>'


def _recipe(names: tuple[str, ...], experiments: Mapping[str, str]) -> str:
    """How to reproduce an exhibit."""
    if not names:
        return ""
    paths = [f"experiments/{name}.toml" for name in names]
    if len(names) == 1:
        command = f"primum simulate {shlex.quote(paths[0])}"
        return f"""<details class="recipe"><summary>Experiment file</summary>
<p>{link(paths[0], paths[0])}, run with <code>{text(command)}</code></p>
<pre tabindex="0"><code>{text(experiments[names[0]])}</code></pre></details>"""
    folder = names[0].rpartition("/")[0]
    whole = bool(folder) and set(names) == {name for name in experiments if name.rpartition("/")[0] == folder}
    if len(names) <= FEW:
        links = ", ".join(link(path, path) for path in paths)
    elif whole:
        links = f"{link(f'experiments/{folder}/', f'experiments/{folder}/')}, of which the first is "
        links += link(paths[0], paths[0])
    else:
        links = f"{link('experiments/', 'experiments/')}, of which the first is {link(paths[0], paths[0])}"
    over = f"experiments/{folder}/*.toml" if whole else " ".join(map(shlex.quote, paths))
    loop = f'for file in {over}; do\n    primum simulate "$file" --out "${{file%.toml}}.nc"\ndone'
    return f"""<details class="recipe"><summary>{len(names)} experiment files</summary>
<p>{links}</p>
<pre tabindex="0"><code>{text(loop)}</code></pre></details>"""
