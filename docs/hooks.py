"""Additional pages of the site: the catalogue, the article of the laboratory, and documents from the root."""

from __future__ import annotations

import base64
import json
import os
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File
from mkdocs.structure.nav import Link

import primum  # registers what is built in
from primum.lab.http.static_files import FILES
from primum.plugins import registry
from primum.plugins.descriptions import describe

ROOT = Path(__file__).resolve().parent.parent
ELSEWHERE = {"contributing.md": "CONTRIBUTING.md", "changelog.md": "CHANGELOG.md"}  # page -> file
ARTICLE_SOURCE = "src/primum/lab/static/learn/index.html"
ARTICLE, ARTICLE_TITLE = "learn.html", "Learn: first, do no harm"
ARTICLE_LINKS = {  # of the laboratory, and in their place those of the site
    'href="/"': 'href="laboratory.html"',
    ' <a href="/trials">Trials</a>': "",
    'href="/learn"': f'href="{ARTICLE}"',
    '<a href="/docs">API</a>': '<a href="index.html">Documents</a>',
    "move the controls, and the pictures change.": "move the controls, and the pictures change. This copy plays "
    "recorded results; the laboratory computes them.",
}
CATALOGUE = re.compile(r"<!-- catalogue of (\w+) -->")
CODE = r"^```.*?^```$|`[^`\n]+`"
LINK = re.compile(CODE + r"|\[([^\]\n]+)\]\((?!\w+:|#)([^)#\s]+)(#[^)\s]*)?\)", re.DOTALL | re.MULTILINE)


def on_files(files: Any, config: Any) -> Any:
    """Add the documents that are kept elsewhere."""
    for page, file in ELSEWHERE.items():
        files.append(File.generated(config, page, abs_src_path=str(ROOT / file)))
    files.append(File.generated(config, "assets/identity.css", content=read("lib/identity.css")))
    files.append(File.generated(config, ARTICLE, content=article()))
    return files


def on_nav(nav: Any, config: Any, files: Any) -> Any:
    """Add the article, which is no page of the theme."""
    nav.items.insert(1, Link(ARTICLE_TITLE, ARTICLE))
    return nav


def article() -> str:
    """The article as one file that needs no server: modules, styles and recorded responses are in it.

    A page that is opened from disk cannot load modules, so an import map has them as data.
    """
    page = FILES.contents["learn/index.html"].decode()
    for ours, theirs in ARTICLE_LINKS.items():
        if ours not in page:
            raise ValueError(f"the article has no {ours!r}; change ARTICLE_LINKS")
        page = page.replace(ours, theirs)
    page = re.sub(r'<link rel="modulepreload".*?>\n', "", page)
    page = re.sub(r'<link rel="stylesheet" href="static/(.*?)">', lambda m: f"<style>\n{read(m[1])}</style>", page)
    page = re.sub(r'href="static/(icon\.svg)"', lambda m: f'href="{as_data("image/svg+xml", read(m[1]))}"', page)
    modules = {name for name in FILES.contents if name.startswith(("lib/", "learn/")) and name.endswith(".js")}
    imports = {name: as_data("text/javascript", module(name)) for name in sorted(modules - {"lib/theme.js"})}
    recording = (ROOT / "docs" / "learn.json").read_text().replace("<", "\\u003c")
    scripts = {
        "lib/theme.js": f"<script>\n{read('lib/theme.js')}</script>",
        "learn/main.js": f'<script type="importmap">{json.dumps({"imports": imports})}</script>\n'
        f"<script>window.primumRecording = {recording};</script>\n"
        '<script type="module">import "learn/main.js";</script>',
    }
    return re.sub(r'<script src="static/(.*?)".*?></script>', lambda m: scripts[m[1]], page)


def read(name: str) -> str:
    """A file of the laboratory's pages."""
    return FILES.file(name).content.decode()


def module(name: str) -> str:
    """A module whose imports are by names from the root, as in the import map."""
    folder = os.path.dirname(name)
    return re.sub(r'"(\.\.?/[\w./-]+\.js)"', lambda m: f'"{os.path.normpath(os.path.join(folder, m[1]))}"', read(name))


def as_data(media_type: str, text: str) -> str:
    return f"data:{media_type};base64,{base64.b64encode(text.encode()).decode()}"


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Fill in the catalogue, and adapt links written for the repository."""
    source, place = Path(page.file.abs_src_path), Path(page.file.src_uri)
    linked = LINK.sub(lambda match: as_page(match, source, place), markdown)
    return CATALOGUE.sub(lambda match: catalogue(match[1]), linked)


def as_page(match: re.Match[str], source: Path, place: Path) -> str:
    """A link to another file as a link to its page; only its text if the site does not have it."""
    text, target, anchor = match.groups(default="")
    if not target:  # code
        return match[0]
    file = Path(os.path.normpath(source.parent / target)).relative_to(ROOT)
    pages = {file: page for page, file in ELSEWHERE.items()} | {ARTICLE_SOURCE: ARTICLE}
    if str(file) in pages:
        to = pages[str(file)]
    elif file.parts[0] == "docs":
        to = str(file.relative_to("docs"))
    else:
        return text
    return f"[{text}]({os.path.relpath(to, place.parent)}{anchor})"


def catalogue(family: str) -> str:
    """All plug-ins of a family, those of installed packages too: a table, then an entry for each."""
    classes = [registry.find(family, name) for name in registry.names(family)]
    rows = [f"| [`{cls.name}`](#{cls.name}) | {cell(describe(cls).summary)} |" for cls in classes]
    return "\n".join(["| name | summary |", "|---|---|", *rows, "", *(entry(cls) for cls in classes)])


def entry(cls: type[registry.Plugin]) -> str:
    """The entry of a plug-in: summary, details, parameters, facts, an example and the reference."""
    description = describe(cls)
    parts = [f"## {description.name} {{ #{description.name} }}", description.summary, description.details]
    if description.parameters:
        rows = [
            f"| `{name}` | {'' if default is None else f'`{default}`'} | {cell(allowed)} | {cell(text)} |"
            for name, (default, allowed, text) in description.parameters.items()
        ]
        parts.append("\n".join(["| parameter | default | allowed | meaning |", "|---|---|---|---|", *rows]))
    parts.append("\n".join(f"- {fact}" for fact in description.facts))
    parts.append(f"```pycon\n{example(cls)}\n```")
    if description.reference:
        parts.append(f"Reference: {arxiv(description.reference)}")
    return "\n\n".join(filter(None, [*parts, description.fault])) + "\n"


def example(cls: type[registry.Plugin]) -> str:
    """The example of a class, from the import on."""
    public = getattr(getattr(primum, cls.family), cls.__name__, None) is cls
    module = f"primum.{cls.family}" if public else cls.__module__
    return f">>> from {module} import {cls.__name__}\n{describe(cls).example}".strip()


def arxiv(text: str) -> str:
    return re.sub(r"arXiv:(\d{4}\.\d{4,5})", r"[arXiv:\1](https://arxiv.org/abs/\1)", text)


def cell(text: str) -> str:
    return text.replace("|", r"\|")
