/** What the page shows now: a place between the first and the last frame, standing or moving. */

export const speeds = [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10];

export class Player {
  constructor(xs, perSecond) {
    this.xs = xs; // of the frames
    this.first = xs[0];
    this.last = xs[xs.length - 1];
    this.x = this.first;
    this.perSecond = perSecond; // units of x per second at speed 1
    this.speed = speeds.findLast((s) => s <= 1 && (this.last - this.first) / (s * perSecond) >= 2) ?? speeds[0]; // at least 2 s
    this.loop = true;
    this.playing = false;
    this.listeners = [];
  }

  /** Calls `listener` whenever anything changed. */
  onChange(listener) {
    this.listeners.push(listener);
  }
  changed() {
    for (const listener of this.listeners) listener();
  }

  seek(x) {
    this.x = Math.min(this.last, Math.max(this.first, x));
    this.changed();
  }
  toggle(playing = !this.playing) {
    if (playing && this.x >= this.last) this.x = this.first;
    this.playing = playing;
    this.changed();
  }
  /** Some frames on (or back), from the nearest one. */
  step(frames) {
    this.playing = false;
    const pitch = (this.last - this.first) / Math.max(1, this.xs.length - 1);
    const here = Math.round((this.x - this.first) / (pitch || 1));
    const next = Math.min(this.xs.length - 1, Math.max(0, here + frames));
    this.seek(this.xs[next]);
  }
  setSpeed(speed) {
    this.speed = speed;
    this.changed();
  }
  faster(steps) {
    const i = speeds.findIndex((s) => s >= this.speed);
    this.setSpeed(speeds[Math.min(speeds.length - 1, Math.max(0, i + steps))]);
  }

  /** Moves on by the seconds that passed. */
  advance(seconds) {
    if (!this.playing) return;
    this.x += seconds * this.speed * this.perSecond;
    if (this.x < this.last) return;
    if (this.loop && this.last > this.first) this.x = this.first + ((this.x - this.last) % (this.last - this.first));
    else {
      this.x = this.last;
      this.toggle(false);
    }
  }
}
