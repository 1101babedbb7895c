// Everything that can be picked, as the server has it.
import { api } from "./api.js";

export const catalogue = { values: [], rewards: [], policies: [], colours: [], limits: {} };

/** To be awaited before a question is shown. */
export const load = async () => Object.assign(catalogue, await api.catalogue());

/** The plug-in of that name, in words and with its parameters. */
export const plugin = (family, name) => catalogue[family].find((form) => form.name === name);

/** The colour of the policy at that position, as in the figures. */
export const colour = (position) => catalogue.colours[position % catalogue.colours.length];
