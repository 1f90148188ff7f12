/** Meshes of bodies, springs and arrows, from the shapes in the data. */
import * as THREE from 'three';

const up = new THREE.Vector3(0, 1, 0);
const vector = (p) => new THREE.Vector3(p[0], p[1], p[2]);

/** One material per role, coloured by the theme. */
export class Palette {
  constructor() {
    const solid = (roughness, more = {}) => new THREE.MeshStandardMaterial({ roughness, metalness: 0.1, ...more });
    const glass = (opacity) => solid(0.9, { transparent: true, opacity, side: THREE.DoubleSide, depthWrite: false });
    this.materials = {
      base: solid(0.9),
      link: solid(0.55),
      platform: solid(0.5),
      joint: solid(0.6),
      actuated: solid(0.45),
      elastic: solid(0.5),
      force: solid(0.6),
      load: solid(0.6),
      picked: solid(0.4),
      basePlate: glass(0.1),
      platformPlate: glass(0.45),
    };
  }
  /** Rigid parts step back behind what is bent. */
  fade(faded) {
    for (const name of ['link', 'platform', 'joint']) {
      const material = this.materials[name];
      material.transparent = faded;
      material.opacity = faded ? 0.3 : 1;
      material.needsUpdate = true;
    }
  }
  paint(colour) {
    for (const [name, material] of Object.entries(this.materials))
      material.color.set(colour(`three-${name.replace('Plate', '')}`));
  }
}

function along(mesh, from, to) {
  const direction = to.clone().sub(from);
  mesh.position.copy(from).addScaledVector(direction, 0.5);
  mesh.quaternion.setFromUnitVectors(up, direction.normalize());
  return mesh;
}

function tube(from, to, radius, material) {
  const length = from.distanceTo(to);
  return along(new THREE.Mesh(new THREE.CylinderGeometry(radius, radius, length, 20), material), from, to);
}

function plate(points, materials, role, unit) {
  const group = new THREE.Group();
  const corners = points.map(vector);
  const centre = corners.reduce((sum, p) => sum.addScaledVector(p, 1 / corners.length), new THREE.Vector3());
  const triangles = corners.flatMap((p, i) => [centre, p, corners[(i + 1) % corners.length]]);
  const geometry = new THREE.BufferGeometry().setFromPoints(triangles);
  geometry.computeVertexNormals();
  group.add(new THREE.Mesh(geometry, materials[`${role}Plate`]));
  const radius = role === 'base' ? 0.5 * unit : 0.8 * unit;
  corners.forEach((p, i) => group.add(tube(p, corners[(i + 1) % corners.length], radius, materials[role])));
  return group;
}

function jointGeometry(type, unit) {
  switch (type) {
    case 'revolute': return new THREE.CylinderGeometry(1.7 * unit, 1.7 * unit, 4.4 * unit, 24);
    case 'prismatic': return new THREE.BoxGeometry(4.2 * unit, 5 * unit, 4.2 * unit);
    case 'sleeve': return new THREE.CylinderGeometry(2.3 * unit, 2.3 * unit, 4.5 * unit, 24);
    case 'planar': return new THREE.CylinderGeometry(3 * unit, 3 * unit, unit, 24);
    default: return new THREE.SphereGeometry(2 * unit, 24, 16);
  }
}

function joint(shape, materials, unit) {
  const material = shape.actuated ? materials.actuated : shape.elastic ? materials.elastic : materials.joint;
  const mesh = new THREE.Mesh(jointGeometry(shape.type, shape.actuated ? 1.25 * unit : unit), material);
  mesh.position.copy(vector(shape.at));
  mesh.quaternion.setFromUnitVectors(up, vector(shape.axis).normalize());
  mesh.userData.name = `${shape.name} (${shape.type === 'sleeve' ? 'prismatic' : shape.type}${shape.actuated ? ', actuated' : ''}${shape.elastic ? ', elastic' : ''})`;
  return mesh;
}

function ball(at, radius, material) {
  const mesh = new THREE.Mesh(new THREE.SphereGeometry(radius, 24, 16), material);
  mesh.position.copy(vector(at));
  return mesh;
}

/** A body as a group in its own frame; `unit` is the radius of a link. */
export function bodyGroup(body, materials, unit) {
  const group = new THREE.Group();
  const role = body.role === 'base' || body.role === 'platform' ? body.role : 'link';
  for (const shape of body.shapes) {
    let mesh;
    if (shape.kind === 'tube') mesh = tube(vector(shape.from), vector(shape.to), shape.thickness * unit, materials[role]);
    else if (shape.kind === 'plate') mesh = plate(shape.points, materials, role, unit);
    else if (shape.kind === 'joint') mesh = joint(shape, materials, unit);
    else if (shape.kind === 'mass') mesh = ball(shape.at, 3 * unit, materials[role]);
    else if (shape.kind === 'pad') mesh = ball(shape.at, 2.6 * unit, materials[role]);
    if (mesh) group.add(mesh);
  }
  return group;
}

/** A spring or a rod between points of two bodies; `place(a, b)` puts it there. */
export function spanning(kind, materials, unit) {
  let geometry;
  if (kind === 'spring') {
    const coil = [];
    for (let i = 0; i <= 240; ++i) {
      const angle = (i / 240) * 20 * Math.PI;
      const inside = i > 20 && i < 220 ? 2.2 * unit : 0;
      coil.push(new THREE.Vector3(Math.cos(angle) * inside, i / 240 - 0.5, Math.sin(angle) * inside));
    }
    geometry = new THREE.TubeGeometry(new THREE.CatmullRomCurve3(coil), 480, 0.35 * unit, 6);
  } else geometry = new THREE.CylinderGeometry(unit, unit, 1, 16);
  const mesh = new THREE.Mesh(geometry, kind === 'spring' ? materials.elastic : materials.link);
  const direction = new THREE.Vector3();
  return {
    mesh,
    place(a, b) {
      direction.subVectors(b, a);
      const length = direction.length();
      mesh.visible = length > 1e-12;
      if (!mesh.visible) return;
      mesh.position.copy(a).addScaledVector(direction, 0.5);
      mesh.quaternion.setFromUnitVectors(up, direction.divideScalar(length));
      mesh.scale.set(1, length, 1);
    },
  };
}

/** A straight arrow; `point(at, direction, length)`. */
export function arrow(material, unit) {
  const group = new THREE.Group();
  const shaft = new THREE.Mesh(new THREE.CylinderGeometry(0.7 * unit, 0.7 * unit, 1, 12), material);
  const head = new THREE.Mesh(new THREE.ConeGeometry(1.9 * unit, 4 * unit, 20), material);
  group.add(shaft, head);
  const towards = new THREE.Vector3();
  return {
    group,
    point(at, direction, length) {
      const size = Math.abs(length);
      group.visible = size > 1e-3 * unit;
      if (!group.visible) return;
      group.position.copy(at);
      group.quaternion.setFromUnitVectors(up, towards.copy(direction).multiplyScalar(Math.sign(length)).normalize());
      const tip = Math.min(4 * unit, size);
      head.scale.setScalar(tip / (4 * unit));
      head.position.y = size - tip / 2;
      shaft.scale.y = Math.max(size - tip, 1e-9);
      shaft.position.y = (size - tip) / 2;
    },
  };
}

/** A curved arrow about an axis, its angle as large as the torque; `turn(at, axis, share)` with share in [-1, 1]. */
export function curvedArrow(material, unit) {
  const group = new THREE.Group();
  const radius = 6 * unit;
  const most = 1.7 * Math.PI;
  const segments = 96;
  const sides = 8;
  class Arc extends THREE.Curve {
    getPoint(s, to = new THREE.Vector3()) {
      return to.set(Math.sin(most * s), 0, Math.cos(most * s)).multiplyScalar(radius);
    }
  }
  const shaft = new THREE.Mesh(new THREE.TubeGeometry(new Arc(), segments, 0.5 * unit, sides), material);
  const head = new THREE.Mesh(new THREE.ConeGeometry(1.6 * unit, 3.6 * unit, 16), material);
  group.add(shaft, head);
  const towards = new THREE.Vector3();
  const tangent = new THREE.Vector3();
  return {
    group,
    turn(at, axis, share) {
      const size = Math.min(1, Math.abs(share));
      group.visible = size > 1e-3;
      if (!group.visible) return;
      group.position.copy(at);
      group.quaternion.setFromUnitVectors(up, towards.copy(axis).multiplyScalar(Math.sign(share)).normalize());
      shaft.geometry.setDrawRange(0, Math.round(size * segments) * sides * 6);
      const angle = most * size;
      head.position.set(Math.sin(angle), 0, Math.cos(angle)).multiplyScalar(radius);
      head.quaternion.setFromUnitVectors(up, tangent.set(Math.cos(angle), 0, -Math.sin(angle)));
    },
  };
}

/** A bent rod through points; `place(points)` with x y z of all of them. */
export function bentRod(points, material, unit) {
  const group = new THREE.Group();
  const rod = new THREE.CylinderGeometry(0.8 * unit, 0.8 * unit, 1, 10);
  const knob = new THREE.SphereGeometry(0.8 * unit, 10, 8);
  const rods = Array.from({ length: points - 1 }, () => new THREE.Mesh(rod, material));
  const knobs = Array.from({ length: points }, () => new THREE.Mesh(knob, material));
  group.add(...rods, ...knobs);
  const from = new THREE.Vector3();
  const way = new THREE.Vector3();
  return {
    group,
    place(values) {
      knobs.forEach((mesh, i) => mesh.position.fromArray(values, 3 * i));
      rods.forEach((mesh, i) => {
        from.fromArray(values, 3 * i);
        way.fromArray(values, 3 * i + 3).sub(from);
        const length = way.length();
        mesh.visible = length > 1e-12;
        if (!mesh.visible) return;
        mesh.position.copy(from).addScaledVector(way, 0.5);
        mesh.quaternion.setFromUnitVectors(up, way.divideScalar(length));
        mesh.scale.y = length;
      });
    },
  };
}
