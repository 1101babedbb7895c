// The tabs of the results, for mouse and arrow keys.
import { h } from "../lib/dom.js";
import { TABS } from "./figure-kinds.js";
import { view } from "./view-settings.js";

/** The list of tabs of this panel. */
export function tabs(panel) {
  const names = Object.keys(TABS);
  const buttons = names.map((name) =>
    h(
      "button",
      { type: "button", role: "tab", id: `tab-${name}`, "aria-controls": panel.id, onclick: () => view.change({ tab: name }) },
      TABS[name],
    ),
  );
  const list = h("div", { class: "tabs", role: "tablist", "aria-label": "Results" }, buttons);
  list.addEventListener("keydown", (event) => {
    const at = names.indexOf(view.tab);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: names.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    view.change({ tab: names.at(to % names.length) });
    buttons.at(to % names.length).focus();
  });
  const show = () => {
    buttons.forEach((button, i) => {
      const chosen = names[i] === view.tab;
      button.setAttribute("aria-selected", chosen);
      button.tabIndex = chosen ? 0 : -1;
    });
    panel.setAttribute("aria-labelledby", `tab-${view.tab}`);
  };
  view.addEventListener("change", show);
  show();
  return list;
}
