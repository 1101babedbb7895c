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
const end = (address) => asked(address, { method: "DELETE" });
const person = (name) => `/api/people/${encodeURIComponent(name)}`;

export const api = {
  // who asks
  proxyUser: async () => (await ask("/api/login")).proxy_user,
  login: (name, password) => ask("/api/login", json("POST", { name, password })),
  join: (given) => ask("/api/join", json("POST", given)),
  logout: () => ask("/api/logout", json("POST", {})),
  me: () => ask("/api/me"),
  tokens: () => asked("/api/tokens"),
  makeToken: (label) => post("/api/tokens", { label }),
  endToken: (id) => end(`/api/tokens/${encodeURIComponent(id)}`),
  note: (text, confirm) => post("/api/notes", { text, confirm }),

  // participants
  enrol: (given) => post("/api/participants", given),
  allocation: (participant) => asked(`/api/participants/${encodeURIComponent(participant)}`),
  participants: (signal) => asked("/api/participants", { signal }),
  void: (participant, reason, confirm) => post("/api/voids", { participant, reason, confirm }),
  record: (given) => post("/api/outcomes", given),
  correct: (given) => post("/api/corrections", given),
  withdraw: (given) => post("/api/withdrawals", given),
  unblind: (participant, reason, confirm) => post("/api/unblindings", { participant, reason, confirm }),

  // what others see
  status: (signal) => asked("/api/status", { signal }),
  statistics: () => asked("/api/statistics"),
  journal: (options) => asked(`/api/journal?${new URLSearchParams(options)}`),
  verification: () => asked("/api/verification"),

  // people
  people: () => asked("/api/people"),
  admit: (name, roles) => post("/api/people", { name, roles }),
  renew: (name) => post(`${person(name)}/renewal`),
  approve: (name, check) => post(`${person(name)}/approval`, { check }),
  dismiss: (name) => end(person(name)),

  // the conduct of the trial
  pause: (reason) => post("/api/pause", { reason }),
  resume: (reason) => post("/api/resume", { reason }),
  dropArm: (arm, reason) => post("/api/arms/dropped", { arm, reason }),
  endRecruitment: (reason) => post("/api/recruitment-end", { reason }),
  missing: () => asked("/api/missing"),
  proposeLock: (reason, missing) => post("/api/lock", { reason, missing }),
  withdrawLock: () => end("/api/lock"),
  approveLock: (missing) => post("/api/lock/approval", { missing }),
};
