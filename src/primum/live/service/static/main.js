// The page: who is logged in, which views their roles open, and the one that the address names.
import { api, session } from "./api.js";
import { announce, closing, dialog } from "./dialog.js";
import { field } from "./fields.js";
import { form } from "./form.js";
import { h, say } from "./lib/dom.js";
import { ApiError, sentenceOf } from "./lib/requests.js";
import { Enrol } from "./views/enrol.js";
import { Journal } from "./views/journal.js";
import { Login } from "./views/login.js";
import { Monitor } from "./views/monitor.js";
import { Outcomes } from "./views/outcomes.js";
import { People } from "./views/people.js";
import { Statistics } from "./views/statistics.js";

const VIEWS = { enrol: Enrol, outcomes: Outcomes, monitor: Monitor, statistics: Statistics, journal: Journal, people: People };
const STATES = {
  paused: "The trial is paused: nobody is enrolled until an administrator resumes it.",
  stopped: "The trial has stopped: nobody else is enrolled.",
  full: "All planned participants are enrolled.",
  closed: "The trial is closed.",
};
const [main, nav, person, banner, foot, title] = ["main", "views", "person", "state", "foot", "title"].map((id) => document.getElementById(id));
let me = null;

const allowed = () => Object.keys(VIEWS).filter((name) => VIEWS[name].roles.some((role) => me.roles.includes(role)));

/** The header, the banner and the foot for who is logged in now. */
function frame() {
  const names = me ? allowed() : [];
  nav.hidden = names.length < 2;
  const links = names.map((name) => h("a", { href: `#${name}`, "aria-current": name === current() && "page" }, VIEWS[name].title));
  if (links.map((link) => link.outerHTML).join(" ") !== [...nav.children].map((link) => link.outerHTML).join(" ")) nav.replaceChildren(...links); // else it keeps the focus
  person.hidden = foot.hidden = !me;
  say(person.firstElementChild, me ? me.name : "");
  say(title, me?.title || "live trial");
  say(banner, (me && STATES[me.state]) || "");
}

/** The view that the address names, or the first that the roles allow. */
function current() {
  const [names, asked] = [allowed(), location.hash.slice(1)];
  return names.includes(asked) ? asked : names[0];
}

function open() {
  announce("");
  frame();
  const View = me ? VIEWS[current()] : Login;
  const view = new View();
  view.me = me;
  document.title = me ? `${View.title}: ${me.title || "live trial"}` : "Log in: Primum";
  main.replaceChildren(view);
  view.begin();
}

function enter(found) {
  me = found;
  open();
}

/** Asks again for the state of the trial and the roles: others may have changed them. */
async function refresh() {
  if (!me || document.querySelector("dialog[open]")) return; // what is open may be shown only once
  const before = me.state;
  try {
    me = await api.me();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.status === 401) ended();
    return;
  }
  if (!(main.firstElementChild instanceof VIEWS[current()])) return open();
  main.firstElementChild.me = me;
  if (me.state !== before) main.firstElementChild.update();
  frame();
}

function ended() {
  if (!me) return;
  me = null;
  open();
  main.firstElementChild.say("Your session has ended. Log in again.");
}

async function leave() {
  try {
    await api.logout();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.status !== 401) return announce(`Not logged out. ${sentenceOf(error)}`);
  }
  me = null;
  history.replaceState(null, "", location.pathname);
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
session.addEventListener("ended", ended);
person.querySelector("button").addEventListener("click", leave);
foot.querySelector("button").addEventListener("click", note);
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault(); // the address names a view
  main.focus();
});
window.addEventListener("hashchange", () => {
  if (!me) return;
  open();
  refresh();
});
window.addEventListener("focus", refresh);

try {
  enter(await api.me());
} catch (error) {
  if (!(error instanceof ApiError)) throw error;
  open();
  if (error.status !== 401) main.firstElementChild.say(error.message);
}
