// Numbers and lists as people read and write them.

/** At most `digits` significant digits, with a true minus sign. */
export function shown(number, digits = 4) {
  if (number === null || number === undefined) return "";
  const size = Math.abs(number);
  const extreme = size !== 0 && (size >= 1e6 || size < 1e-4);
  const text = extreme ? number.toExponential(2) : String(Number(number.toPrecision(digits)));
  return text.replace("-", "\u2212");
}

/** The numbers of a column with equal decimals: as many as the largest needs for `digits` significant digits. */
export function aligned(numbers, digits = 4) {
  const largest = Math.max(...numbers.map(Math.abs), 0);
  if (largest >= 1e6 || (largest > 0 && largest < 1e-4)) return numbers.map((number) => shown(number, digits));
  const decimals = largest > 0 ? Math.max(0, digits - 1 - Math.floor(Math.log10(largest))) : 0;
  return numbers.map((number) => number.toFixed(decimals).replace("-", "\u2212"));
}

/**
 * A function that writes the numbers of a column, given as [number, low, high] each: with equal decimals, as many as the
 * narrowest interval justifies, but at least `fewest`, and at most five digits in all.
 */
export function inLine(rows, fewest = 0) {
  const widths = rows.map(([, low, high]) => high - low).filter((width) => width > 0);
  const largest = Math.max(...rows.flat().map(Math.abs), 1e-9);
  const finest = widths.length ? Math.min(...widths) : largest / 100;
  const decimals = Math.max(fewest, Math.min(Math.ceil(-Math.log10(finest)), 4 - Math.floor(Math.log10(largest))));
  return (number) => number.toFixed(decimals).replace(/^-(?=0\.?0*$)/, "").replace("-", "\u2212");
}

const IN_THOUSANDS = /^\s*[+-]?\d{1,3}(,\d{3})+(\.\d*)?\s*$/; // 1,000 but not 1,5

/** Typed text as a number; other text stays as it is, for the server to say what is wrong with it. */
export function read(text) {
  const number = Number(IN_THOUSANDS.test(text) ? text.replaceAll(",", "") : text);
  return text.trim() !== "" && Number.isFinite(number) ? number : text;
}

/** Numbers separated by commas, semicolons, spaces or line breaks. */
export const readMany = (text) => (text.trim() === "" ? [] : text.trim().split(/\s*[,;]\s*|\s+/).map(read));

/** "1 arm", "2 arms". */
export const counted = (number, one, many = `${one}s`) => `${number} ${number === 1 ? one : many}`;

/** "a, b, c and 2 more": at most `most` names. */
export function named(names, most = 3) {
  if (names.length > most) return `${names.slice(0, most).join(", ")} and ${names.length - most} more`;
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}
