/** Curves in a plane: each has its own abscissae, which may come back. */
import uPlot from 'uplot';
import { extent, linearRange, xAxis, yAxis } from './axes.js';
import { download, phaseCsv } from './csv.js';
import { make } from './tables.js';
import { colour } from './theme.js';
import { colours } from './plots.js';

export class PhasePlot {
  constructor(place, plot) {
    this.plot = plot;
    this.hidden = new Set();
    const section = make('section', undefined, { class: 'card plot', 'aria-label': plot.title });
    section.dataset.plot = plot.id;
    this.chart = make('div', undefined, { class: 'chart' });
    section.append(this.heading(), this.chart, this.legend());
    if (plot.note) section.append(make('p', plot.note, { class: 'quiet' }));
    place.append(section);
    this.build();
    new ResizeObserver(() => this.fit()).observe(this.chart);
  }

  heading() {
    const head = make('div', undefined, { class: 'heading' });
    head.append(make('h3', this.plot.unit ? `${this.plot.title} [${this.plot.unit}]` : this.plot.title));
    const csv = make('button', 'CSV', { type: 'button', title: 'Download the numbers', 'aria-label': `${this.plot.title}: download as CSV` });
    csv.addEventListener('click', () => download(`${this.plot.id}.csv`, phaseCsv(this.plot)));
    head.append(csv);
    return head;
  }

  legend() {
    const legend = make('div', undefined, { class: 'legend', role: 'group', 'aria-label': `Curves of ${this.plot.title}` });
    this.plot.series.forEach((s, i) => {
      const button = make('button', undefined, { type: 'button', 'aria-pressed': 'true', title: 'Show or hide' });
      button.append(make('span', undefined, { class: `swatch dash-0 c${i % colours}` }), make('span', s.name));
      button.addEventListener('click', () => {
        const show = this.hidden.delete(i);
        if (!show) this.hidden.add(i);
        button.setAttribute('aria-pressed', String(show));
        this.build();
      });
      legend.append(button);
    });
    return legend;
  }

  build() {
    this.chart_?.destroy();
    const all = this.plot.series;
    const shown = all.filter((_, i) => !this.hidden.has(i));
    const ink = colour('ink-soft');
    const grid = { stroke: colour('line'), width: 1 };
    const font = '12px system-ui, sans-serif';
    const axis = { stroke: ink, grid, ticks: grid, font, labelFont: font };
    const options = {
      mode: 2,
      width: this.width ?? Math.max(200, this.chart.clientWidth || 600),
      height: 260,
      legend: { show: false },
      cursor: { show: false },
      scales: { x: { time: false, range: () => linearRange(...extent(shown.map((s) => s.x))) }, y: { range: () => linearRange(...extent(shown.map((s) => s.values))) } },
      axes: [
        { ...axis, ...xAxis(false), size: 28, gap: 4, label: this.plot.axis, labelSize: 18, labelGap: 0 },
        { ...axis, ...yAxis(false) },
      ],
      series: [
        {},
        ...all.map((s, i) => ({
          label: s.name,
          facets: [{ scale: 'x', auto: true }, { scale: 'y', auto: true }],
          paths: (u, place) => (this.hidden.has(i) ? null : drawn(u, place, colour(`curve-${i % colours}`))),
        })),
      ],
    };
    this.chart_ = new uPlot(options, [null, ...all.map((s) => [s.x, s.values])], this.chart);
  }

  fit() {
    const width = this.width ?? this.chart.clientWidth;
    if (width > 0 && Math.abs(width - this.chart_.width) > 1) this.chart_.setSize({ width, height: 260 });
  }
  repaint(printing) {
    this.width = printing ? 400 : null;
    this.build();
  }
}

/** From point to point in the order of time. */
function drawn(u, series, ink) {
  const [x, y] = u.data[series];
  const { ctx } = u;
  ctx.save();
  ctx.beginPath();
  ctx.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
  ctx.clip();
  ctx.beginPath();
  let down = false;
  for (let i = 0; i < x.length; ++i) {
    const known = Number.isFinite(x[i]) && Number.isFinite(y[i]);
    if (known) ctx[down ? 'lineTo' : 'moveTo'](u.valToPos(x[i], 'x', true), u.valToPos(y[i], 'y', true));
    down = known;
  }
  ctx.strokeStyle = ink;
  ctx.lineWidth = devicePixelRatio;
  ctx.stroke();
  ctx.restore();
  return null;
}
