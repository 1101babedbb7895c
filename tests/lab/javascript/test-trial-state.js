import { catalogue } from "/static/lib/catalogue.js";
import { Trial } from "/static/trials/state.js";
import { equal } from "./assert.js";

catalogue.policies = [
  { name: "besa-plus", start: { name: "besa-plus", floor: 1 } },
  { name: "thompson", start: { name: "thompson" } },
];
catalogue.values = [{ name: "mean", start: { name: "mean" } }];

/** A trial with the settings of an address, and what it says about them. */
function opened(query) {
  const trial = new Trial();
  return { trial, notice: trial.open(query) };
}

export function theOpeningSettingsNeedNoAddress() {
  const { trial, notice } = opened("");
  equal([trial.query, notice, trial.data.policy], ["", "", { name: "besa-plus", floor: 1 }]);
}

export function anAddressGivesTheSameSettings() {
  const { trial } = opened("");
  trial.change({ patients: 60, effect: -0.1, policy: { name: "besa-plus", floor: 3 }, sided: "two-sided" });
  const again = opened(trial.query).trial;
  equal([again.data, again.query], [trial.data, trial.query]);
}

export function aPolicyAsItStartsIsWrittenByItsName() {
  const { trial } = opened("?policy=thompson");
  equal([trial.data.policy, trial.query], [{ name: "thompson" }, "policy=thompson"]);
}

export function whatIsNotKnownIsNamed() {
  const { trial, notice } = opened("?policy=%7B%22name&colour=red&value=median");
  equal(notice, 'This link has settings that are not known here: colour, policy={"name, value=median');
  equal([trial.data.policy.name, trial.data.value.name], ["besa-plus", "mean"]);
}

export function textThatIsNoNumberIsKeptForTheServer() {
  equal(opened("?patients=many").trial.data.patients, "many");
}

export function theEffectStaysPossibleWhenTheControlMoves() {
  const { trial } = opened("?effect=0.3");
  trial.change({ control: 0.9 });
  equal(trial.data.effect, 0.1);
  trial.change({ control: "x" });
  equal(trial.data.effect, 0.1);
}
