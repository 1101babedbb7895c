// The documentation of the API, from openapi.json.
import { h } from "../lib/dom.js";

const anchor = (name) => `schema-${name}`;
const nameOf = (reference) => reference.split("/").at(-1);

/** Text whose parts between back-ticks are code. */
export const marked = (text) => text.split("`").map((part, i) => (i % 2 ? h("code", {}, part) : part));

const joined = (parts, word) => parts.flatMap((part, i) => (i ? [word, ...type(part)] : type(part)));

/** A type in words, with links to its parts. */
function type(schema) {
  if (!schema || Object.keys(schema).length === 0) return ["any"];
  if (schema.$ref) return [h("a", { href: `#${anchor(nameOf(schema.$ref))}` }, nameOf(schema.$ref))];
  const either = schema.anyOf || schema.oneOf;
  if (either) return joined(either, " or ");
  const only = schema.enum || ("const" in schema && [schema.const]);
  if (only) return [only.map((one) => JSON.stringify(one)).join(", ")];
  if (schema.prefixItems) return ["[", ...joined(schema.prefixItems, ", "), "]"];
  if (schema.type === "array") return ["list of ", ...type(schema.items)];
  if (typeof schema.additionalProperties === "object") return ["map from names to ", ...type(schema.additionalProperties)];
  return [schema.format || schema.type || "any"];
}

const LIMITS = {
  minimum: "at least",
  exclusiveMinimum: "greater than",
  maximum: "at most",
  exclusiveMaximum: "less than",
  maxLength: "characters at most",
  maxItems: "items at most",
  default: "default",
};
const limits = (schema) =>
  Object.entries(LIMITS)
    .filter(([key]) => schema[key] !== undefined && schema[key] !== null)
    .map(([key, word]) => `${word} ${JSON.stringify(schema[key])}`)
    .join(", ");

function table(caption, rows) {
  if (rows.length === 0) return null;
  return h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": caption },
    h("table", {}, h("caption", { class: "unseen" }, caption),
      h("thead", {}, h("tr", {}, ["name", "type", "description"].map((word) => h("th", { scope: "col" }, word)))),
      h("tbody", {}, rows.map(({ name, schema, required, text }) =>
        h("tr", {}, h("th", { scope: "row" }, h("code", {}, name), required && " (required)"), h("td", {}, type(schema)),
          h("td", {}, [text, limits(schema)].filter(Boolean).join("; ")))))));
}

/** A small example of a schema. */
function example(schema, all, depth = 0) {
  if (!schema || depth > 5) return null;
  if (schema.$ref) return example(all[nameOf(schema.$ref)], all, depth + 1);
  const given = schema.example ?? schema.examples?.[0] ?? schema.default;
  if (given !== undefined && given !== null && given !== "") return given;
  const quoted = schema.description?.match(/for example '(.*?)'$/);
  if (quoted) return quoted[1];
  if (schema.anyOf) return example(schema.anyOf[0], all, depth + 1);
  if (schema.type === "array") return [example(schema.items, all, depth + 1)];
  if (schema.properties) {
    const wanted = schema.required || Object.keys(schema.properties);
    return Object.fromEntries(wanted.map((name) => [name, example(schema.properties[name], all, depth + 1)]));
  }
  return { integer: schema.minimum ?? 1, number: schema.minimum ?? 1, string: "text", boolean: false }[schema.type] ?? null;
}

function curl(method, path, operation, all, examples) {
  const [media, body] = Object.entries(operation.requestBody?.content || {})[0] || [];
  const needed = (operation.parameters || []).filter((one) => one.in === "query" && one.required);
  const query = needed.map((one) => `${one.name}=${example(one.schema, all)}`).join("&");
  const address = location.origin + path.replaceAll(/[{](\w+)[}]/g, (_, name) => name.toUpperCase()) + (query && "?" + query);
  const lines = [`curl${method === "get" ? "" : ` -X ${method.toUpperCase()}`} '${address}'`];
  if (media) lines.push(`  -H 'content-type: ${media}'`);
  if (media === "application/json") {
    const data = examples[nameOf(body.schema.$ref || "").replace(/-Input$/, "")] || example(body.schema, all);
    lines.push(`  -d '${JSON.stringify(data).replaceAll("'", "'\\''")}'`);
  } else if (media) lines.push("  --data-binary @FILE");
  return lines.join(" \\\n");
}

function entry(path, method, operation, all, examples) {
  const body = Object.entries(operation.requestBody?.content || {});
  const parameters = (operation.parameters || []).map((one) => ({ ...one, text: one.description }));
  const answers = Object.entries(operation.responses || {});
  return h("details", { class: "entry" },
    h("summary", {}, h("span", { class: "method" }, method.toUpperCase()), h("code", {}, path),
      h("span", { class: "hint" }, marked(operation.description || operation.summary || ""))),
    h("div", {},
      parameters.length > 0 && [h("h3", {}, "Parameters"), table(`Parameters of ${method} ${path}`, parameters)],
      body.length > 0 && [h("h3", {}, "Request body"), body.map(([media, { schema }]) => h("p", {}, `${media}: `, type(schema)))],
      h("h3", {}, "Responses"),
      h("ul", {}, answers.map(([status, answer]) => h("li", {}, h("strong", {}, status), ` ${answer.description} `,
        Object.entries(answer.content || {}).map(([media, { schema }]) => [`(${media}: `, ...type(schema), ")"])))),
      h("h3", {}, "Example"), h("pre", { tabindex: 0 }, curl(method, path, operation, all, examples))));
}

function schema(name, { properties = {}, required = [], description = "", ...rest }) {
  const rows = Object.entries(properties).map(([key, one]) => {
    return { name: key, schema: one, required: required.includes(key), text: one.description };
  });
  return h("details", { class: "entry", id: anchor(name) },
    h("summary", {}, h("span"), h("code", {}, name), h("span", { class: "hint" }, marked(description))),
    h("div", {}, rows.length ? table(`Fields of ${name}`, rows) : h("p", {}, type(rest))));
}

const openTarget = () => {
  const target = location.hash && document.getElementById(location.hash.slice(1));
  if (target) target.open = true;
};

/**
 * Shows the API in an element. `introduction` has further elements after the description, and `examples` complete data
 * for requests by the names of schemas; without them, an example is made from the schema.
 */
export async function showApi(root, { introduction = [], examples = {} } = {}) {
  const answer = await fetch("/openapi.json");
  if (!answer.ok) {
    root.append(h("p", { class: "fault" }, `The server responded with status ${answer.status}.`));
    return;
  }
  const { info, paths, components = {} } = await answer.json();
  const all = components.schemas || {};
  root.append(
    ...info.description.trim().split(/\n\s*\n/).map((text) => h("p", {}, marked(text))),
    ...introduction,
    h("h2", {}, "Endpoints"),
    ...Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => entry(path, method, operation, all, examples))),
    h("h2", {}, "Schemas"),
    ...Object.entries(all).map(([name, one]) => schema(name, one)),
  );
  openTarget();
  window.addEventListener("hashchange", openTarget);
}
