// The outcomes of a treatment on a line from 0 to 1: those that count filled, the others open, and the mean of the former.
import { h, say, svg } from "../lib/dom.js";
import { FIRST, SECOND, sign } from "./parts.js";

const [HEIGHT, MIDDLE] = [40, 20]; // pixels

/** An element with `show(text, outcomes, counted)`; the `counted` are some of the outcomes, or all. */
export function outcomeLine(position) {
  const treatment = [FIRST, SECOND][position];
  const text = h("p", {});
  const line = svg("svg", { class: "outcomes", role: "img", height: HEIGHT });
  const element = h("div", { class: "sample" }, text, line);
  element.show = (words, outcomes, counted = outcomes) => {
    const mean = counted.reduce((sum, each) => sum + each, 0) / counted.length;
    const at = `${100 * mean}%`;
    say(text, counted.length ? `${words}, average ${mean.toFixed(2)}` : words);
    line.setAttribute("aria-label", text.textContent);
    const left = [...counted];
    const isCounted = (outcome) => left.includes(outcome) && left.splice(left.indexOf(outcome), 1).length > 0;
    line.replaceChildren(
      svg("line", { class: "axis", x1: 0, x2: "100%", y1: MIDDLE, y2: MIDDLE }),
      ...outcomes.map((outcome) => sign(treatment, `${100 * outcome}%`, MIDDLE, isCounted(outcome) ? "" : "open")),
    );
    if (counted.length) line.append(svg("line", { class: `mean ${treatment}`, x1: at, x2: at, y1: 3, y2: HEIGHT - 3 }));
  };
  return element;
}
