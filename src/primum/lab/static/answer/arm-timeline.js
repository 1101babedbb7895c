// The arm chosen at each step of a window: a dot for each step, to click on.
import { h, say, svg } from "../lib/dom.js";

const [ROW_HEIGHT, LOW_ROW_HEIGHT] = [22, 13]; // pixels
const MOST_HIGH_ROWS = 8; // with more arms, the rows are low

/** An element with `show(replay, step)`; it calls `go(step)`. */
export function strip(go) {
  const names = h("div", { class: "names", "aria-hidden": "true" });
  const dots = svg("svg", { role: "img", "aria-label": "Arms chosen" });
  const caption = h("p", { class: "hint" });
  const rows = h("div", { class: "rows" }, names, dots);
  const element = h("div", { class: "strip" }, caption, rows);
  let window = null;
  dots.addEventListener("click", (event) => {
    const { left, width } = dots.getBoundingClientRect();
    const at = Math.floor(((event.clientX - left) / width) * window.steps.length);
    go(window.first + Math.min(Math.max(0, at), window.steps.length - 1));
  });
  element.show = (replay, step) => {
    window = replay;
    const { arms } = replay;
    const row = arms.length > MOST_HIGH_ROWS ? LOW_ROW_HEIGHT : ROW_HEIGHT;
    const x = (at) => `${(100 * (at - replay.first + 0.5)) / replay.steps.length}%`;
    const y = (arm) => row * (arm + 0.5);
    names.replaceChildren(...arms.map((name) => h("span", {}, name)));
    element.style.setProperty("--row", `${row}px`);
    dots.style.height = `${row * arms.length}px`;
    say(caption, `Arms chosen at steps ${replay.first.toLocaleString("en")} to ${replay.steps.at(-1).step.toLocaleString("en")}:`);
    dots.setAttribute("aria-label", caption.textContent);
    dots.replaceChildren(
      ...arms.map((_, arm) => svg("line", { class: "row", x1: 0, x2: "100%", y1: y(arm), y2: y(arm) })),
      svg("line", { class: "now", x1: x(step), x2: x(step), y1: 0, y2: "100%" }),
      ...replay.steps.map((each) =>
        svg("circle", { class: each.step === step ? "dot now" : "dot", cx: x(each.step), cy: y(each.arm), r: each.step === step ? 6 : 3.5 }),
      ),
    );
    reveal(rows, names.children[replay.steps[step - replay.first].arm]);
  };
  return element;
}

/** Scrolls a box, and not the page, until this part of it is visible. */
export function reveal(box, part) {
  const [frame, place] = [box.getBoundingClientRect(), part.getBoundingClientRect()];
  const head = box.querySelector("thead")?.offsetHeight ?? 0; // stays at the top
  if (place.top < frame.top + head || place.bottom > frame.bottom) box.scrollTop += place.top - (frame.top + frame.bottom) / 2;
}
