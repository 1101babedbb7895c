// The page: who is logged in, which views their roles open, and the one that the address names.
import { api, session } from "./api.js";
import { setZone, zoneName } from "./dates.js";
import { announce, closing, dialog } from "./dialog.js";
import { field } from "./fields.js";
import { form } from "./form.js";
import { h, say } from "./lib/dom.js";
import { ApiError, sentenceOf } from "./lib/requests.js";
import { Account } from "./views/account.js";
import { Approvals } from "./views/approvals.js";
import { Enrol } from "./views/enrol.js";
import { Join } from "./views/join.js";
import { Journal } from "./views/journal.js";
import { Login } from "./views/login.js";
import { Monitor } from "./views/monitor.js";
import { Outcomes } from "./views/outcomes.js";
import { People } from "./views/people.js";
import { Statistics } from "./views/statistics.js";
import { Unblinding } from "./views/unblinding.js";
import { Waiting } from "./views/waiting.js";

const VIEWS = { enrol: Enrol, outcomes: Outcomes, unblinding: Unblinding, monitor: Monitor, statistics: Statistics, journal: Journal, approvals: Approvals, people: People };
const ACCOUNT = "account"; // for everybody, from the name in the header
const STATES = {
  paused: "The trial is paused: nobody is enrolled until an administrator resumes it.",
  stopped: "The trial has stopped: nobody else is enrolled.",
  full: "All planned participants are enrolled.",
  recruited: "Recruitment has ended: outcomes are still recorded.",
  "lock proposed": "Recruitment has ended, and an administrator has proposed to lock the trial.",
  locked: "The trial is locked.",
};
const [main, nav, person, banner, foot, title, zone] = ["main", "views", "person", "state", "foot", "title", "zone"].map((id) => document.getElementById(id));
let me = null;
let proxyUser = null; // whom a proxy has identified, if one does
let draft = null; // what somebody has typed, for the same person after the session has ended

const isWaiting = () => me?.access === "awaiting approval";
const allowed = () => (isWaiting() ? [] : Object.keys(VIEWS).filter((name) => VIEWS[name].roles.some((role) => me.roles.includes(role))));

/** The header, the banner and the foot for who is logged in now. */
function frame() {
  const names = me ? allowed() : [];
  nav.hidden = names.length < 2;
  const links = names.map((name) => h("a", { href: `#${name}`, "aria-current": name === current() && "page" }, VIEWS[name].title));
  if (links.map((link) => link.outerHTML).join(" ") !== [...nav.children].map((link) => link.outerHTML).join(" ")) nav.replaceChildren(...links); // else it keeps the focus
  person.hidden = !me;
  person.lastElementChild.hidden = proxyUser !== null; // the proxy would log in again
  foot.hidden = !me || isWaiting();
  say(person.firstElementChild, me ? me.name : "");
  say(title, me?.title || "live trial");
  say(banner, (me && STATES[me.state]) || "");
  say(zone, me ? `Dates and times are those of ${zoneName()}.` : "");
}

/** The view that the address names, or the first that the roles allow. */
function current() {
  const [names, asked] = [[...allowed(), ACCOUNT], location.hash.slice(1)];
  return names.includes(asked) ? asked : names[0];
}

/** The view for who is logged in, at the address of the page. */
function wanted() {
  if (location.hash.startsWith("#join")) return Join;
  if (!me) return proxyUser ? Join : Login;
  if (isWaiting()) return Waiting;
  return VIEWS[current()] ?? Account;
}

function open() {
  announce("");
  frame();
  const View = wanted();
  const view = new View();
  view.me = me;
  if (View === Join) Object.assign(view, { code: codeOfAddress(), proxyUser });
  if (me && draft?.name === me.name) view.draft = draft.given;
  document.title = me ? `${View.title}: ${me.title || "live trial"}` : `${View.title}: Primum`;
  main.replaceChildren(view);
  view.begin();
}

/** The one-time code in the address, which does not stay there. */
function codeOfAddress() {
  const code = decodeURIComponent(location.hash.split("=")[1] ?? "");
  if (code) history.replaceState(null, "", "#join");
  return code;
}

function enter(found) {
  know(found);
  if (location.hash === "#join") history.replaceState(null, "", location.pathname);
  open();
}

/** Who is logged in, and the zone of the trial. */
function know(found) {
  me = found;
  setZone(me.time_zone ?? "UTC");
}

/** Asks again for the state of the trial and the roles: others may have changed them. */
async function refresh() {
  if (!me || document.querySelector("dialog[open]")) return; // what is open may be shown only once
  const before = me.state;
  try {
    know(await api.me());
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.status === 401) ended();
    return;
  }
  if (!(main.firstElementChild instanceof wanted())) return open();
  main.firstElementChild.me = me;
  if (me.state !== before) main.firstElementChild.update();
  frame();
}

function ended() {
  if (!me) return;
  me = null;
  open();
  main.firstElementChild.say?.("Your session has ended. Log in again.");
}

async function leave() {
  try {
    await api.logout();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.status !== 401) return announce(`Not logged out. ${sentenceOf(error)}`);
  }
  me = draft = null;
  if (!location.hash.startsWith("#join")) history.replaceState(null, "", location.pathname);
  return open();
}

function note() {
  const text = field("text", "Note", h("textarea", { rows: 4, required: true, autocomplete: "off" }),
    "Everybody who reads the journal sees it, and nobody can delete it. No names, dates of birth or e-mail addresses.");
  dialog("Add a note to the journal", form({
    fields: [text], submit: "Add the note", others: [closing()], doubt: ["Change the note", "Add it as it is"],
    send: (confirmed) => api.note(text.text, confirmed),
    done: () => {
      text.control.closest("dialog").close();
      announce("The note is in the journal.");
    },
  }));
}

main.addEventListener("login", ({ detail }) => enter(detail));
main.addEventListener("changed", refresh); // by what the view has done
main.addEventListener("leave", leave);
main.addEventListener("draft", ({ detail }) => (draft = detail && { name: me.name, given: detail }));
session.addEventListener("ended", ended);
person.querySelector("button").addEventListener("click", leave);
foot.querySelector("button").addEventListener("click", note);
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault(); // the address names a view
  main.focus();
});
window.addEventListener("hashchange", () => {
  open();
  refresh();
});
window.addEventListener("focus", refresh);

try {
  proxyUser = await api.proxyUser();
  enter(await api.me());
} catch (error) {
  if (!(error instanceof ApiError)) throw error;
  open();
  if (error.status !== 401) main.firstElementChild.say?.(error.message);
}
