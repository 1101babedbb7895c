"""Write the report into the documents, and how many claims hold into README: python docs/reproduction.py.

The full reproduction is taken from the store; what is missing is simulated, which takes a quarter of an hour.
"""

from __future__ import annotations

import re
import sys
import tempfile
from pathlib import Path

from PIL import Image

from primum.store import Store

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from reproduction import FULL, reproduce  # noqa: E402

FOLDER = ROOT / "docs" / "reproduction"
COUNTS = re.compile(r"^Of \d+ claims, .*$", re.MULTILINE)
MARKS = re.compile(r"(<!-- claims -->).*?(<!-- end of claims -->)")
INTRODUCTION = """
In a clone, `make reproduce`, or `primum reproduce`, runs every experiment of the paper with enough replications to
decide, and judges each claim by a rule in the code; with `--quick` it takes about a minute. You can stop it at any
time: the next run resumes, and repeating a complete run takes seconds. `make figures` writes this page from its
results. The report of that run, `report/index.html`, has the same text with interactive figures, each of them also as
PNG and SVG, their data as CSV and netCDF, and the experiment files.
"""


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        reproduce(folder, FULL, Store())
        report = Path(folder)
        page = (report / "report.md").read_text()
        FOLDER.mkdir(exist_ok=True)
        for old in FOLDER.iterdir():
            old.unlink()
        for name in re.findall(r"\(figures/([\w.-]+)\.svg\)", page):
            # 64 colours are enough for lines and bands, and need a third of the space
            Image.open(report / "figures" / f"{name}.png").quantize(64).save(FOLDER / f"{name}.png", optimize=True)
        page = re.sub(r"\(figures/([\w.-]+)\.svg\)", r"(reproduction/\1.png)", page)
        heading, _, rest = page.partition("\n")
        (ROOT / "docs" / "reproduction.md").write_text(f"{heading}\n{INTRODUCTION}{rest}")
    readme = ROOT / "README.md"
    counts = COUNTS.findall(page)[0]
    readme.write_text(MARKS.sub(lambda match: f"{match[1]}{counts}{match[2]}", readme.read_text()))


if __name__ == "__main__":
    main()
