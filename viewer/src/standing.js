/** Plots of a report without an animation: each has its own abscissa, cursor and range. */
import { Player } from './player.js';
import { Plots } from './plots.js';

export function standingPlots(place, data) {
  return data.plots.map((plot) => {
    const player = new Player(plot.x, 1);
    player.x = player.last;
    const plots = new Plots(place, { axis: plot.axis, samples: { x: plot.x }, plots: [plot] }, player);
    player.onChange(() => plots.setX(player.x, true));
    return plots;
  });
}
