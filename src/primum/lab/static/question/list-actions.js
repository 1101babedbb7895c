// Buttons that move, duplicate and remove an item of a list; the focus stays with the item.
import { h, say } from "../lib/dom.js";

/**
 * Buttons for the item at `position()` of a list; `act(change, next)` applies `change(items)` and then focuses the item
 * at `next`. `copy(items, item)` makes the duplicate; if there can be none, `show` receives the reason.
 */
export function listActions(word, position, act, copy) {
  const moved = (by) => () => {
    const from = position();
    act((items) => items.splice(from + by, 0, ...items.splice(from, 1)), from + by);
  };
  const duplicate = () => {
    const from = position();
    act((items) => items.splice(from + 1, 0, copy(items, items[from])), from + 1);
  };
  const remove = () => {
    const from = position();
    act((items) => items.splice(from, 1), from);
  };
  const button = (text, name, onclick) => h("button", { type: "button", class: "quiet", "data-act": name, onclick }, text);
  const buttons = [
    button("Move up", "up", moved(-1)),
    button("Move down", "down", moved(1)),
    button("Duplicate", "duplicate", duplicate),
    button("Remove", "remove", remove),
  ];
  const reason = h("span", { class: "hint" });
  const element = h("div", { class: "actions", role: "group", "aria-label": `Edit the list of ${word}` }, buttons, reason);
  element.show = (length, most, uncopied = "") => {
    const [up, down, more] = buttons;
    up.disabled = position() === 0;
    down.disabled = position() === length - 1;
    more.disabled = length >= most || Boolean(uncopied);
    say(reason, uncopied);
  };
  return element;
}

/** Opens the item at a position and focuses the button that was used, or else the head of the item; `otherwise` if there is none. */
export function focusItem(list, position, act, otherwise) {
  const item = list.children[Math.min(position, list.children.length - 1)];
  if (!item) return otherwise.focus();
  if (act !== "remove") item.open = true;
  const button = item.querySelector(`[data-act="${act}"]`);
  (act === "remove" || !button || button.disabled ? item.querySelector("summary") : button).focus();
}
