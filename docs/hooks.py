"""Additional pages of the site: the catalogue, and documents from the root of the repository."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File

import primum  # registers what is built in
from primum.plugins import registry
from primum.plugins.descriptions import describe

ROOT = Path(__file__).resolve().parent.parent
ELSEWHERE = {"contributing.md": "CONTRIBUTING.md", "changelog.md": "CHANGELOG.md"}  # page -> file
CATALOGUE = re.compile(r"<!-- catalogue of (\w+) -->")
CODE = r"^```.*?^```$|`[^`\n]+`"
LINK = re.compile(CODE + r"|\[([^\]\n]+)\]\((?!\w+:|#)([^)#\s]+)(#[^)\s]*)?\)", re.DOTALL | re.MULTILINE)


def on_files(files: Any, config: Any) -> Any:
    """Add the documents that are kept elsewhere."""
    for page, file in ELSEWHERE.items():
        files.append(File.generated(config, page, abs_src_path=str(ROOT / file)))
    return files


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
    pages = {file: page for page, file in ELSEWHERE.items()}
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
