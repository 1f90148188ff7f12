/** The page of `gough view`: a robot file, moved by sliders, read again when it changes. */
import { bindKeys, bindScene, listParts } from './controls.js';
import { showJoints, showLive } from './live.js';
import { makeScene } from './scene.js';
import { askChange, askMove, askRobot } from './server.js';
import { Sliders, units } from './sliders.js';
import { make, showFacts, showNotes, showTables } from './tables.js';
import { watchTheme } from './theme.js';

const element = (id) => document.getElementById(id);
const pause = (ms) => new Promise((done) => setTimeout(done, ms));

function say(id, message) {
  if (element(id).textContent !== message) element(id).textContent = message;
  element(id).hidden = message === '';
}

class View {
  constructor() {
    this.robot = null;
    this.reading = null; // its number; null: not of the server that answers now
    this.posture = null;
    this.scene = null;
    this.wanted = null; // the move that is to be asked for next
    this.asking = false;
    this.used = null; // the group moved last; null: at home
  }

  // ------------------------------------------------------------------------------------------ the robot

  /** What the server has read. A bad file leaves the last good robot, greyed. */
  take({ file, error, robot }) {
    say('failure', error ?? '');
    document.querySelector('main').hidden = robot === null;
    document.querySelector('main').classList.toggle('stale', error !== null);
    element('sliders').disabled = error !== null;
    if (error !== null) this.outcome('');
    if (robot === null) {
      document.title = `${file} – gough view`;
      element('title').textContent = file;
    } else if (robot.number !== this.reading) this.show(robot);
  }

  show(robot) {
    const before = { names: this.sliders?.names, values: this.used && this.sliders.valuesIn(this.used, this.posture) };
    this.robot = robot;
    this.reading = robot.number;
    this.wanted = null;
    document.title = `${robot.title} – gough view`;
    showFacts(robot);
    showNotes(robot.notes);
    showTables(robot.tables);
    this.sliders = new Sliders(element('groups'), robot.groups, (by, place, value) => this.move(by, { [place]: value }), (by, place, text) => this.outcome(text, by, place));
    element('sliders').hidden = robot.groups.length === 0;
    this.outcome('');
    const same = before.names === this.sliders.names;
    this.draw(same);
    this.stand(robot.home);
    if (same && before.values) {
      const sliders = this.sliders.of(this.used);
      const beyond = before.values.map((value, i) => sliders[i].beyond(value)).filter(Boolean);
      if (beyond.length === 0) this.move(this.used, { ...before.values.map((value, i) => sliders[i].clamped(value)) });
      else this.outcome(`The robot stands at home, for its limits have changed: ${beyond.join(' ')}`);
      if (beyond.length > 0) this.used = null;
    } else this.used = null;
  }

  /** `same`: another state of the robot that is drawn, seen from the same place. */
  draw(same) {
    const { mechanism, loops, home } = this.robot;
    const room = mechanism.platform ? 1.2 : loops > 0 ? 1.35 : 2; // to move in
    const data = { mechanism, frames: { x: [0], poses: home.poses }, arrows: [], room };
    if (!this.scene) {
      this.scene = makeScene(data);
      if (!this.scene) return;
      bindScene(this.scene);
      new ResizeObserver(() => this.scene.resize()).observe(element('canvas'));
    } else {
      this.scene.load(data);
      if (!same) this.scene.resetView();
    }
    listParts(this.scene);
  }

  // ------------------------------------------------------------------------------------------ motion

  stand(posture) {
    this.posture = posture;
    this.scene?.setPoses(posture.poses);
    this.showNumbers();
  }
  showNumbers() {
    if (!this.posture) return;
    this.sliders.show(this.posture);
    showLive(element('live'), this.posture, this.robot.loops);
    showJoints(element('joints'), this.robot.joints, this.posture);
  }
  home() {
    if (!this.robot || element('sliders').disabled) return;
    this.wanted = null;
    this.used = null;
    this.outcome('');
    this.stand(this.robot.home);
  }
  outcome(text, by, place) {
    say('outcome', text);
    this.sliders?.refuse(by, place);
  }

  /** Sliders of a group to new values, the others of the group where they are. One question at a time: the last wish counts. */
  move(by, values) {
    this.wanted = { by, values: { ...(this.wanted?.by === by && this.wanted.values), ...values } };
    if (!this.asking) this.ask();
  }
  async ask() {
    this.asking = true;
    while (this.wanted) {
      const { by, values } = this.wanted;
      const { robot, posture } = this;
      this.wanted = null;
      const all = this.sliders.valuesIn(by, posture).map((value, i) => values[i] ?? value);
      try {
        const reply = await askMove({ number: robot.number, q: posture.q, by, values: all });
        if (robot === this.robot && posture === this.posture) this.answer(reply, by, Number(Object.keys(values).at(-1)));
      } catch (error) {
        if (error.status === 400) this.outcome(error.message);
        else if (error.status !== 409) break; // no server; the robot is asked for again when it is back
      }
    }
    this.asking = false;
  }
  answer({ posture, status, reason }, by, place) {
    if (posture) {
      this.used = by;
      this.outcome('');
      this.stand(posture);
    } else {
      this.outcome(`${status.replaceAll('_', ' ')}: ${reason}`, by, place);
      this.sliders.show(this.posture);
    }
  }
}

/** The robot, when the file was read again; null where it was not, for some seconds. */
async function news(known) {
  const begun = performance.now();
  const { number } = await askChange(known);
  if (number !== known) return askRobot();
  if (performance.now() - begun < 1000) await pause(1000); // more pages than the server can keep waiting
  return null;
}

/** Asks for changes as long as the page is open. */
async function follow(view) {
  for (let known = -1; ; ) {
    const read = await news(known).catch(() => undefined);
    say('gone', read === undefined ? 'The server does not answer: gough view was ended. This page waits for it.' : '');
    if (read) {
      view.take(read);
      known = read.number;
    } else if (read === undefined) {
      view.reading = null;
      known = -1;
      await pause(1000);
    }
  }
}

export function startView() {
  const view = new View();
  window.gough = { view };
  watchTheme(element('theme'), () => {
    view.scene?.repaint();
    view.scene?.render();
  });
  element('home').addEventListener('click', () => view.home());
  element('joints').addEventListener('toggle', () => view.showNumbers());
  element('angles').addEventListener('change', (e) => {
    units.angle = e.target.value;
    view.sliders?.setUnits();
    view.showNumbers();
  });
  document.head.append(make('link', undefined, { rel: 'icon', href: 'data:,' })); // or browsers ask the server for one
  element('panel').append(element('tables'));
  element('made').textContent = 'gough view: this page is served by this computer, to this computer only.';
  bindKeys({ f: () => view.scene?.fit(), r: () => view.scene?.resetView(), h: () => view.home() });
  const frame = () => {
    view.scene?.render();
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
  follow(view).catch((error) => {
    say('failure', `This robot cannot be shown: ${error.message}.`);
    console.error(error);
  });
}
