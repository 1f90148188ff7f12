/** Buttons, the slider, keys. */
import { speeds } from './player.js';
import { make } from './tables.js';

const element = (id) => document.getElementById(id);

export function bindPlayback(player, unit) {
  const scrub = element('scrub');
  scrub.min = String(player.first);
  scrub.max = String(player.last);
  scrub.step = 'any';
  scrub.addEventListener('input', () => player.seek(Number(scrub.value)));
  element('play').addEventListener('click', () => player.toggle());
  const speed = element('speed');
  for (const s of speeds) speed.append(make('option', `${s}×`, { value: String(s) }));
  speed.addEventListener('change', () => player.setSpeed(Number(speed.value)));
  element('loop').addEventListener('change', (e) => (player.loop = e.target.checked));
  return () => {
    scrub.value = String(player.x);
    const text = `${player.x.toFixed(unit === 's' ? 3 : 0)}${unit ? ` ${unit}` : ''}`;
    element('now').textContent = text;
    scrub.setAttribute('aria-valuetext', text);
    element('play').setAttribute('aria-label', player.playing ? 'Pause' : 'Play');
    element('play').classList.toggle('playing', player.playing);
    speed.value = String(player.speed);
  };
}

/** What can be switched on and off in the 3-D view. */
export function bindScene(scene) {
  const toggles = element('toggles');
  const offered = [
    ['trace', 'Trace', scene.trace !== null],
    ['forces', 'Forces', scene.data.arrows.length > 0],
    ['deformed', `Deformed (${scene.data.deformed?.exaggeration} times)`, scene.curves.length > 0],
    ['frames', 'Frames', true],
    ['grid', 'Grid', true],
  ];
  for (const [what, label, possible] of offered) {
    if (!possible) continue;
    const box = make('input', undefined, { type: 'checkbox' });
    box.checked = what !== 'frames';
    box.addEventListener('change', () => scene.show(what, box.checked));
    const line = make('label');
    line.append(box, ` ${label}`);
    toggles.append(line);
  }
  element('fit').addEventListener('click', () => scene.fit());
  element('reset').addEventListener('click', () => scene.resetView());
}

/** The bodies by name, and what the colours mean. */
export function listParts(scene) {
  listBodies(scene, scene.data.mechanism.bodies);
  showKey(scene.data);
}

function listBodies(scene, bodies) {
  const list = element('bodies').querySelector('ul');
  list.replaceChildren();
  bodies.forEach((body, i) => {
    if (body.role === 'hidden') return;
    const box = make('input', undefined, { type: 'checkbox' });
    box.checked = true;
    box.addEventListener('change', () => scene.showBody(i, box.checked));
    const label = make('label');
    label.append(box, ` ${body.name}`);
    const item = make('li');
    item.append(label);
    for (const on of ['pointerenter', 'focusin']) item.addEventListener(on, () => scene.highlight(i));
    for (const off of ['pointerleave', 'focusout']) item.addEventListener(off, () => scene.highlight(null));
    list.append(item);
  });
}

function showKey(data) {
  const joints = data.mechanism.bodies.flatMap((b) => b.shapes.filter((s) => s.kind === 'joint'));
  const entries = [
    ['actuated', 'actuated joint', joints.some((j) => j.actuated)],
    ['joint', 'passive joint', joints.some((j) => !j.actuated && !j.elastic)],
    ['elastic', data.deformed ? 'deformed' : 'elastic', Boolean(data.deformed) || joints.some((j) => j.elastic) || data.mechanism.links.some((l) => l.kind === 'spring')],
    ['platform', 'platform', Boolean(data.mechanism.platform)],
    ['force', 'actuator force', data.arrows.some((a) => a.kind !== 'wrench')],
    ['load', 'external load', data.arrows.some((a) => a.kind === 'wrench')],
  ];
  element('key').replaceChildren();
  for (const [role, label, there] of entries) {
    if (!there) continue;
    const item = make('li');
    item.append(make('span', undefined, { class: `dot ${role}` }), label);
    element('key').append(item);
  }
}

/** Keys act everywhere except where the focused element needs them itself. */
export function bindKeys(more) {
  const dialog = element('keys');
  element('help').addEventListener('click', () => dialog.showModal());
  const actions = { ...more, '?': () => dialog.showModal() };
  addEventListener('keydown', (e) => {
    const action = actions[e.key];
    if (!action || e.ctrlKey || e.altKey || e.metaKey || dialog.open) return;
    const { tagName: tag, type } = e.target;
    if (tag === 'SELECT' || type === 'number' || (e.key === ' ' && /^(BUTTON|SUMMARY|INPUT|A)$/.test(tag) && type !== 'range')) return;
    action(e);
    e.preventDefault();
  });
}
