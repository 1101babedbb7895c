"""Plug-ins of another package on the page: in the forms, with their parameters, and in runs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import expect

import primum
from tests.test_example_package import PACKAGE

from .browsing import cards, drawing, finished, opened, pick, step, tab
from .laboratory import laboratory


def test_plugins_of_an_installed_package_are_picked_and_played(visitor, tmp_path):
    installed = tmp_path / "installed"
    offline = "--quiet", "--no-deps", "--no-build-isolation", "--no-index", "--disable-pip-version-check"
    pip = [sys.executable, "-m", "pip", "install", *offline, "--target", str(installed), str(PACKAGE)]
    subprocess.run(pip, check=True)
    paths = os.pathsep.join([str(installed), str(Path(primum.__file__).parents[1])])
    with laboratory(tmp_path / "store", PYTHONPATH=paths) as lab:
        page = visitor.open(address=lab.address)
        drawing(page)
        arm = opened(cards(page, "Arms").last)
        pick(arm, "distribution", "kumaraswamy")
        arm.get_by_label("a", exact=True).fill("3")
        expect(arm.locator("> summary .label")).to_have_text("Kumaraswamy (a 3)")
        good = step(page, "Safety value")
        pick(good, "value", "expected-utility")
        expect(good).to_contain_text("aversion to risk")
        good.get_by_label("aversion", exact=True).fill("3")
        expect(good.locator(".verdict")).to_contain_text("is best by Expected utility (aversion 3)")
        players = step(page, "Policies")
        pick(players, "Add a policy", "satisficer")
        added = cards(page, "Policies").last
        added.get_by_label("target", exact=True).fill("0.7")
        expect(added.locator(".name")).to_have_text("Satisficer (target 0.7)")
        page.get_by_label("Replications", exact=True).fill("5")
        page.get_by_role("button", name="Run", exact=True).click()
        finished(page)
        expect(page.locator("primum-figure .subtitle")).to_contain_text("5 replications")
        assert "Satisficer (target 0.7)" in {trace["name"] for trace in drawing(page)["data"]}
        tab(page, "Export")
        expect(page.get_by_label("Python script", exact=True)).to_contain_text(
            "from primum_example.satisficer import Satisficer"
        )
        page.close()
