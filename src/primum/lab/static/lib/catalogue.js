// All plug-ins that the server offers, with their parameters.
import { api } from "./api.js";

export const catalogue = { values: [], rewards: [], policies: [], groups: {}, colours: [], on_dark: {}, limits: {} };

/** Await this before a question is shown. */
export const load = async () => Object.assign(catalogue, await api.catalogue());

/** The plug-in with that name: title, description and parameters. */
export const plugin = (family, name) => catalogue[family].find((form) => form.name === name);

/** A plug-in as the forms hold it: always an object with a name. */
export const asSpec = (given) => (typeof given === "string" ? { name: given } : given);

/** The colour of the policy at that position, as in the figures, for both themes. */
export function colour(position) {
  const light = catalogue.colours[position % catalogue.colours.length];
  return `light-dark(${light}, ${catalogue.on_dark[light] || light})`;
}
