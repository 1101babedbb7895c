import { asSpec } from "/static/lib/catalogue.js";
import { Question } from "/static/lib/state.js";
import { equal, server, uncaught, until } from "./assert.js";

const DATA = {
  title: "Two arms",
  arms: [{ name: "a", distribution: "uniform" }, { name: "b", distribution: { name: "constant", value: 0.4 } }],
  value: "mean",
  policies: ["besa-plus", { name: "ucb1" }],
  horizon: 100,
  replications: 10,
  seed: 1,
};
const EXAMPLE = { name: "two", title: "Two arms" };
const APPRAISAL = { errors: {}, arms: [{}, {}], policies: [{}, {}], alternatives: [], best: ["a"], verdict: "" };

/** A question that has just been shown, the requests it sent, and the events it dispatched. */
function shown(data = DATA, example = EXAMPLE) {
  const requests = server();
  const question = new Question();
  const events = [];
  for (const name of ["change", "appraisal", "cost"]) question.addEventListener(name, () => events.push(name));
  question.replace(data, example);
  return { question, requests, events };
}

const rest = () => new Promise((resolve) => setTimeout(resolve, 200)); // longer than the pause after a change

export function specsAreObjects() {
  equal([asSpec("mean"), asSpec({ name: "cvar", alpha: 0.1 })], [{ name: "mean" }, { name: "cvar", alpha: 0.1 }]);
  const { question } = shown();
  equal([question.data.value, question.data.policies[0], question.data.arms[0].distribution],
    [{ name: "mean" }, { name: "besa-plus" }, { name: "uniform" }]);
}

export async function aChangeIsAppraisedAndThenWeighed() {
  const { question, requests, events } = shown();
  await until(() => requests.length === 1);
  equal([requests[0].path, requests[0].data.horizon], ["/api/appraisal", 100]);
  requests[0].respond(APPRAISAL);
  await until(() => requests.length === 2);
  equal(requests[1].path, "/api/cost");
  requests[1].respond({ sentence: "less than 1 s", fits: true });
  await until(() => question.cost);
  equal(events, ["change", "appraisal", "cost"]);
}

export async function changesDuringARequestGoTogetherInTheNext() {
  const { question, requests } = shown();
  await until(() => requests.length === 1);
  for (const horizon of [200, 300, 400]) question.change((data) => (data.horizon = horizon));
  await rest();
  equal(requests.length, 1);
  requests[0].respond(APPRAISAL);
  await until(() => requests.length === 2);
  equal(requests[1].data.horizon, 400);
}

export async function anAppraisalOfOtherArmsIsNotShown() {
  const { question, requests, events } = shown();
  await until(() => requests.length === 1);
  question.change((data) => data.arms.pop());
  requests[0].respond(APPRAISAL);
  await until(() => requests.length === 2);
  equal([question.appraisal, events], [null, ["change", "change"]]);
}

export async function errorsAreKnownByTheirPlaceAndPreventTheCost() {
  const { question, requests } = shown();
  await until(() => requests.length === 1);
  const policies = [{ fault: "UCB1 needs rewards in [0, 1]" }, null];
  requests[0].respond({ ...APPRAISAL, policies, errors: { horizon: "horizon must be at least 2" } });
  await until(() => question.appraisal);
  equal([question.error("horizon"), question.error("seed")], ["horizon must be at least 2", ""]);
  equal(question.faults, ["horizon must be at least 2", "UCB1 needs rewards in [0, 1]"]);
  await rest();
  equal(requests.length, 1);
}

export async function aRefusalIsShownLikeAnyError() {
  const { question, requests } = shown();
  await until(() => requests.length === 1);
  requests[0].respond({ errors: { arms: "a list of at most 50 arms" } }, 422);
  await until(() => question.appraisal);
  equal(question.faults, ["a list of at most 50 arms"]);
}

export async function aServerThatIsGoneIsToldAndAskedAgainAfterTheNextChange() {
  const { question, requests } = shown();
  await until(() => requests.length === 1);
  requests[0].reject(new TypeError("Failed to fetch"));
  await until(() => question.appraisal);
  equal(question.faults, ["The server does not respond. Is it still running?"]);
  question.change((data) => (data.seed = 2));
  await until(() => requests.length === 2);
}

export async function aResponseThatBreaksOffIsNoDifferent() {
  const { question, requests } = shown();
  await until(() => requests.length === 1);
  requests[0].resolve(new Response('{"errors": {', { headers: { "content-type": "application/json" } }));
  await until(() => question.appraisal);
  equal(question.faults, ["The server does not respond. Is it still running?"]);
}

/** Lets the next request to this address throw what is no error of the server. */
function defect(requests, path) {
  const before = globalThis.fetch;
  globalThis.fetch = (address, options) => {
    if (address !== path) return before(address, options);
    globalThis.fetch = before;
    requests.push({ path: address });
    return Promise.resolve({ ok: true, headers: new Headers(), text: async () => { throw new DOMException("a defect", "AbortError"); } });
  };
}

export async function anExceptionDoesNotFreezeTheAppraisal() {
  const messages = uncaught();
  const { question, requests } = shown();
  defect(requests, "/api/appraisal");
  await until(() => messages.length === 1);
  question.change((data) => (data.seed = 2));
  await until(() => requests.length === 2);
  requests[1].respond(APPRAISAL);
  await until(() => question.appraisal);
}

export async function aChangeDuringAnExceptionIsAppraised() {
  const messages = uncaught();
  const { question, requests } = shown();
  await until(() => requests.length === 1);
  question.change((data) => (data.seed = 2));
  requests[0].reject(new DOMException("a defect", "AbortError"));
  await until(() => requests.length === 2);
  equal([messages, requests[1].data.seed], [["a defect"], 2]);
}

export async function anExceptionDoesNotFreezeTheCost() {
  const messages = uncaught();
  const { question, requests } = shown();
  await until(() => requests.length === 1);
  defect(requests, "/api/cost");
  requests[0].respond(APPRAISAL);
  await until(() => messages.length === 1);
  question.change((data) => (data.seed = 2));
  await until(() => requests.length === 3);
  requests[2].respond(APPRAISAL);
  await until(() => requests.length === 4);
  requests[3].respond({ sentence: "less than 1 s", fits: true });
  await until(() => question.cost);
}

export function theTitleOfAnExampleGoesWithItsContent() {
  const { question } = shown();
  question.change((data) => (data.seed = 2));
  equal([question.data.title, question.example.name], ["Two arms", "two"]);
  question.change((data) => (data.value = { name: "cvar", alpha: 0.1 }));
  equal([question.data.title, question.example], ["", null]);
}

export function aTitleOfOnesOwnStays() {
  const { question } = shown();
  question.change((data) => (data.title = "Mine"));
  question.change((data) => data.policies.pop());
  equal([question.data.title, question.example], ["Mine", null]);
}
