// Creates elements by plain calls; text is always text, never markup.

/**
 * `h("button", { class: "x", onclick: f, "aria-label": "..." }, "text", child, [more, children])`.
 * Names that begin with "on" are listeners; `false`, `null` and `undefined` are omitted; `true` is an empty attribute.
 */
export const h = (tag, properties, ...children) => fill(document.createElement(tag), properties, children);

/** The same for SVG elements. */
export const svg = (tag, properties, ...children) =>
  fill(document.createElementNS("http://www.w3.org/2000/svg", tag), properties, children);

function fill(element, properties, children) {
  for (const [name, given] of Object.entries(properties || {})) {
    if (given === false || given === null || given === undefined) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), given);
    else element.setAttribute(name, given === true ? "" : given);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== false && child !== null && child !== undefined));
  return element;
}

let last = 0;

/** A unique id. */
export const unique = (word) => `${word}-${++last}`;

/** Sets a text only if it differs, so that screen readers announce it once. */
export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** One child per item, each with `show(item, i)`; existing children are reused. */
export function repeat(parent, items, make) {
  while (parent.children.length > items.length) parent.lastElementChild.remove();
  items.forEach((item, i) => {
    const child = parent.children[i] || parent.appendChild(make(i));
    child.show(item, i);
  });
}
