import { aligned, counted, inLine, named, read, readMany, shown } from "/static/lib/formatting.js";
import { equal } from "./assert.js";

export function numbersHaveAtMostFourDigits() {
  equal([0, 0.4, 1 / 3, 2000, 1234.56].map((number) => shown(number)), ["0", "0.4", "0.3333", "2000", "1235"]);
  equal(shown(1 / 3, 2), "0.33");
}

export function negativeNumbersHaveAMinusSign() {
  equal(shown(-0.25), "\u22120.25");
  equal(aligned([-1, 2]), ["\u22121.000", "2.000"]);
  equal(inLine([[-1, -2, 0]])(-1), "\u22121");
}

export function extremeNumbersHaveAnExponent() {
  equal([1e6, 9.99e-5, -2.5e7].map((number) => shown(number)), ["1.00e+6", "9.99e\u22125", "\u22122.50e+7"]);
  equal([999999, 1e-4].map((number) => shown(number, 6)), ["999999", "0.0001"]);
}

export function whatIsMissingIsEmpty() {
  equal([shown(null), shown(undefined)], ["", ""]);
}

export function aColumnHasEqualDecimals() {
  equal(aligned([0.5, 0.25]), ["0.5000", "0.2500"]);
  equal(aligned([12.5, 3]), ["12.50", "3.00"]);
  equal(aligned([12345.6, 1]), ["12346", "1"]);
  equal(aligned([0, 0]), ["0", "0"]);
  equal(aligned([]), []);
}

export function intervalsDetermineTheDecimals() {
  const write = inLine([[56.43, 46.2, 65.8], [14.2, 12.1, 16.4]]);
  equal([56.43, 46.2, 65.8].map(write), ["56", "46", "66"]);
  equal([0.4123, 0.41, 0.42].map(inLine([[0.4123, 0.41, 0.42]])), ["0.41", "0.41", "0.42"]);
}

export function aNarrowIntervalAddsDecimalsUpToFiveDigits() {
  equal(inLine([[1234.5678, 1234.5677, 1234.5679]])(1234.5678), "1234.6");
  equal(inLine([[0.5, 0.4999, 0.5001]])(0.5), "0.5000");
}

export function aColumnMayHaveAFewestNumberOfDecimals() {
  equal(inLine([[0.7, 0.2, 2.4]], 1)(0.7), "0.7");
  equal(inLine([[0.39, 0.37, 0.41]], 1)(0.39), "0.39");
}

export function zeroHasNoSign() {
  equal(inLine([[-0.001, -0.4, 0.4]])(-0.001), "0.0");
  equal(inLine([[-0.2, -4, 4]])(-0.2), "0");
}

export function aColumnWithoutIntervalsIsWritten() {
  equal(inLine([[2, null, null]])(2), "2.00");
}

export function typedNumbersAreNumbers() {
  equal(["2", " 0.5 ", "1e-3", "-4"].map(read), [2, 0.5, 0.001, -4]);
}

export function thousandsMayHaveCommas() {
  equal(["1,000", " 12,345.5 ", "-1,000,000", "1e3"].map(read), [1000, 12345.5, -1000000, 1000]);
  equal(["1,00", "1000,000", "1,000,00", ",100", "0,5"].map(read), ["1,00", "1000,000", "1,000,00", ",100", "0,5"]);
}

export function whatIsNoNumberStaysForTheServerToReject() {
  equal(["", " ", "lots", "1,5", "Infinity"].map(read), ["", " ", "lots", "1,5", "Infinity"]);
}

export function listsTakeCommasSpacesSemicolonsAndLines() {
  equal(readMany("1, 2;3 4\n5"), [1, 2, 3, 4, 5]);
  equal(readMany(" 0.5 ,x "), [0.5, "x"]);
  equal(readMany("  "), []);
}

export function countsHaveTheirPlural() {
  equal([counted(1, "arm"), counted(2, "arm"), counted(0, "policy", "policies")], ["1 arm", "2 arms", "0 policies"]);
}

export function longListsAreCutShort() {
  equal([named([]), named(["a"]), named(["a", "b"]), named(["a", "b", "c"])], ["", "a", "a and b", "a, b and c"]);
  equal(named(["a", "b", "c", "d", "e"]), "a, b, c and 2 more");
}
