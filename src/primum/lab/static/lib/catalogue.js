// All plug-ins that the server offers, with their parameters.
import { api } from "./api.js";

export const catalogue = { values: [], rewards: [], policies: [], groups: {}, colours: [], limits: {} };

/** Await this before a question is shown. */
export const load = async () => Object.assign(catalogue, await api.catalogue());

/** The plug-in with that name: title, description and parameters. */
export const plugin = (family, name) => catalogue[family].find((form) => form.name === name);

/** The colour of the policy at that position, as in the figures. */
export const colour = (position) => catalogue.colours[position % catalogue.colours.length];
