// What good means: the spread of one treatment decides which of two wins under three values.
import { api } from "../lib/api.js";
import { h, say, svg } from "../lib/dom.js";
import { named } from "../lib/formatting.js";
import { FIRST, legend, SECOND, sign, slider, Widget } from "./parts.js";

const MEAN = 0.55; // of the new treatment, whatever its spread
const SPREAD = { min: 0.04, max: 0.26, step: 0.02, value: 0.08 };
const STANDARD = { name: "beta", a: 20, b: 20 };
const VALUES = [
  ["mean", "Average", "the average"],
  ["mean-variance(rho=1)", "Average minus variance", "the average minus the variance"],
  ["cvar(alpha=0.1)", "Average of the worst tenth", "the worst tenth"],
];
const HEIGHT = 130;
const rounded = (number) => Number(number.toFixed(4));

/** A beta distribution with that mean and standard deviation. */
function beta(mean, deviation) {
  const size = (mean * (1 - mean)) / deviation ** 2 - 1;
  return { name: "beta", a: rounded(mean * size), b: rounded((1 - mean) * size) };
}

class Good extends Widget {
  #spread = SPREAD.value;
  #densities = svg("svg", { class: "densities", viewBox: `0 0 1000 ${HEIGHT}`, preserveAspectRatio: "none", role: "img" });
  #rows = VALUES.map(([, title]) => ({ line: svg("svg", { class: "line", role: "img" }), title, best: h("td", {}) }));
  #sentence = h("p", { class: "finding", "aria-live": "polite" });

  build() {
    this.append(
      slider("Spread of the new treatment", SPREAD, (number) => number.toFixed(2), (spread) => {
        this.#spread = spread;
        this.update();
      }),
      legend(["standard", "new"]),
      this.#densities,
      h("p", { class: "ends", "aria-hidden": "true" }, h("span", {}, "0, bad"), h("span", {}, "outcome"), h("span", {}, "1, good")),
      h("table", { class: "values" }, h("caption", { class: "unseen" }, "Both treatments under three values"),
        h("tbody", {}, this.#rows.map(({ title, line, best }) => h("tr", {}, h("th", { scope: "row" }, title), h("td", {}, line), best)))),
      this.#sentence,
    );
  }

  async show() {
    const spread = this.#spread;
    const arms = [{ name: "standard", distribution: STANDARD }, { name: "new", distribution: beta(MEAN, spread) }];
    const question = (value) => ({ arms, value, policies: ["besa-plus"], horizon: 100, replications: 1, seed: 1 });
    const previews = await Promise.all(VALUES.map(([value]) => api.appraise(question(value))));
    this.#draw(previews[0].arms);
    previews.forEach((preview, i) => drawValues(this.#rows[i], preview));
    const winners = (name) => VALUES.filter((_, i) => previews[i].best[0] === name).map(([, , words]) => words);
    say(this.#sentence, ["new", "standard"].filter((name) => winners(name).length)
      .map((name) => `By ${named(winners(name))}, the ${name} treatment is better.`).join(" "));
  }

  #draw(arms) {
    const peak = Math.max(...arms.flatMap(({ density }) => density.y));
    const point = (x, y) => `${(1000 * x).toFixed(1)},${(HEIGHT - (0.97 * HEIGHT * y) / peak).toFixed(1)}`;
    this.#densities.setAttribute("aria-label", `Outcomes of both treatments: standard has standard deviation ${arms[0].deviation.toFixed(2)}, new ${arms[1].deviation.toFixed(2)}`);
    this.#densities.replaceChildren(...arms.map(({ density: { x, y } }, i) =>
      svg("polygon", { class: `area ${[FIRST, SECOND][i]}`, points: [point(x[0], 0), ...x.map((at, j) => point(at, y[j])), point(x.at(-1), 0)].join(" ") })));
  }
}

function drawValues({ line, title, best }, { arms, best: [winner] }) {
  line.setAttribute("aria-label", `${title}: ${arms.map(({ value }, i) => `${["standard", "new"][i]} ${value.toFixed(2)}`).join(", ")}`);
  line.replaceChildren(
    svg("line", { class: "axis", x1: 0, x2: "100%", y1: 14, y2: 14 }),
    ...arms.map(({ value }, i) => sign([FIRST, SECOND][i], `${100 * value}%`, 14)),
  );
  say(best, winner);
  best.className = winner === "new" ? SECOND : FIRST;
}

customElements.define("learn-good", Good);
