/** The mechanism in motion. Draws only when something changed. */
import * as THREE from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import { Line2 } from 'three/examples/jsm/lines/Line2.js';
import { LineGeometry } from 'three/examples/jsm/lines/LineGeometry.js';
import { LineMaterial } from 'three/examples/jsm/lines/LineMaterial.js';
import { indexBelow } from './data.js';
import { Palette, arrow, bentRod, bodyGroup, curvedArrow, spanning } from './shapes.js';
import { colour } from './theme.js';

const vector = (p) => new THREE.Vector3(p[0], p[1], p[2]);
const mostMeasured = 300000; // points for the outline of a motion

/** The scene in the page; null, with the reason in its place, where the browser cannot draw it. */
export function makeScene(data) {
  const pointed = document.getElementById('pointed');
  try {
    return new Scene(document.getElementById('canvas'), data, (name) => (pointed.textContent = name));
  } catch (error) {
    document.getElementById('view').classList.add('empty');
    pointed.textContent = `No animation: this browser has no WebGL (${error.message}).`;
    return null;
  }
}

export class Scene {
  constructor(canvas, data, onPoint) {
    this.canvas = canvas;
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, alpha: true, preserveDrawingBuffer: true });
    this.renderer.setPixelRatio(Math.min(2, devicePixelRatio));
    this.palette = new Palette();
    this.camera = new THREE.PerspectiveCamera(32);
    this.choices = {};
    this.load(data);
    this.resize();
    this.resetView();
    this.addPointing(onPoint);
  }

  /** Draws other data from now on, from where the camera is. */
  load(data) {
    this.scene?.traverse((object) => object.geometry?.dispose());
    this.data = data;
    this.mechanism = data.mechanism;
    this.unit = 0.016 * this.mechanism.size;
    this.scene = new THREE.Scene();
    this.axes = undefined;
    this.painted = [];
    this.addLights();
    this.addBodies();
    this.addTrace();
    this.addArrows();
    this.addDeformed();
    this.measure();
    this.setX(data.frames.x[0]);
    this.addGrid();
    this.addControls();
    this.repaint();
    for (const [what, visible] of Object.entries(this.choices)) this.show(what, visible);
  }

  /** The poses of all moving bodies, where there is one frame only. */
  setPoses(poses) {
    this.data.frames.poses = poses;
    this.setX(this.data.frames.x[0]);
  }

  // ------------------------------------------------------------------------------------------ what is drawn

  addLights() {
    this.scene.add(new THREE.HemisphereLight(0xffffff, 0x8890a0, 2.0));
    this.sun = new THREE.DirectionalLight(0xffffff, 2.0);
    this.scene.add(this.sun, this.sun.target);
  }

  addBodies() {
    const { bodies, links } = this.mechanism;
    this.groups = bodies.map((body) => {
      const group = bodyGroup(body, this.palette.materials, this.unit);
      group.userData.name = body.name;
      this.scene.add(group);
      return group;
    });
    this.links = links.map((link) => {
      const span = spanning(link.kind, this.palette.materials, this.unit);
      span.mesh.userData.name = `${link.name} (${link.kind})`;
      this.scene.add(span.mesh);
      return { link, span, a: vector(link.at_a), b: vector(link.at_b) };
    });
  }

  /** The platform's way through all frames, and the part that is done. */
  addTrace() {
    const platform = this.mechanism.platform;
    this.trace = null;
    if (!platform) return;
    const points = [];
    const tool = vector(platform.tool);
    for (let f = 0; f < this.data.frames.x.length; ++f) {
      this.pose(platform.body, f, f, 0);
      points.push(...tool.clone().applyQuaternion(this.turn).add(this.place).toArray());
    }
    if (points.length < 6) return;
    const geometry = new LineGeometry().setPositions(points);
    const line = (width, opacity) => new LineMaterial({ linewidth: width, transparent: true, opacity });
    this.trace = new THREE.Group();
    this.whole = new Line2(geometry, line(1.5, 0.45));
    this.done = new Line2(geometry.clone(), line(3, 1));
    this.trace.add(this.whole, this.done);
    this.scene.add(this.trace);
  }

  /** Beams as they bend, larger than life. */
  addDeformed() {
    this.deformed = new THREE.Group();
    this.scene.add(this.deformed);
    this.curves = (this.data.deformed?.curves ?? []).map((curve) => {
      const drawn = bentRod(curve.points, this.palette.materials.elastic, this.unit);
      drawn.group.userData.name = `${curve.name}, deformed (${this.data.deformed.exaggeration} times)`;
      this.deformed.add(drawn.group);
      return { ...curve, drawn, now: new Float32Array(3 * curve.points) };
    });
    this.palette.fade(this.curves.length > 0);
  }
  setDeformed(f, g, share) {
    for (const { points, values, drawn, now } of this.curves) {
      const width = 3 * points;
      for (let i = 0; i < width; ++i) now[i] = values[f * width + i] * (1 - share) + values[g * width + i] * share;
      drawn.place(now);
    }
  }

  addArrows() {
    const { force, load } = this.palette.materials;
    const largest = (kinds, size) => {
      let most = 0;
      for (const a of this.data.arrows) if (kinds.includes(a.kind)) for (const v of size(a.values)) if (Number.isFinite(v)) most = Math.max(most, Math.abs(v));
      return most || 1;
    };
    const forces = largest(['force'], (v) => v);
    const torques = largest(['torque'], (v) => v);
    const norms = (v) => Array.from({ length: v.length / 6 }, (_, f) => Math.hypot(v[6 * f], v[6 * f + 1], v[6 * f + 2]));
    const loads = largest(['wrench'], norms);
    this.forces = new THREE.Group();
    this.scene.add(this.forces);
    this.arrows = this.data.arrows.map((a) => {
      const drawn = a.kind === 'torque' ? curvedArrow(force, this.unit) : arrow(a.kind === 'wrench' ? load : force, this.unit);
      drawn.group.userData.name = `${a.kind} ${a.name}`;
      this.forces.add(drawn.group);
      return { ...a, drawn, most: { force: forces, torque: torques, wrench: loads }[a.kind] };
    });
  }

  addGrid() {
    const normal = vector(this.mechanism.normal ?? this.mechanism.up).normalize();
    const lowest = this.mechanism.normal ? this.low.dot(normal) - 6 * this.unit : -this.reach(normal.clone().negate());
    const step = 10 ** Math.floor(Math.log10(this.radius));
    const pitch = this.radius / step < 2.5 ? step / 2 : step;
    const count = 2 * Math.ceil((2 * this.radius) / pitch);
    this.grid = new THREE.GridHelper(count * pitch, count);
    this.grid.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), normal);
    const centre = this.centre.clone().addScaledVector(normal, lowest - this.centre.dot(normal));
    this.grid.position.copy(centre);
    this.grid.material.transparent = true;
    this.scene.add(this.grid);
  }

  // ------------------------------------------------------------------------------------------ motion

  /** Sets this.place and this.turn to the pose of a body between two frames. */
  pose(body, f, g, share) {
    this.place ??= new THREE.Vector3();
    this.turn ??= new THREE.Quaternion();
    this.nextPlace ??= new THREE.Vector3();
    this.nextTurn ??= new THREE.Quaternion();
    if (body === 0) {
      this.place.set(0, 0, 0);
      this.turn.identity();
      return;
    }
    const poses = this.data.frames.poses;
    const width = 7 * (this.mechanism.bodies.length - 1);
    const at = (frame) => frame * width + 7 * (body - 1);
    this.place.fromArray(poses, at(f));
    this.turn.fromArray(poses, at(f) + 3);
    if (share === 0) return;
    this.place.lerp(this.nextPlace.fromArray(poses, at(g)), share);
    this.turn.slerp(this.nextTurn.fromArray(poses, at(g) + 3), share);
  }

  setX(x) {
    const xs = this.data.frames.x;
    const f = indexBelow(xs, x);
    const g = Math.min(xs.length - 1, f + 1);
    const share = g > f ? Math.min(1, Math.max(0, (x - xs[f]) / (xs[g] - xs[f]))) : 0;
    for (let b = 1; b < this.groups.length; ++b) {
      this.pose(b, f, g, share);
      this.groups[b].position.copy(this.place);
      this.groups[b].quaternion.copy(this.turn);
      this.groups[b].updateMatrixWorld();
    }
    for (const { link, span, a, b } of this.links)
      span.place(this.groups[link.a].localToWorld(a.clone()), this.groups[link.b].localToWorld(b.clone()));
    if (this.trace) this.done.geometry.instanceCount = Math.max(0, Math.min(xs.length - 1, Math.round(f + share)));
    this.setArrows(f, g, share);
    this.setDeformed(f, g, share);
    this.dirty = true;
  }

  setArrows(f, g, share) {
    const mix = (values, width, i) => values[f * width + i] * (1 - share) + values[g * width + i] * share;
    const direction = new THREE.Vector3();
    const reach = 0.5 * this.mechanism.size;
    for (const a of this.arrows) {
      if (a.kind === 'wrench') {
        const platform = this.mechanism.platform;
        const group = this.groups[platform.body];
        direction.set(mix(a.values, 6, 0), mix(a.values, 6, 1), mix(a.values, 6, 2));
        const size = direction.length();
        a.drawn.point(group.localToWorld(vector(platform.frame)), size > 0 ? direction.divideScalar(size) : direction, (size / a.most) * reach);
        continue;
      }
      const group = this.groups[a.body];
      direction.set(0, 0, 1).applyQuaternion(group.quaternion);
      const value = mix(a.values, 1, 0) / a.most;
      if (a.kind === 'force') a.drawn.point(this.beside(group.position, direction), direction, value * reach);
      else a.drawn.turn(group.position, direction, value);
    }
  }

  /** A little off an axis, away from the middle of the mechanism: an arrow there is not inside its link. */
  beside(point, axis) {
    const out = point.clone().sub(this.centre ?? point);
    out.addScaledVector(axis, -out.dot(axis));
    if (out.length() < 1e-9) out.set(axis.y, axis.z, axis.x).addScaledVector(axis, -(axis.x * axis.y + axis.y * axis.z + axis.z * axis.x));
    return out.setLength(4.2 * this.unit).add(point);
  }

  // ------------------------------------------------------------------------------------------ view

  /** Where the mechanism is in all frames: its points (x y z after each other), and the box around them. */
  measure() {
    const frames = this.data.frames.x.length;
    const places = (shape) => [shape.at, shape.from, shape.to, ...(shape.points ?? [])].filter(Boolean).map(vector);
    const own = this.mechanism.bodies.map((body) => body.shapes.flatMap(places));
    for (const { a, b, at_a: atA, at_b: atB } of this.mechanism.links) own[a].push(vector(atA)), own[b].push(vector(atB));
    const beams = (this.data.deformed?.curves ?? []).reduce((sum, curve) => sum + curve.points, 0);
    const stride = Math.max(1, Math.ceil((frames * (own.flat().length + beams)) / mostMeasured));
    this.outline = [];
    const at = new THREE.Vector3();
    const take = (p) => Number.isFinite(p.x + p.y + p.z) && this.outline.push(p.x, p.y, p.z);
    for (let f = 0; f < frames; ++f) {
      if (f % stride > 0 && f < frames - 1) continue;
      own.forEach((points, body) => {
        if (points.length > 0) this.pose(body, f, f, 0);
        for (const p of points) take(at.copy(p).applyQuaternion(this.turn).add(this.place));
      });
      for (const { points, values } of this.data.deformed?.curves ?? [])
        for (let i = 0; i < points; ++i) take(at.fromArray(values, 3 * (f * points + i)));
    }
    if (this.outline.length === 0) this.outline.push(0, 0, 0);
    const box = new THREE.Box3().setFromArray(this.outline).expandByScalar(4 * this.unit);
    this.low = box.min;
    this.centre = box.getCenter(new THREE.Vector3());
    this.radius = Math.max(box.getSize(new THREE.Vector3()).length() / 2, 1e-6);
  }

  /** How far the outline reaches along a direction. */
  reach(direction) {
    let most = -Infinity;
    for (let i = 0; i < this.outline.length; i += 3)
      most = Math.max(most, this.outline[i] * direction.x + this.outline[i + 1] * direction.y + this.outline[i + 2] * direction.z);
    return most + 4 * this.unit; // half of a joint
  }

  addControls() {
    const target = this.controls?.target ?? this.centre;
    this.controls?.dispose();
    this.camera.up.copy(vector(this.mechanism.up));
    this.camera.updateProjectionMatrix();
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.target.copy(target);
    this.controls.addEventListener('change', () => (this.dirty = true));
    this.controls.addEventListener('start', () => (this.framed = false));
    this.controls.update();
  }

  /** As the page opens: seen from the front, a little from above and from the side; planar mechanisms from their normal. */
  resetView() {
    const upwards = this.camera.up;
    if (this.mechanism.normal) return this.look(vector(this.mechanism.normal).addScaledVector(upwards, -0.12));
    const side = Math.abs(upwards.x) < 0.9 ? new THREE.Vector3(1, 0, 0) : new THREE.Vector3(0, 1, 0);
    side.addScaledVector(upwards, -side.dot(upwards)).normalize();
    this.look(new THREE.Vector3().crossVectors(upwards, side).multiplyScalar(-1).addScaledVector(side, 0.55).addScaledVector(upwards, 0.42));
  }

  /** The whole mechanism, as it moves, seen from where the camera is. */
  fit() {
    this.measure();
    this.look(this.camera.position.clone().sub(this.controls.target));
  }

  /** Looks against `from`, from so far that all that moves is just in view: all points p have
   *    |p.side - x| <= (d - p.from) w,   |p.up - y| <= (d - p.from) h
   *  with w and h of the angle of view, so x + d w is the largest of p.side + p.from w, and so on. */
  look(from) {
    from.normalize();
    const side = new THREE.Vector3().crossVectors(this.camera.up, from).normalize();
    const upwards = new THREE.Vector3().crossVectors(from, side);
    const h = Math.tan((this.camera.fov * Math.PI) / 360) * 0.88; // a margin
    const across = (axis, slope) => {
      const [one, other] = [1, -1].map((sign) => this.reach(axis.clone().multiplyScalar(sign).addScaledVector(from, slope)));
      return { middle: (one - other) / 2, distance: (one + other) / (2 * slope) };
    };
    const x = across(side, h * this.camera.aspect);
    const y = across(upwards, h);
    const depth = this.centre.dot(from);
    const distance = (Math.max(x.distance, y.distance) - depth) * (this.data.room ?? 1);
    this.controls.target.copy(side.multiplyScalar(x.middle).addScaledVector(upwards, y.middle).addScaledVector(from, depth));
    this.camera.position.copy(this.controls.target).addScaledVector(from, distance);
    this.camera.near = 0.01 * this.radius;
    this.camera.far = Math.max(40 * this.radius, 2 * distance);
    this.camera.updateProjectionMatrix();
    this.controls.update();
    this.framed = true; // until somebody turns or shifts it
    this.dirty = true;
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (width === 0 || height === 0) return;
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    if (this.framed) this.look(this.camera.position.clone().sub(this.controls.target));
    this.dirty = true;
  }

  repaint() {
    this.palette.paint(colour);
    this.grid.material.color.set(colour('three-grid'));
    this.grid.material.vertexColors = false;
    this.grid.material.needsUpdate = true;
    if (this.trace) for (const line of [this.whole, this.done]) line.material.color.set(colour('three-trace'));
    this.dirty = true;
  }

  /** Draws if anything changed since the last time. */
  render() {
    if (!this.dirty) return;
    this.dirty = false;
    this.sun.position.copy(this.camera.position).addScaledVector(this.camera.up, this.radius);
    this.sun.target.position.copy(this.centre);
    this.renderer.render(this.scene, this.camera);
  }

  // ------------------------------------------------------------------------------------------ choices

  show(what, visible) {
    this.choices[what] = visible;
    if (what === 'trace' && this.trace) this.trace.visible = visible;
    if (what === 'forces') this.forces.visible = visible;
    if (what === 'deformed') {
      this.deformed.visible = visible;
      this.palette.fade(visible && this.curves.length > 0);
    }
    if (what === 'frames') this.showFrames(visible);
    if (what === 'grid') this.grid.visible = visible;
    this.dirty = true;
  }
  showFrames(visible) {
    this.axes ??= this.groups.map((group) => group.add(new THREE.AxesHelper(8 * this.unit)).children.at(-1));
    this.axes.forEach((axes) => (axes.visible = visible));
  }
  showBody(index, visible) {
    this.groups[index].visible = visible;
    this.dirty = true;
  }
  /** Paints a body in the accent colour; null: none. */
  highlight(index) {
    for (const [mesh, material] of this.painted ?? []) mesh.material = material;
    this.painted = [];
    const plates = [this.palette.materials.basePlate, this.palette.materials.platformPlate];
    if (index !== null)
      this.groups[index].traverse((mesh) => {
        if (!mesh.isMesh || plates.includes(mesh.material)) return;
        this.painted.push([mesh, mesh.material]);
        mesh.material = this.palette.materials.picked;
      });
    this.dirty = true;
  }

  /** Names under the pointer. */
  addPointing(onPoint) {
    const ray = new THREE.Raycaster();
    const at = new THREE.Vector2();
    const nameOf = (object) => {
      for (let o = object; o; o = o.parent) if (o.userData.name) return o.userData.name;
      return '';
    };
    this.canvas.addEventListener('pointermove', (e) => {
      if (e.buttons !== 0) return onPoint('');
      at.set((2 * e.offsetX) / this.canvas.clientWidth - 1, 1 - (2 * e.offsetY) / this.canvas.clientHeight);
      ray.setFromCamera(at, this.camera);
      const hit = ray.intersectObjects([...this.groups, this.deformed, ...this.links.map((l) => l.span.mesh)], true).find((h) => h.object.isMesh && h.object.visible);
      onPoint(hit ? nameOf(hit.object) : '');
    });
    this.canvas.addEventListener('pointerleave', () => onPoint(''));
  }
}
