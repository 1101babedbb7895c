// The addresses of the service, documented at /docs: a script can do everything that the page does.
import { ask, json } from "./lib/requests.js";

/** Sends "ended" when the server no longer knows who is asking. */
export const session = new EventTarget();

async function asked(address, options) {
  try {
    return await ask(address, options);
  } catch (error) {
    if (error.status === 401) session.dispatchEvent(new Event("ended"));
    throw error;
  }
}

const post = (address, data = {}) => asked(address, json("POST", data));
const person = (name) => `/api/people/${encodeURIComponent(name)}`;

export const api = {
  login: (token) => ask("/api/login", json("POST", { token })),
  logout: () => ask("/api/logout", json("POST", {})),
  me: () => ask("/api/me"),
  enrol: (participant, confirm) => post("/api/participants", { participant, confirm }),
  participants: (signal) => asked("/api/participants", { signal }),
  record: (participant, outcome) => post("/api/outcomes", { participant, outcome }),
  correct: (participant, outcome, reason, confirm) => post("/api/corrections", { participant, outcome, reason, confirm }),
  withdraw: (participant, reason, confirm) => post("/api/withdrawals", { participant, reason, confirm }),
  status: (signal) => asked("/api/status", { signal }),
  statistics: () => asked("/api/statistics"),
  journal: (options) => asked(`/api/journal?${new URLSearchParams(options)}`),
  verification: () => asked("/api/verification"),
  people: () => asked("/api/people"),
  admit: (name, roles) => post("/api/people", { name, roles }),
  renew: (name) => post(`${person(name)}/token`),
  dismiss: (name) => asked(person(name), { method: "DELETE" }),
  pause: (reason) => post("/api/pause", { reason }),
  resume: (reason) => post("/api/resume", { reason }),
  close: (reason) => post("/api/close", { reason }),
  dropArm: (arm, reason) => post("/api/arms/dropped", { arm, reason }),
  note: (text, confirm) => post("/api/notes", { text, confirm }),
};
