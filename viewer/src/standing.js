/** Plots beside an animation, or without one: each has its own abscissa, cursor and range. */
import { PhasePlot } from './phase.js';
import { Player } from './player.js';
import { Plots, placeOf } from './plots.js';

const isPhase = (plot) => plot.series.some((s) => s.x);
export const standsAlone = (plot) => Boolean(plot.x) || isPhase(plot);

export function standingPlots(place, all) {
  return all.map((plot) => {
    if (isPhase(plot)) return new PhasePlot(placeOf(place, plot), plot);
    const player = new Player(plot.x, 1);
    player.x = player.last;
    const plots = new Plots(place, { axis: plot.axis, samples: { x: plot.x }, plots: [plot] }, player);
    player.onChange(() => plots.setX(player.x, true));
    return plots;
  });
}
