// Converts the position of a slider, in [0, 1], to a round number, and back.

export function scale({ slider: [low, high], logarithmic, kind }) {
  const number = (position) => {
    if (position <= 0) return low;
    if (position >= 1) return high;
    return logarithmic ? low * (high / low) ** position : low + (high - low) * position;
  };
  const decimals = Math.max(0, Math.ceil(-Math.log10((high - low) / 200)));
  const rounded = (x) => {
    if (kind === "integer") return Math.round(x);
    if (x === low || x === high) return x;
    return Number(logarithmic ? x.toPrecision(2) : x.toFixed(Math.min(decimals, 12)));
  };
  return {
    number: (position) => rounded(number(position)),
    position: (x) => {
      const inside = Math.min(high, Math.max(low, x));
      return logarithmic ? Math.log(inside / low) / Math.log(high / low) : (inside - low) / (high - low);
    },
  };
}
