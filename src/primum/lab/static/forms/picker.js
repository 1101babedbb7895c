// The dialog in which a plug-in is chosen: all of a family in groups, with a search.
import { catalogue, plugin } from "../lib/catalogue.js";
import { h, say, unique } from "../lib/dom.js";
import { counted } from "../lib/formatting.js";
import { picture } from "./picture.js";

const NOUNS = { values: "value", rewards: "distribution", policies: "policy" };
const PLURALS = { values: "values", rewards: "distributions", policies: "policies" };

const plain = (text) => text.toLowerCase().replaceAll("`", "");
const textOf = ({ title, name, group, summary, needs }) => plain([title, name, group, summary, ...needs].join(" "));

/** How well a plug-in matches words: 0 not at all, more if its title or name is, begins with or has them. */
function match(form, words) {
  if (!words.every((word) => textOf(form).includes(word))) return 0;
  const typed = words.join(" ");
  const names = [plain(form.title), form.name];
  if (names.includes(typed)) return 4;
  if (names.some((name) => name.startsWith(typed))) return 3;
  return names.some((name) => name.includes(typed)) ? 2 : 1;
}

function option(form, reason, choose) {
  const element = h("div", { role: "option", id: unique("option"), "data-name": form.name, "aria-disabled": reason ? "true" : null,
    onclick: () => reason || choose(form.name) },
    form.look && form.look(),
    h("div", { class: "told" }, h("strong", {}, form.title), " ",
      form.needs.length > 0 && h("span", { class: "needs" }, `needs ${form.needs.join(", ")}`),
      h("span", { class: "hint" }, reason || form.summary.replaceAll("`", ""))));
  element.form = form;
  return element;
}

/** Shows the dialog; resolves with the name of the chosen plug-in, or null. `refused(name)` says why one cannot be chosen. */
export function pick(family, heading, current = "", refused = () => "") {
  return new Promise((resolve) => {
    let active = null;
    const title = h("h2", { id: unique("picker") }, heading);
    const list = h("div", { role: "listbox", class: "options", id: unique("options"), "aria-labelledby": title.id });
    const search = h("input", { type: "search", role: "combobox", "aria-expanded": "true", "aria-controls": list.id,
      "aria-autocomplete": "list", "aria-label": `Search ${PLURALS[family]}`, placeholder: "Search", autocomplete: "off", spellcheck: "false" });
    const found = h("p", { class: "hint", role: "status" });
    const close = h("button", { type: "button", class: "quiet", onclick: () => dialog.close() }, "Cancel");
    const dialog = h("dialog", { class: `picker of-${family}`, "aria-labelledby": title.id },
      h("div", { class: "picker-head" }, title, close, search, found), list);
    const choose = (name) => dialog.close(name);

    list.append(...catalogue.groups[family].map((group) => {
      const head = h("h3", { id: unique("group"), role: "presentation" }, group);
      const inside = catalogue[family]
        .filter((form) => form.group === group)
        .toSorted((a, b) => a.title.localeCompare(b.title, "en"))
        .map((form) => option({ ...form, look: family === "rewards" && (() => picture(form)) }, refused(form.name), choose));
      return h("div", { role: "group", "aria-labelledby": head.id }, head, h("div", { class: "members", role: "presentation" }, inside));
    }));
    const options = [...list.querySelectorAll("[role=option]")];
    const shown = () => options.filter((each) => !each.hidden);

    function activate(next) {
      active?.setAttribute("aria-selected", "false");
      active = next;
      active?.setAttribute("aria-selected", "true");
      active?.scrollIntoView({ block: "nearest" });
      if (active) search.setAttribute("aria-activedescendant", active.id);
      else search.removeAttribute("aria-activedescendant");
    }
    function filter() {
      const words = plain(search.value).split(/\s+/).filter(Boolean);
      const scores = new Map(options.map((each) => [each, words.length ? match(each.form, words) : 1]));
      for (const [each, score] of scores) each.hidden = score === 0;
      for (const group of list.children) group.hidden = !group.querySelector("[role=option]:not([hidden])");
      const fit = shown();
      const none = `No ${NOUNS[family]} matches “${search.value.trim()}”.`;
      say(found, words.length === 0 ? "" : fit.length ? counted(fit.length, NOUNS[family], PLURALS[family]) : none);
      activate(fit.toSorted((a, b) => scores.get(b) - scores.get(a))[0] || null);
    }
    const moved = (by) => {
      const all = shown();
      if (all.length) activate(all[(all.indexOf(active) + by + all.length) % all.length]);
    };
    const keys = {
      ArrowDown: () => moved(1),
      ArrowUp: () => moved(-1),
      Enter: () => active?.click(),
      Escape: () => dialog.close(),
    };
    search.addEventListener("input", filter);
    dialog.addEventListener("keydown", (event) => {
      const act = event.target === close && event.key === "Enter" ? null : keys[event.key];
      if (!act || event.ctrlKey || event.metaKey) return;
      event.preventDefault(); // also tells the page that Escape is not meant for the run
      act();
    });
    dialog.addEventListener("click", (event) => event.target === dialog && dialog.close()); // outside of it
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue || null);
    });
    document.body.append(dialog);
    dialog.showModal();
    search.focus();
    activate(options.find((each) => each.form.name === current) || options[0]);
  });
}

/** A button that shows the chosen plug-in and opens the dialog; `show(name)` sets it, `changed(name)` is called with another. */
export function pickerButton(family, label, changed) {
  let chosen = "";
  const button = h("button", { type: "button", class: "choice", "aria-haspopup": "dialog" });
  button.addEventListener("click", async () => {
    const name = await pick(family, `Choose a ${NOUNS[family]}`, chosen);
    if (name && name !== chosen) changed(name);
  });
  const element = h("div", { class: "field" }, h("span", { class: "caption" }, label), button);
  element.button = button;
  element.show = (name) => {
    chosen = name;
    const { title } = plugin(family, name);
    say(button, title);
    button.setAttribute("aria-label", `${label}: ${title}`);
  };
  return element;
}
