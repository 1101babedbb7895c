import { ApiError } from "/static/lib/requests.js";
import { Latest } from "/static/lib/latest.js";
import { equal, uncaught, until } from "./assert.js";

const INTERNAL = "Internal error in this page; details are in the browser console.";

/** A `Latest` whose requests are settled by hand. */
function started() {
  const requests = [];
  const told = [];
  const latest = new Latest(
    (signal) => new Promise((resolve, reject) => requests.push({ resolve, reject, signal })),
    (sentence) => told.push(sentence),
  );
  return { latest, requests, told };
}

export async function aRequestThatSucceedsClearsTheSentence() {
  const { latest, requests, told } = started();
  latest.again();
  requests[0].resolve();
  await until(() => told.length === 1);
  equal(told, [""]);
}

export async function manyRequestsDuringOneBecomeOne() {
  const { latest, requests, told } = started();
  for (let i = 0; i < 5; i++) latest.again();
  equal(requests.length, 1);
  requests[0].resolve();
  await until(() => requests.length === 2);
  requests[1].resolve();
  await until(() => told.length === 2);
  equal(requests.length, 2);
}

export async function aNewRequestAbortsThePresentOne() {
  const { latest, requests, told } = started();
  latest.again();
  latest.anew();
  equal(requests.map(({ signal }) => signal.aborted), [true, false]);
  requests[0].reject(new DOMException("aborted", "AbortError"));
  requests[1].resolve();
  await until(() => told.length > 0);
  equal(told, [""]);
}

export async function aResponseToAnAbortedRequestChangesNothing() {
  const { latest, requests, told } = started();
  latest.again();
  latest.anew();
  requests[0].resolve();
  await new Promise((resolve) => setTimeout(resolve, 20));
  equal(told, []);
  latest.again(); // still one at a time
  equal(requests.length, 2);
}

export async function anErrorOfTheServerIsTold() {
  const { latest, requests, told } = started();
  latest.again();
  requests[0].reject(new ApiError(422, { "": "horizon must be positive" }));
  await until(() => told.length === 1);
  equal(told, ["horizon must be positive"]);
}

export async function anExceptionIsToldAndReportedAndTheNextRequestIsSent() {
  const [{ latest, requests, told }, messages] = [started(), uncaught()];
  latest.again();
  requests[0].reject(new TypeError("a defect"));
  await until(() => messages.length === 1);
  equal([told, messages], [[INTERNAL], ["a defect"]]);
  latest.again();
  equal(requests.length, 2);
  requests[1].resolve();
  await until(() => told.length === 2);
  equal(told, [INTERNAL, ""]);
}

export async function whatWaitedBehindAnExceptionIsSent() {
  const [{ latest, requests }, messages] = [started(), uncaught()];
  latest.again();
  latest.again();
  requests[0].reject(new TypeError("a defect"));
  await until(() => requests.length === 2);
  equal(messages.length, 1);
}

export async function anExceptionBeforeTheFirstPauseIsNoDifferent() {
  const messages = uncaught();
  let calls = 0;
  const latest = new Latest(() => {
    calls += 1;
    throw new TypeError("a defect");
  }, () => {});
  latest.again();
  latest.again();
  await until(() => messages.length === 2);
  equal(calls, 2);
}

export async function nothingHappensAfterAStop() {
  const { latest, requests, told } = started();
  latest.again();
  latest.again();
  latest.stop();
  requests[0].reject(new DOMException("aborted", "AbortError"));
  await new Promise((resolve) => setTimeout(resolve, 20));
  equal([requests.length, told], [1, []]);
}
