// Elements out of plain calls; text is always text, never markup.

/**
 * `h("button", { class: "x", onclick: f, "aria-label": "..." }, "text", child, [more, children])`.
 * Names that begin with "on" are listeners; `false`, `null` and `undefined` are left out; `true` is an empty attribute.
 */
export const h = (tag, properties, ...children) => fill(document.createElement(tag), properties, children);

/** The same for parts of a drawing. */
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
