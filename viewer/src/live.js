/** Numbers of the posture that is shown. */
import { unitOf, written } from './sliders.js';
import { make } from './tables.js';

const poseNames = ['x', 'y', 'z', 'rx', 'ry', 'rz'];

function line(list, name, ...content) {
  const value = make('dd');
  value.append(...content);
  list.append(make('dt', name), value);
  return value;
}

/** 0 singular, 1 best. */
function index(value, of) {
  if (value === null) return ['does not apply'];
  const meter = make('meter', undefined, { min: '0', max: '1', low: '0.05', high: '0.2', optimum: '1', 'aria-hidden': 'true' });
  meter.value = value;
  return [meter, `${value.toFixed(3)}${of ? ` (${of})` : ''}`];
}

/** `loops`: how many the mechanism has. */
export function showLive(place, posture, loops) {
  const list = make('dl');
  if (posture.pose) {
    const pose = make('span', undefined, { class: 'pose' });
    posture.pose.forEach((x, i) => pose.append(make('span', `${poseNames[i]} ${written(x, i < 3)} ${unitOf(i < 3)}`)));
    line(list, 'platform', pose);
  }
  const { type1, type1_leg: leg, type2, constraint } = posture.singularity;
  line(list, 'type 1', ...index(type1, leg));
  line(list, 'type 2', ...index(type2));
  line(list, 'constraint', ...index(constraint));
  line(list, 'loops', loops === 0 ? 'none' : posture.residual === 0 ? 'closed' : `closed to ${posture.residual.toExponential(0)}`);
  const beyond = line(list, 'limits', posture.beyond.length === 0 ? 'all kept' : '');
  for (const text of posture.beyond) beyond.append(make('div', text, { class: 'beyond' }));
  const note = make('p', 'Types are distances to singularities: 0 singular, 1 best.', { class: 'quiet' });
  place.replaceChildren(make('h2', 'Posture'), list, note);
}

export function showJoints(place, joints, posture) {
  if (!place.open) return;
  const rows = joints.map(({ name, index: i, is_length: isLength, role }) => {
    const row = make('tr');
    row.append(make('th', name, { scope: 'row' }), make('td', `${written(posture.joints[i], isLength)} ${unitOf(isLength)}`, { class: 'number' }), make('td', role));
    return row;
  });
  place.querySelector('tbody').replaceChildren(...rows);
}
