/** The report's page: a study's result, played. */
import { bindKeys, bindPlayback, bindScene, listParts } from './controls.js';
import { Player } from './player.js';
import { Plots } from './plots.js';
import { makeScene } from './scene.js';
import { standingPlots, standsAlone } from './standing.js';
import { make, showFacts, showNotes, showTables, widenTables } from './tables.js';
import { watchTheme } from './theme.js';

const element = (id) => document.getElementById(id);

/** Script time per frame [ms]: the last, the mean and the largest of the last hundred. */
class FrameTime {
  constructor() {
    this.times = [];
    this.count = 0;
  }
  add(ms) {
    this.times.push(ms);
    if (this.times.length > 100) this.times.shift();
    this.count += 1;
  }
  get last() {
    return this.times[this.times.length - 1] ?? 0;
  }
  get mean() {
    return this.times.reduce((sum, t) => sum + t, 0) / Math.max(1, this.times.length);
  }
  get worst() {
    return Math.max(0, ...this.times);
  }
}

/** Links to the headings, where there are some. */
function listHeadings() {
  const parts = [...document.querySelectorAll('#plots .part')].filter((part) => part.dataset.part);
  parts.forEach((part, i) => (part.id = `part-${i + 1}`));
  const all = [...parts.map((part) => [part.id, part.dataset.part]), ['tables', 'Tables']];
  if (!element('checks').hidden) all.push(['checks', element('checks-title').textContent]);
  element('parts').replaceChildren(...(all.length > 1 ? all.map(([id, text]) => make('a', text, { href: `#${id}` })) : []));
}

/** Without frames: no animation, and plots only where they bring their own abscissa. */
function standStill(data) {
  const main = document.querySelector('main');
  element('stage').hidden = element('help').hidden = true;
  main.classList.add('still');
  const own = data.plots.filter(standsAlone);
  main.hidden = own.length === 0;
  const plots = standingPlots(element('plots'), own);
  window.gough = { data, plots };
  watchTheme(element('theme'), (printing) => plots.forEach((p) => p.repaint(printing)));
}

export function startReport(data) {
  document.title = `${data.title} – gough report`;
  showFacts(data);
  element('made').textContent = `Made by ${data.made_by}. This page needs no network.`;
  showNotes(data.notes);
  showTables(data.tables);
  new ResizeObserver(widenTables).observe(document.body);
  if (data.frames.x.length === 0) {
    standStill(data);
    return;
  }
  const time = data.axis === 'time';
  const player = new Player(data.frames.x, time ? 1 : 10);
  const frameTime = new FrameTime();
  window.gough = { data, player, frameTime };
  let scene = null;
  let plots = null;
  let standing = [];
  watchTheme(element('theme'), (printing) => {
    scene?.repaint();
    plots?.repaint(printing);
    standing.forEach((p) => p.repaint(printing));
    scene?.render();
  });
  scene = makeScene(data);
  const own = data.plots.filter(standsAlone);
  plots = new Plots(element('plots'), { ...data, plots: data.plots.filter((plot) => !standsAlone(plot)) }, player);
  standing = standingPlots(element('plots'), own);
  Object.assign(window.gough, { scene, plots, standing });
  listHeadings();
  const showPlayback = bindPlayback(player, time ? 's' : '');
  if (scene) bindScene(scene);
  if (scene) listParts(scene);
  bindKeys(playbackKeys(player, plots, scene));
  if (scene) new ResizeObserver(() => scene.resize()).observe(element('canvas'));
  run({ player, scene, plots, frameTime, showPlayback });
}

function playbackKeys(player, plots, scene) {
  return {
    ' ': () => player.toggle(),
    ArrowLeft: (e) => player.step(e.shiftKey ? -10 : -1),
    ArrowRight: (e) => player.step(e.shiftKey ? 10 : 1),
    Home: () => player.seek(player.first),
    End: () => player.seek(player.last),
    '+': () => player.faster(1),
    '=': () => player.faster(1),
    '-': () => player.faster(-1),
    f: () => scene?.fit(),
    r: () => scene?.resetView(),
    z: () => plots.zoom(0.5),
    Z: () => plots.zoom(2),
    0: () => plots.setRange(null),
  };
}

/** One callback per frame; standing still costs nothing. Numbers beside the curves follow ten times a second. */
function run({ player, scene, plots, frameTime, showPlayback }) {
  let changed = true;
  let before = performance.now();
  let numbersAt = 0;
  let statusAt = 0;
  player.onChange(() => (changed = true));
  const frame = (now) => {
    const begun = performance.now();
    if (player.playing) {
      player.advance(Math.min(0.1, (now - before) / 1000));
      changed = true;
    }
    before = now;
    const draws = changed || scene?.dirty;
    if (changed) {
      const numbers = !player.playing || now - numbersAt > 100;
      if (numbers) numbersAt = now;
      changed = false;
      scene?.setX(player.x);
      plots.setX(player.x, numbers);
      showPlayback();
    }
    scene?.render();
    if (draws) frameTime.add(performance.now() - begun);
    if (now - statusAt > 500 && player.playing) {
      statusAt = now;
      element('status').textContent = `${frameTime.mean.toFixed(1)} ms of script per frame`;
    }
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
}
