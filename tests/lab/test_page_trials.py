"""The page of trials: the numbers of the package, errors beside their fields, and exports."""

from __future__ import annotations

import re
import zipfile

import pytest
from playwright.sync_api import Locator, Page, expect

from primum import trials
from primum.lab.trials.settings import Trial, TrialSettings

from .browsing import pick
from .test_page_layout import OTHER, SCREENS, check_with_axe, is_fitting


def results(page: Page) -> Locator:
    """The results, complete and without a fault."""
    found = page.locator("trial-results")
    expect(found).to_have_attribute("aria-busy", "false")
    expect(found).not_to_have_class(re.compile("stale"))
    expect(found.locator(".fault")).to_be_empty()
    return found


def row(page: Page, title: str) -> list[str]:
    """The cells of a row of the table."""
    found = results(page).locator("tbody tr").filter(has=page.get_by_role("rowheader", name=title))
    return found.locator("td").all_inner_texts()


def field(page: Page, label: str) -> Locator:
    return page.locator("trial-settings").get_by_label(label, exact=True)


def test_it_opens_with_exact_numbers(visitor):
    page = visitor.open("/")
    page.get_by_role("navigation").get_by_role("link", name="Trials").click()
    expect(results(page).locator(".verdict")).to_have_text(
        re.compile("^Compared with equal randomisation, 31 more of 100 patients get the better treatment; power falls")
    )
    trial = Trial(TrialSettings())
    laws = [trials.exact(design, progress=False) for design in (trial.chosen, trial.equal)]
    assert row(page, "Type I error at 0.3") == [f"{100 * law.type_1(0.3):.1f} % exact" for law in laws]
    assert row(page, "Power") == [f"{100 * law.reject(0.3, 0.5):.1f} % exact" for law in laws]
    assert row(page, "Expected successes") == [f"{law.successes(0.3, 0.5):.1f} exact" for law in laws]
    for name in ("Type I error over", "Distribution of the number of patients on the better treatment"):
        expect(page.get_by_role("img", name=name)).to_be_visible()
    assert page.url.endswith("/trials")


def test_sliders_change_the_numbers_and_the_address(visitor):
    page = visitor.open("/trials?patients=40")
    before = row(page, "Power")
    field(page, "Effect, slider").fill("160")  # of 200 positions
    expect(field(page, "Effect")).to_have_value("0.4")
    expect(page).to_have_url(re.compile("effect=0.4"))
    after = row(page, "Power")
    assert float(after[0].split()[0]) > float(before[0].split()[0])
    page.reload()
    expect(field(page, "Effect")).to_have_value("0.4")
    expect(field(page, "Patients")).to_have_value("40")
    assert row(page, "Power") == after


def test_sliders_obey_the_keyboard(visitor):
    page = visitor.open("/trials?patients=40")
    results(page)
    slider = field(page, "Success probability of the control, slider")
    slider.focus()
    for _ in range(20):
        slider.press("ArrowRight")
    expect(field(page, "Success probability of the control")).to_have_value("0.4")
    assert "Type I error at 0.4" in results(page).inner_text()


def test_the_effect_stays_possible_when_the_control_moves(visitor):
    page = visitor.open("/trials?patients=20")
    results(page)
    field(page, "Success probability of the control").fill("0.9")
    expect(field(page, "Effect")).to_have_value("0.1")
    results(page)


def test_late_outcomes_are_simulated_more_and_more(visitor):
    page = visitor.open("/trials?patients=60&delay=20")
    state = page.locator("trial-results .state")
    expect(state).to_have_text(re.compile(r"^(300|1,000|3,000|10,000|30,000) simulated trials"))
    results(page)
    expect(state).not_to_contain_text("more are being simulated")
    assert re.fullmatch(r"\d+\.\d % ± \d\.\d+", row(page, "Power")[0])
    expect(page.locator(".band")).to_have_count(2)


def test_a_change_in_the_middle_drops_the_old_computation(visitor):
    page = visitor.open("/trials?arms=4&patients=300")
    state = page.locator("trial-results .state")
    expect(state).to_contain_text("more are being simulated")
    field(page, "Patients").fill("30")
    field(page, "Arms").select_option("2")
    expect(state).to_have_text("All numbers are exact.")
    expect(results(page).locator(".verdict")).to_contain_text("of 30 patients")


def test_a_drift_adds_a_row(visitor):
    page = visitor.open("/trials?patients=40")
    results(page)
    field(page, "Drift").fill("0.3")
    expect(page.get_by_role("rowheader", name="Type I error with the drift of 0.3")).to_be_visible()
    assert all("±" in cell for cell in row(page, "Type I error with the drift"))
    assert all("exact" in cell for cell in row(page, "Power"))


def test_numeric_outcomes_have_an_analysis_that_fits(visitor):
    page = visitor.open("/trials?patients=40")
    results(page)
    expect(field(page, "Standard deviation of outcomes")).to_be_hidden()
    field(page, "Outcome").select_option("numeric")
    expect(field(page, "Analysis")).to_have_value("welch-t")
    expect(field(page, "Mean outcome of the control, slider")).to_be_visible()
    field(page, "Standard deviation of outcomes").fill("0.1")
    expect(page).to_have_url(re.compile("outcome=numeric.*deviation=0.1"))
    assert "±" in row(page, "Expected total outcome")[0]


def test_policies_have_titles_and_parameters(visitor):
    page = visitor.open("/trials?patients=40")
    results(page)
    pick(page.locator("trial-settings"), "Allocation rule", "posterior-best")
    expect(page).to_have_url(re.compile("policy=posterior-best"))
    expect(results(page).get_by_role("columnheader").first).to_have_text("RAR by posterior probability of being best")
    page.get_by_role("button", name="Allocation rule").click()
    expect(page.get_by_role("option", name="Oracle")).to_have_count(0)


def test_an_error_stands_beside_its_field(visitor):
    visitor.expect_refusal(422)
    page = visitor.open("/trials?patients=40")
    results(page)
    patients = field(page, "Patients")
    patients.fill("5000")
    expect(patients).to_have_attribute("aria-invalid", "true")
    expect(page.locator("trial-settings")).to_contain_text("patients should be less than or equal to 2000")
    expect(page.locator("trial-results .fault")).to_have_text(
        "Correct the settings that are marked. The results are those of the last valid settings."
    )
    patients.fill("1,0")
    expect(page.locator("trial-settings")).to_contain_text("patients should be a valid integer")
    patients.fill("50")
    expect(patients).not_to_have_attribute("aria-invalid", "true")
    field(page, "Arms").select_option("3")
    field(page, "Analysis").select_option("conditional-exact")
    expect(page.locator("trial-settings")).to_contain_text("need two arms, got 3")
    field(page, "Arms").select_option("2")
    results(page)
    field(page, "floor").fill("-1")
    expect(page.locator("trial-settings")).to_contain_text("floor must be")


def test_settings_that_a_link_cannot_have_are_named(visitor):
    page = visitor.open("/trials?patients=40&policy=nonsense&colour=red")
    expect(page.locator("#notice")).to_have_text(
        "This link has settings that are not known here: colour, policy=nonsense"
    )
    expect(results(page).get_by_role("columnheader").first).to_have_text("BESA+")


def test_a_busy_laboratory_is_said_and_the_next_change_works(visitor):
    visitor.expect_refusal(503)
    page = visitor.open("/trials?patients=40")
    results(page)
    busy = {"status": 503, "json": {"errors": {"": "the laboratory is busy"}}}
    page.route("**/api/trials/operating*", lambda route: route.fulfill(**busy))
    field(page, "Patients").fill("41")
    expect(page.locator("trial-results .fault")).to_have_text("the laboratory is busy")
    page.unroute("**/api/trials/operating*")
    field(page, "Patients").fill("42")
    expect(results(page).locator(".verdict")).to_contain_text("of 42 patients")


def test_the_design_and_the_report_are_saved(visitor, tmp_path):
    page = visitor.open("/trials?patients=20&drift=0.2")
    results(page)
    with page.expect_download() as saving:
        page.get_by_role("link", name="Design file (TOML)").click()
    plan = trials.Plan.load(saving.value.path())
    assert saving.value.suggested_filename == "design.toml"
    assert plan == Trial(TrialSettings(patients=20, drift=0.2)).plan()
    with page.expect_download(timeout=60_000) as saving:
        page.get_by_role("button", name="Report (ZIP)").click()
    with zipfile.ZipFile(saving.value.path()) as archive:
        assert "report/index.html" in archive.namelist()
    expect(page.locator("trial-export [role=status]")).to_contain_text("open report/index.html")


def test_commands_and_link_can_be_copied(visitor):
    page = visitor.open("/trials?patients=20", permissions=["clipboard-read", "clipboard-write"])
    results(page)
    page.get_by_role("button", name="Copy: Commands").click()
    expect(page.locator("trial-export")).to_contain_text("Copied.")
    assert page.evaluate("navigator.clipboard.readText()").splitlines() == [
        "primum trial operate design.toml --report report",
        "primum trial start design.toml --journal trial.db --design BESA+",
    ]
    expect(page.get_by_role("group", name="Link")).to_have_text(re.compile(r"/trials\?patients=20$"))


@pytest.mark.parametrize(
    ("width", "scheme"),
    [*SCREENS, *(pytest.param(width, scheme, marks=pytest.mark.long) for width in (768, 1920) for scheme in OTHER)],
)
def test_it_fits_and_axe_finds_nothing_wrong(visitor, width, scheme):
    visitor.expect_refusal(422)
    page = visitor.open(
        "/trials?patients=30&arms=3&drift=0.1", viewport={"width": width, "height": 800}, color_scheme=scheme
    )
    results(page)
    page.get_by_text("Safety value").first.click()
    assert is_fitting(page)
    check_with_axe(page, scheme)
    field(page, "Effect").fill("2")
    expect(field(page, "Effect")).to_have_attribute("aria-invalid", "true")
    assert is_fitting(page)
    check_with_axe(page, scheme)


def test_other_designs_are_points_and_a_click_takes_one_over(visitor):
    visitor.compares = True
    page = visitor.open("/trials?patients=30&effect=0.5&burn_in=0")
    frontier = page.locator("trial-frontier")
    own = frontier.locator(".dot.own")
    expect(own).to_have_count(1, timeout=90_000)
    expect(frontier.get_by_role("img", name="BESA+, with a test that holds its level")).to_be_visible()
    expect(frontier.locator(".curve")).to_have_count(2)  # and its sample in the legend
    assert frontier.locator(".dot").count() > 20
    proposed = frontier.get_by_role("button").first
    wanted = proposed.inner_text()
    proposed.click()
    expect(page).to_have_url(re.compile("analysis=conditional-exact"))
    expect(frontier.locator(".dot.own title")).to_have_text(re.compile(re.escape(wanted.split(":")[0])), timeout=90_000)


def test_where_other_designs_are_not_compared_the_page_says_so(visitor):
    visitor.compares = True
    page = visitor.open("/trials?patients=30&drift=0.2")
    frontier = page.locator("trial-frontier")
    expect(frontier).to_contain_text("primum trial frontier compares others by simulation", timeout=30_000)
    expect(frontier.locator(".dot")).to_have_count(0)
    expect(frontier.locator(".chart-box")).to_be_hidden()
