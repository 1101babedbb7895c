// A page with one view, and a server that responds as a test wants.
import { server, until } from "/tests/assert.js";

export const ME = { name: "a.smith", roles: ["enrol", "record"], title: "Two doses", blinded: true, state: "open", outcomes: "binary", patients: 20, arms: null, time_zone: "UTC", eligibility: [], consent: false, check: null };

/** Shows a view; returns it with the list of its requests. */
export function shown(View, me = ME) {
  const requests = server();
  document.body.innerHTML = '<main class="trial" tabindex="-1"></main><p id="said" role="status"></p>';
  const view = new View();
  view.me = me;
  document.querySelector("main").append(view);
  view.begin();
  return { view, requests };
}

/** The button with this text; it must be there soon. */
export async function button(text) {
  const find = () => [...document.querySelectorAll("button")].find((each) => each.textContent === text && !each.closest("[hidden]"));
  await until(find);
  return find();
}

/** Types a text into the field with this label: that of a dialog, if the page has one too. */
export function type(label, text) {
  const { control } = [...document.querySelectorAll("label")].findLast((each) => each.textContent === label);
  control.value = text;
  control.dispatchEvent(new Event("input", { bubbles: true }));
}

export const text = () => document.querySelector("main").innerText;

/** Waits for the number of requests so far, and returns the last. */
export async function request(requests, count) {
  await until(() => requests.length >= count);
  return requests[count - 1];
}
