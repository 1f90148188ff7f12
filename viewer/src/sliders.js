/** Sliders with a number beside each. Values are in m and rad; angles are shown in the unit that the page has chosen. */
import { make } from './tables.js';

const degree = Math.PI / 180;
export const units = { angle: 'deg' };
export const unitOf = (isLength) => (isLength ? 'm' : units.angle);
const factorOf = (isLength) => (!isLength && units.angle === 'deg' ? degree : 1);
/** A value as text: tenths of millimetres, hundredths of degrees. */
export function written(value, isLength) {
  const text = (value / factorOf(isLength)).toFixed(isLength || units.angle === 'rad' ? 4 : 2);
  return Number(text) === 0 ? text.replace('-', '') : text;
}

const number = (x) => String(Number(x.toPrecision(9)));

/** The largest of 1, 2, 5, 10, .. times a power of ten that is not above x. */
function roundBelow(x) {
  if (!(x > 1e-300 && x < Infinity)) return 'any';
  const power = 10 ** Math.floor(Math.log10(x));
  return ([5, 2].find((digit) => digit * power <= x) ?? 1) * power;
}

class Slider {
  /** `onMove(value)`, and `onBeyond(text)` for a typed value that the slider does not reach. */
  constructor(data, id, onMove, onBeyond) {
    this.data = data;
    this.onMove = onMove;
    this.onBeyond = onBeyond;
    this.held = false; // by the user: not to be moved under the finger
    this.range = make('input', undefined, { type: 'range', id });
    this.number = make('input', undefined, { type: 'number', 'aria-label': `${data.name}, number` });
    this.label = make('label', undefined, { for: id });
    if (data.role !== 'pose') this.label.append(make('span', undefined, { class: `dot ${data.role === 'passive' ? 'joint' : data.role}`, title: data.role }));
    this.label.append(data.name);
    this.unit = make('span', undefined, { class: 'unit' });
    this.element = make('div', undefined, { class: 'slider' });
    this.element.dataset.slider = data.name;
    this.element.append(this.label, this.range, this.number, this.unit);
    this.range.addEventListener('input', () => this.take(this.range));
    this.number.addEventListener('change', () => this.type());
    for (const on of ['pointerdown', 'keydown']) this.range.addEventListener(on, () => (this.held = true));
    for (const off of ['change', 'pointerup', 'keyup', 'blur']) this.range.addEventListener(off, () => this.release());
    this.setUnits();
  }

  setUnits() {
    const { lower, upper, is_length } = this.data;
    const factor = factorOf(is_length);
    const step = roundBelow((upper - lower) / factor / 400);
    for (const input of [this.range, this.number])
      Object.assign(input, { min: String(lower / factor), max: String(upper / factor), step: String(step) });
    this.unit.textContent = unitOf(is_length);
    this.element.title = `${written(lower, is_length)} to ${written(upper, is_length)} ${unitOf(is_length)}`;
  }

  clamped(value) {
    return Math.min(this.data.upper, Math.max(this.data.lower, value));
  }
  /** Says so where a value is outside the range, as far as the digits that are shown tell. */
  beyond(value) {
    const { name, lower, upper, is_length: isLength } = this.data;
    const rounding = 0.51 * (isLength || units.angle === 'rad' ? 1e-4 : 1e-2) * factorOf(isLength);
    if (!(value < lower - rounding || value > upper + rounding)) return '';
    const unit = unitOf(isLength);
    const limit = value < lower ? `below the slider's lower end, ${number(lower / factorOf(isLength))}` : `above the slider's upper end, ${number(upper / factorOf(isLength))}`;
    return `${name} = ${number(value / factorOf(isLength))} ${unit} is ${limit} ${unit}.`;
  }
  take(input) {
    const value = Number.parseFloat(input.value) * factorOf(this.data.is_length);
    if (Number.isFinite(value)) this.onMove(this.clamped(value));
    else this.show(this.value);
  }
  /** A number that was typed: it stays as typed where it cannot be had. */
  type() {
    const text = this.beyond(Number.parseFloat(this.number.value) * factorOf(this.data.is_length));
    if (text) this.onBeyond(`${text} Nothing was moved.`);
    else this.take(this.number);
  }
  release() {
    this.held = false;
    this.show(this.value);
  }

  /** Where the mechanism stands. */
  show(value) {
    this.value = value;
    const text = written(value, this.data.is_length);
    if (!this.held) this.range.value = String(value / factorOf(this.data.is_length));
    if (document.activeElement !== this.number || !this.held) this.number.value = text;
    this.range.setAttribute('aria-valuetext', `${text} ${unitOf(this.data.is_length)}`);
  }
  /** The value it was dragged to cannot be had. */
  refuse(refused) {
    for (const input of [this.range, this.number]) input.classList.toggle('refused', refused);
  }
}

/** The groups of a robot, each a card. `onMove(by, place, value)`, `onBeyond(by, place, text)`. */
export class Sliders {
  constructor(place, groups, onMove, onBeyond) {
    this.groups = groups.map((group) => {
      const sliders = group.sliders.map(
        (data, i) => new Slider(data, `${group.by}-${i}`, (value) => onMove(group.by, i, value), (text) => onBeyond(group.by, i, text)),
      );
      const card = make('section', undefined, { class: 'card group', 'aria-label': group.title });
      card.dataset.group = group.by;
      card.append(make('h2', group.title), ...sliders.map((slider) => slider.element));
      return { by: group.by, card, sliders };
    });
    place.replaceChildren(...this.groups.map((group) => group.card));
  }

  of(by) {
    return this.groups.find((group) => group.by === by)?.sliders ?? [];
  }
  /** What tells whether values may be carried over to another robot's sliders. */
  get names() {
    return JSON.stringify(this.groups.map(({ by, sliders }) => [by, sliders.map(({ data }) => [data.name, data.is_length])]));
  }
  valuesIn(by, posture) {
    return this.of(by).map(({ data }) => posture[by][data.index]);
  }
  show(posture) {
    for (const { by, sliders } of this.groups) sliders.forEach((slider) => slider.show(posture[by][slider.data.index]));
  }
  refuse(by, place) {
    for (const group of this.groups) group.sliders.forEach((slider, i) => slider.refuse(group.by === by && i === place));
  }
  setUnits() {
    for (const { sliders } of this.groups) sliders.forEach((slider) => slider.setUnits());
  }
}
