// Parts that the widgets share: controls, legends, and when to begin.
import { h, say, svg, unique } from "../lib/dom.js";
import { Latest } from "../lib/latest.js";

export const [FIRST, SECOND] = ["first", "second"]; // classes of the two treatments: their colours

/** A slider with its label; `text(number)` is shown beside it, `changed(number)` is called when it moves. */
export function slider(label, { min, max, step, value }, text, changed) {
  const id = unique("slider");
  const output = h("output", { for: id }, text(value));
  const input = h("input", { id, type: "range", min, max, step, value, "aria-valuetext": text(value) });
  input.addEventListener("input", () => {
    output.textContent = text(Number(input.value));
    input.setAttribute("aria-valuetext", output.textContent);
    changed(Number(input.value));
  });
  return h("div", { class: "slider" }, h("label", { for: id }, label), output, input);
}

/** Radio buttons in a row, given as [value, label]; the first is chosen. */
export function choice(legend, options, changed) {
  const name = unique("choice");
  return h("fieldset", { class: "choice" }, h("legend", {}, legend),
    h("div", {}, options.map(([value, label], i) =>
      h("label", {}, h("input", { type: "radio", name, checked: i === 0, onchange: () => changed(value) }), h("span", {}, label)))));
}

export const button = (text, onclick, kind = "") => h("button", { type: "button", class: kind, onclick }, text);

/** The sign of a treatment: a square for the first, a disc for the second, so that nothing depends on colour alone. */
export function sign(treatment, x, y, kind = "") {
  const shape = treatment === FIRST
    ? svg("rect", { x: -4.5, y: -4.5, width: 9, height: 9 })
    : svg("circle", { r: 5 });
  return svg("svg", { class: `sign ${treatment} ${kind}`, x, y, overflow: "visible" }, shape);
}

/** The signs of both treatments with their names. */
export const legend = (names) =>
  h("p", { class: "legend" }, names.map((name, i) =>
    h("span", {}, svg("svg", { width: 12, height: 12, "aria-hidden": "true" }, sign([FIRST, SECOND][i], 6, 6)), ` ${name}`)));

/** Shows a number with a bar that fills this fraction of its cell. */
export function fill(cell, text, share) {
  const bar = h("span", { class: "bar" });
  bar.style.inlineSize = `${Math.min(100, 100 * share)}%`;
  cell.replaceChildren(text, h("span", { class: "bars", "aria-hidden": "true" }, bar));
}

/** A widget whose `show()` fetches and draws: once it is near the screen, and again after a change. */
export class Widget extends HTMLElement {
  #fault = h("p", { class: "fault", role: "status" });
  #latest = new Latest(
    () => {
      this.ariaBusy = "true";
      return this.show();
    },
    (sentence) => {
      this.ariaBusy = "false";
      say(this.#fault, sentence);
    },
  );

  connectedCallback() {
    this.ariaBusy = "true";
    this.build();
    this.append(this.#fault);
    const near = new IntersectionObserver(([{ isIntersecting }]) => {
      if (!isIntersecting) return;
      near.disconnect();
      this.update();
    }, { rootMargin: "50%" });
    near.observe(this);
  }

  update() {
    this.#latest.again();
  }
}
