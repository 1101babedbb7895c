// A small picture of a distribution with its initial parameters, from the server's preview.
import { api } from "../lib/api.js";
import { ApiError } from "../lib/requests.js";
import { h } from "../lib/dom.js";
import { drawTiny, frame } from "./density.js";

const known = new Map(); // previews by name, so that each is requested once

/** The preview of a distribution, or null if there is none. */
async function preview({ start }) {
  try {
    const { arms } = await api.appraise({ arms: [{ name: "arm", distribution: start }], value: "mean", policies: [] });
    return arms[0] ?? null;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return null; // the title remains
  }
}

/** An element that is empty until the preview has arrived. */
export function picture(form) {
  const element = h("span", { class: "picture" });
  if (!known.has(form.name)) known.set(form.name, preview(form));
  known.get(form.name).then((arm) => {
    if (arm) element.append(drawTiny(arm, frame([arm])));
    else known.delete(form.name); // to be requested again
  });
  return element;
}
