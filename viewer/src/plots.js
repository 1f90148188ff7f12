/** Plots with one cursor and one range of time for all of them. */
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { bounded, linearRange, logFloor, logRange, tickText, xAxis, xRange, yAxis } from './axes.js';
import { csvOf, download } from './csv.js';
import { nearestIndex, shown } from './data.js';
import { make, showChecks } from './tables.js';
import { colour } from './theme.js';

export const colours = 10;
const dashes = [[], [6, 4], [2, 3]];
const fewPoints = 20; // up to so many are marked

/** Where a plot stands in `place`: under its heading. Checks stand after everything else. */
export function placeOf(place, { part = '', check = false }) {
  if (check) return showChecks();
  const there = [...place.children].find((section) => section.dataset.part === part);
  if (there) return there;
  const section = make('section', undefined, { class: 'part', ...(part && { 'aria-label': part }) });
  section.dataset.part = part;
  if (part) section.append(make('h2', part));
  place.append(section);
  return section;
}

export class Plots {
  constructor(place, data, player) {
    this.player = player;
    this.range = null; // null: everything
    this.label = data.axis === 'time' ? 't [s]' : data.axis;
    this.all = data.plots.map((plot) => new Plot(placeOf(place, plot), plot, plot.at === 'frames' ? data.frames.x : data.samples.x, this));
    this.watchWidth();
  }

  watchWidth() {
    const observer = new ResizeObserver(() => this.all.forEach((plot) => plot.fit()));
    this.all.forEach((plot) => observer.observe(plot.chart));
  }

  setRange(range) {
    if (range && range[1] - range[0] < 1e-9 * (this.player.last - this.player.first)) return;
    this.range = range;
    for (const plot of this.all) plot.whole.hidden = range === null;
    for (const plot of this.all) plot.applyRange();
  }
  /** By a factor around the cursor. */
  zoom(factor) {
    const { first, last, x } = this.player;
    const [low, high] = this.range ?? [first, last];
    const width = (high - low) * factor;
    const share = x >= low && x <= high ? (x - low) / (high - low) : 0.5;
    const from = Math.max(first, x - share * width);
    this.setRange(width >= last - first ? null : [from, Math.min(last, from + width)]);
  }

  /** Moves all cursors; numbers are written only where `numbers` is set, as that costs more. */
  setX(x, numbers) {
    for (const plot of this.all) plot.setX(x, numbers);
  }
  /** On paper plots are small: they are drawn for that width, so that letters stay readable. */
  repaint(printing) {
    this.width = printing ? 400 : null;
    for (const plot of this.all) plot.build();
  }
}

class Plot {
  constructor(place, plot, x, owner) {
    this.plot = plot;
    this.x = x;
    this.owner = owner;
    this.logX = Boolean(plot.log_x) && x.every((one) => one > 0);
    this.hidden = new Set();
    this.choices = choicesOf(plot);
    this.choice = 0;
    const section = make('section', undefined, { class: 'card plot', 'aria-label': plot.title });
    section.dataset.plot = plot.id;
    this.chart = make('div', undefined, { class: 'chart' });
    this.legend = make('div', undefined, { class: 'legend', role: 'group', 'aria-label': `Curves of ${plot.title}` });
    this.below = make('p', undefined, { class: 'quiet below' });
    section.append(this.heading(), this.chart, this.legend, this.below);
    if (plot.note) section.append(make('p', plot.note, { class: 'quiet' }));
    place.append(section);
    this.build();
  }

  heading() {
    const head = make('div', undefined, { class: 'heading' });
    head.append(make('h3', this.plot.unit ? `${this.plot.title} [${this.plot.unit}]` : this.plot.title));
    if (this.choices.length > 1) {
      const select = make('select', undefined, { 'aria-label': `Which curves of ${this.plot.title}` });
      this.choices.forEach((choice, i) => select.append(make('option', choice.label, { value: String(i) })));
      select.addEventListener('change', () => {
        this.choice = Number(select.value);
        this.hidden.clear();
        this.build();
      });
      head.append(select);
    }
    this.whole = make('button', 'Reset zoom', { type: 'button', 'aria-label': `${this.plot.title}: reset zoom` });
    this.whole.addEventListener('click', () => this.owner.setRange(null));
    this.whole.hidden = true;
    const csv = make('button', 'CSV', { type: 'button', title: 'Download the numbers', 'aria-label': `${this.plot.title}: download as CSV` });
    csv.addEventListener('click', () => download(`${this.plot.id}.csv`, csvOf(this.owner.label, this.x, this.plot)));
    head.append(this.whole, csv);
    return head;
  }

  // ------------------------------------------------------------------------------------------ drawing

  build() {
    this.chart_?.destroy();
    this.series = this.choices[this.choice].series;
    const all = this.series.map((s) => s.values);
    this.floor = this.plot.log ? logFloor(all) : null;
    this.values = all.map((values) => drawable(values, this.floor));
    this.below.textContent = this.plot.log ? belowText(all, this.floor) : '';
    this.chart_ = new uPlot(this.options(), [this.x, ...this.values], this.chart);
    this.cursor = make('div', undefined, { class: 'cursor' });
    this.chart_.over.append(this.cursor);
    this.watchPointer(this.chart_.over);
    this.buildLegend();
    this.applyRange();
    this.setX(this.owner.player.x, true);
  }

  options() {
    const ink = colour('ink-soft');
    const grid = { stroke: colour('line'), width: 1 };
    const font = '12px system-ui, sans-serif';
    const axis = { stroke: ink, grid, ticks: grid, font, labelFont: font };
    const series = this.series.map((s, i) => ({
      label: s.name,
      stroke: colour(`curve-${i % colours}`),
      width: 1.5,
      dash: dashes[Math.floor(i / colours) % dashes.length],
      points: { show: this.x.length <= fewPoints },
      show: !this.hidden.has(i),
    }));
    return {
      width: this.owner.width ?? Math.max(200, this.chart.clientWidth || 600),
      height: this.height(),
      pxAlign: 0,
      scales: {
        x: { time: false, range: (_, low, high) => xRange(low, high, this.logX), ...(this.logX && { distr: 3, log: 2 }) },
        y: { range: (_, low, high) => (this.plot.log ? logRange(low, high) : linearRange(low, high)), ...(this.plot.log && { distr: 3 }) },
      },
      axes: [
        { ...axis, ...xAxis(this.logX, this.logX ? this.x : undefined), size: 28, gap: 4, label: this.owner.label, labelSize: 18, labelGap: 0 },
        { ...axis, ...yAxis(this.plot.log) },
      ],
      series: [{ label: this.owner.label }, ...series],
      legend: { show: false },
      cursor: { x: false, y: false, points: { show: false }, drag: { x: true, y: false, setScale: false }, bind: { dblclick: () => () => this.owner.setRange(null) } },
      hooks: { setSelect: [(u) => this.selected(u)], draw: [(u) => u === this.chart_ && this.setX(this.owner.player.x, false)] }, // scales are set late
    };
  }

  height() {
    return this.owner.width || this.chart.clientWidth < 480 ? 190 : 225;
  }
  fit() {
    const width = this.owner.width ?? this.chart.clientWidth;
    if (width > 0 && Math.abs(width - this.chart_.width) > 1) {
      this.chart_.setSize({ width, height: this.height() });
      this.setX(this.owner.player.x, false);
    }
  }

  applyRange() {
    const [min, max] = this.owner.range ?? xRange(this.x[0], this.x[this.x.length - 1], this.logX);
    this.chart_.setScale('x', { min, max });
    this.setX(this.owner.player.x, false);
  }

  // ------------------------------------------------------------------------------------------ pointer

  selected(u) {
    const { left, width } = u.select;
    if (width > 4) this.owner.setRange([u.posToVal(left, 'x'), u.posToVal(left + width, 'x')]);
    if (width > 0) u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
  }

  /** A click sets the time, so does a finger that moves; a mouse that drags selects a range (uPlot does that). */
  watchPointer(over) {
    const seek = (e) => this.owner.player.seek(this.chart_.posToVal(e.clientX - over.getBoundingClientRect().left, 'x'));
    let start = null;
    over.addEventListener('pointerdown', (e) => {
      start = e.clientX;
      if (e.pointerType === 'touch') seek(e);
    });
    over.addEventListener('pointermove', (e) => {
      if (e.pointerType === 'touch' && e.buttons > 0) seek(e);
    });
    over.addEventListener('pointerup', (e) => {
      if (start !== null && Math.abs(e.clientX - start) < 4) seek(e);
      start = null;
    });
  }

  // ------------------------------------------------------------------------------------------ cursor and legend

  buildLegend() {
    this.legend.replaceChildren();
    this.numbers = this.series.map((s, i) => {
      const button = make('button', undefined, { type: 'button', 'aria-pressed': String(!this.hidden.has(i)), title: 'Show or hide' });
      const swatch = make('span', undefined, { class: `swatch dash-${Math.floor(i / colours) % dashes.length} c${i % colours}` });
      const number = make('span', '', { class: 'value' });
      button.append(swatch, make('span', this.choices[this.choice].nameOf(s)), number);
      button.addEventListener('click', () => this.toggle(i, button));
      this.legend.append(button);
      return number;
    });
  }

  toggle(i, button) {
    const show = this.hidden.delete(i);
    if (!show) this.hidden.add(i);
    button.setAttribute('aria-pressed', String(show));
    this.chart_.setSeries(i + 1, { show });
  }

  setX(x, numbers) {
    const { min, max } = this.chart_.scales.x;
    const inside = x >= min - 1e-9 * (max - min) && x <= max + 1e-9 * (max - min);
    this.cursor.style.display = inside ? '' : 'none';
    if (inside) this.cursor.style.transform = `translateX(${this.chart_.valToPos(x, 'x')}px)`;
    if (!numbers) return;
    const i = nearestIndex(this.x, x);
    this.series.forEach((s, k) => {
      const text = shown(s.values[i], this.plot.log ? 0 : 1e-12);
      if (this.numbers[k].textContent !== text) this.numbers[k].textContent = text;
    });
  }
}

/** Forces by several formulations: all actuators by one of them, or one actuator by all. */
function choicesOf(plot) {
  const distinct = (key) => [...new Set(plot.series.map((s) => s[key]).filter((x) => x !== undefined))];
  const formulations = distinct('by');
  if (formulations.length < 2) return [{ label: 'all', series: plot.series, nameOf: (s) => s.name }];
  return [
    ...formulations.map((by) => ({ label: `by ${by}`, series: plot.series.filter((s) => s.by === by), nameOf: (s) => s.name })),
    ...distinct('name').map((name) => ({ label: `${name} by all`, series: plot.series.filter((s) => s.name === name), nameOf: (s) => s.by })),
  ];
}

/** Gaps where there is no number; what is below the floor of a logarithmic scale is drawn there. */
function drawable(values, floor) {
  const ready = floor === null ? (x) => Math.abs(x) <= plain : (x) => x >= floor && x <= plain;
  if (values.every(ready)) return values;
  const drawn = floor === null ? bounded : (x) => (x < 0 ? null : bounded(Math.max(floor, x)));
  return Array.from(values, (x) => (Number.isFinite(x) ? drawn(x) : null));
}
const plain = 1e300; // up to here numbers are drawn as they are

/** What a logarithmic scale does not show as it is. */
function belowText(all, floor) {
  const some = (holds) => all.some((values) => values.some(holds));
  const less = some((x) => x > 0 && x < floor);
  const zero = some((x) => x === 0);
  const what = [less && `values below ${tickText(floor, [])}`, zero && 'zeros'].filter(Boolean).join(' and ');
  return what && `${what[0].toUpperCase()}${what.slice(1)} are drawn at ${less ? 'the bottom' : tickText(floor, [])}.`;
}
