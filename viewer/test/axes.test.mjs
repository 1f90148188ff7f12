// Ranges and ticks, whatever the numbers are.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { bounded, extent, linearRange, linearTicks, logFloor, logRange, logTicks, shownDecades, tickText, xRange } from '../src/axes.js';

const sizes = [0, 5e-324, 1e-308, 3e-300, 1e-32, 1e-24, 1e-15, 1e-3, 1, 1 + 1e-15, 7, 1e5, 1e15, 1e15 + 1, 1e32, 1e300, 1e308, Number.MAX_VALUE];
const numbers = [...sizes, ...sizes.map((x) => -x)];
const none = [NaN, Infinity, -Infinity, null, undefined];
const pairs = (all) => all.flatMap((low) => all.map((high) => [low, high]));

function expectTicks(ticks, min, max, most) {
  assert.ok(ticks.length <= most, `${ticks.length} ticks from ${min} to ${max}`);
  ticks.forEach((x, i) => {
    assert.ok(Number.isFinite(x) && x >= min - 1e-9 * (max - min) && x <= max + 1e-9 * (max - min), `${x} in ${min} to ${max}`);
    assert.ok(i === 0 || x >= ticks[i - 1], `${x} after ${ticks[i - 1]}`);
    assert.ok(tickText(x, ticks).length <= 23, tickText(x, ticks));
  });
}

it('linear axes have a finite range around the values, and few ticks', () => {
  for (const [low, high] of pairs(numbers)) {
    if (low > high) continue;
    const [min, max] = linearRange(low, high);
    assert.ok(min < max && max - min < Infinity, `${low} to ${high}: ${min} to ${max}`);
    assert.ok(min <= bounded(low) && bounded(high) <= max, `${low} to ${high}: ${min} to ${max}`);
    for (const most of [2, 7, 30]) expectTicks(linearTicks(min, max, most), min, max, most + 1);
  }
});

it('logarithmic axes have a finite range around the values, and few ticks', () => {
  for (const [low, high] of pairs(sizes.filter((x) => x > 0))) {
    if (low > high) continue;
    const [min, max] = logRange(low, high);
    assert.ok(min > 0 && min < max && max < Infinity, `${low} to ${high}: ${min} to ${max}`);
    assert.ok(min <= Math.max(low, 1e-300) && high <= max, `${low} to ${high}: ${min} to ${max}`);
    for (const most of [2, 7, 30]) expectTicks(logTicks(min, max, most), min, max, most + 1);
  }
});

it('what is no number makes no range and no ticks', () => {
  const all = [...none, 1];
  for (const [low, high] of pairs(all)) {
    if (low === 1 && high === 1) continue;
    for (const range of [linearRange, logRange]) {
      const [min, max] = range(low, high);
      assert.ok(min < max && Number.isFinite(min) && Number.isFinite(max), `${range.name} ${low} ${high}`);
    }
    assert.ok(linearTicks(low, high, 7).length <= 8 && logTicks(low, high, 7).length <= 8);
  }
  assert.ok(extent([none, []])[0] > extent([none, []])[1]);
  assert.deepEqual(extent([[NaN, 3], [Infinity, -2, null]]), [-2, 3]);
});

it('a logarithmic axis shows so many decades at most', () => {
  const residuals = Array.from({ length: 171 }, (_, i) => 10 ** (-32 + i / 10)); // 1e-32 to 1e-15
  assert.equal(logFloor([residuals]), 1e-31);
  const [min, max] = logRange(logFloor([residuals]), Math.max(...residuals));
  assert.ok(Math.log10(max / min) <= shownDecades + 1);
  assert.equal(logFloor([[0.03, 0, NaN, 7]]), 0.02); // nothing but the zero is below
  assert.ok(logFloor([[0, NaN, Infinity]]) > 0);
});

it('ticks are the numbers that people take', () => {
  assert.deepEqual(linearTicks(0, 10, 6), [0, 2, 4, 6, 8, 10]);
  assert.deepEqual(linearTicks(-0.3, 0.4, 4).map((x) => tickText(x, [-0.2, 0])), ['-0.2', '0', '0.2', '0.4']);
  assert.deepEqual(logTicks(0.5, 20, 7), [0.5, 1, 2, 5, 10, 20]);
  assert.deepEqual(logTicks(1e-3, 10, 7), [1e-3, 1e-2, 0.1, 1, 10]);
  assert.deepEqual(['1e-31', '1e6', '0.001'], [1e-31, 1e6, 1e-3].map((x) => tickText(x, [])));
});

it('neighbouring ticks have different names', () => {
  for (const [low, high] of [[1e6 - 1e-3, 1e6 + 1e-3], [9.80665, 9.80667], [-1e-9, 1e-9], [1e12, 1e12 + 3]]) {
    const ticks = linearTicks(low, high, 7);
    assert.ok(ticks.length > 2);
    assert.equal(new Set(ticks.map((x) => tickText(x, ticks))).size, ticks.length, `${low} to ${high}`);
  }
});

it('one time alone has room on both sides', () => {
  for (const log of [false, true]) {
    const [min, max] = xRange(3, 3, log);
    assert.ok(min < 3 && max > 3);
  }
  assert.deepEqual(xRange(0, 2, false), [0, 2]);
});
