// Rewards in the unit of the file that the arms come from, whose outcomes from `low` to `high` were rescaled to [0, 1].

/** A reward as an outcome in the file. */
export const asOutcome = ({ low, high }, reward) => low + reward * (high - low);

/** A difference or a sum of differences of rewards, such as regret, in the unit of the file. */
export const asDifference = ({ low, high }, rewards) => rewards * (high - low);

/** A number, written already, with the unit: "42 days". */
export const withUnit = ({ name }, text) => `${text} ${name || "in the unit of the file"}`;
