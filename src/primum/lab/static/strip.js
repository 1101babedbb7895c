// Which arm was given at each step of a window: a dot for each, that one can click.
import { h, say, svg } from "./dom.js";

const ROW = 22; // pixels
const MOST = 8; // arms that are all shown; of more, only those that were given

/** An element with `show(replay, step)`; it calls `go(step)`. */
export function strip(go) {
  const names = h("div", { class: "names", "aria-hidden": "true" });
  const dots = svg("svg", { role: "img" });
  const caption = h("p", { class: "hint" });
  const element = h("div", { class: "strip" }, caption, names, dots);
  let window = null;
  dots.addEventListener("click", (event) => {
    const { left, width } = dots.getBoundingClientRect();
    const at = Math.floor(((event.clientX - left) / width) * window.steps.length);
    go(window.first + Math.min(Math.max(0, at), window.steps.length - 1));
  });
  element.show = (replay, step) => {
    window = replay;
    const given = new Set(replay.steps.map((each) => each.arm));
    const shown = replay.arms.map((_, arm) => arm).filter((arm) => replay.arms.length <= MOST || given.has(arm));
    const x = (at) => `${(100 * (at - replay.first + 0.5)) / replay.steps.length}%`;
    const y = (arm) => ROW * (shown.indexOf(arm) + 0.5);
    names.replaceChildren(...shown.map((arm) => h("span", {}, replay.arms[arm])));
    dots.style.height = `${ROW * shown.length}px`;
    say(caption, `The arms given at steps ${replay.first.toLocaleString("en")} to ${replay.steps.at(-1).step.toLocaleString("en")}:`);
    dots.setAttribute("aria-label", caption.textContent);
    dots.replaceChildren(
      ...shown.map((arm) => svg("line", { class: "row", x1: 0, x2: "100%", y1: y(arm), y2: y(arm) })),
      svg("line", { class: "now", x1: x(step), x2: x(step), y1: 0, y2: "100%" }),
      ...replay.steps.map((each) =>
        svg("circle", { class: each.step === step ? "dot now" : "dot", cx: x(each.step), cy: y(each.arm), r: each.step === step ? 6 : 3.5 }),
      ),
    );
  };
  return element;
}
