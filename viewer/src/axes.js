/** Ranges and ticks of axes: finite ranges and few ticks, whatever the numbers are. uPlot's own search for ticks does not end where
 *  numbers are far from 1 (its steps reach from 1e-32 to 1e32) or where adding a step changes nothing. */

export const shownDecades = 16; // of a logarithmic axis at most, counted from the top
const largest = 8e307; // the difference of two such numbers is finite
const smallest = 1e-300; // below it: zero
const flat = 1e-11; // share of the size by which values differ by rounding

export const bounded = (x) => Math.min(largest, Math.max(-largest, x));

const digits = [1, 2, 5];
/** The n-th of .. 0.1, 0.2, 0.5, 1, 2, 5, 10 .. */
const roundNumber = (n) => Number(`${digits[((n % 3) + 3) % 3]}e${Math.floor(n / 3)}`);
/** Which of them is the last one that is not above x, for x of at least `smallest`. */
function placeBelow(x) {
  let n = 3 * Math.floor(Math.log10(x)) + 3;
  while (roundNumber(n) > x) --n;
  return n;
}
function placeAbove(x) {
  const n = placeBelow(x);
  return roundNumber(n) < x ? n + 1 : n;
}

/** Least and greatest finite number of several lists; the greatest is below the least where there is none. */
export function extent(lists) {
  let low = Infinity;
  let high = -Infinity;
  for (const values of lists)
    for (const x of values)
      if (Number.isFinite(x)) {
        if (x < low) low = x;
        if (x > high) high = x;
      }
  return [bounded(low), bounded(high)];
}

// ------------------------------------------------------------------------------------------ linear

/** Values from low to high with a margin; zero is not crossed for its sake. */
export function linearRange(least, most) {
  const low = bounded(least);
  const high = bounded(most);
  const size = Math.max(Math.abs(low), Math.abs(high));
  if (!(low <= high) || size < smallest) return [-1, 1];
  const margin = high - low < Math.max(smallest, flat * size) ? 0.1 * size : 0.05 * (high - low);
  return [low >= 0 ? Math.max(0, low - margin) : low - margin, high <= 0 ? Math.min(0, high + margin) : high + margin];
}

/** At most `most` round numbers between min and max. */
export function linearTicks(min, max, most) {
  const span = max - min;
  if (!(span >= smallest && span < Infinity)) return [];
  const step = roundNumber(placeAbove(span / most));
  const first = Math.ceil(min / step);
  const count = Math.floor(max / step) - first;
  return Array.from({ length: Math.min(most, count) + 1 }, (_, i) => (first + i) * step || 0);
}

/** As many digits as tell neighbours apart. */
export function tickText(x, ticks) {
  const size = Math.abs(x);
  const step = ticks.length > 1 ? Math.abs(ticks[1] - ticks[0]) : size;
  const places = size > 0 && step > 0 ? Math.ceil(Math.log10(size) - Math.log10(step) - 1e-9) + 1 : 1;
  const short = Number(x.toPrecision(Math.min(15, Math.max(6, places))));
  return size !== 0 && (size < 1e-3 || size >= 1e5) ? short.toExponential().replace('e+', 'e') : String(short);
}

// ------------------------------------------------------------------------------------------ logarithmic

/** Where the axis ends below: all positive values, but no more decades than are shown. */
export function logFloor(lists) {
  let low = Infinity;
  let high = 0;
  for (const values of lists)
    for (const x of values)
      if (x > 0 && x < Infinity) {
        if (x < low) low = x;
        if (x > high) high = x;
      }
  if (high < smallest) return 10 ** -shownDecades;
  return roundNumber(placeBelow(Math.max(smallest, low, high * 10 ** -shownDecades)));
}

export function logRange(low, high) {
  if (!(low > 0 && low <= high && high < Infinity)) return [0.1, 1];
  let from = placeBelow(Math.max(smallest, low));
  let to = placeAbove(Math.max(smallest, high));
  if (from === to) [from, to] = [from - 1, to + 1];
  return [roundNumber(from), Math.min(Number.MAX_VALUE, roundNumber(to))];
}

/** 1, 2 and 5 where there is room, otherwise powers of ten, or every so many of them. */
export function logTicks(min, max, most) {
  if (!(min > 0 && min < max && max < Infinity)) return [];
  const from = placeAbove(Math.max(smallest, min));
  const to = placeBelow(max);
  if (to - from < most) return Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => roundNumber(from + i));
  const first = Math.ceil(from / 3);
  const last = Math.floor(to / 3);
  const step = Math.ceil((last - first + 1) / most);
  return Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, i) => roundNumber(3 * (last - i * step))).reverse();
}

// ------------------------------------------------------------------------------------------ for uPlot

const common = {
  incrs: [Number.MAX_VALUE], // its search for a step finds this one at once; `splits` does not use it
  filter: (_, splits) => splits,
  values: (_, splits) => splits.map((x) => tickText(x, splits)),
};
const yTicks = 7;
const xTicks = (u) => Math.max(2, Math.floor(u.width / 90));
/** Space for the longest number. */
const room = (_, values) => Math.min(130, Math.max(64, ...(values ?? []).map((text) => 7 * text.length + 16)));

export const yAxis = (log) => ({ ...common, size: room, splits: (_, axis, min, max) => (log ? logTicks : linearTicks)(min, max, yTicks) });
/** `marks`: abscissae that are ticks themselves, where they are few. */
export const xAxis = (log, marks) => ({
  ...common,
  splits: (u, axis, min, max) => (marks?.length <= 24 ? [...marks] : (log ? logTicks : linearTicks)(min, max, xTicks(u))),
});
/** A range of x in which something can be drawn. */
export const xRange = (low, high, log) => (high - low >= smallest || !(low <= high) ? [low, high] : log ? [low / 2, low * 2] : linearRange(low, high));
