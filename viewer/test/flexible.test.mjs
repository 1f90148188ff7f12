// A report of beams, in a real browser: the deformed mechanism over the rigid one.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { desktop, drawn, openBrowser, openReport, removeFolder, study } from './pages.mjs';

let browser;
let result;
before(async () => {
  browser = await openBrowser();
  result = study(
    'f',
    `robot: ../robots/rrr3_flexible.yaml
motion: ../motions/rrr3_circle.yaml
compute: flex
step: 10 ms
flex: {step: 2 ms, runs: [{name: plain}, {name: heavy, gravity: [0, -9.81, 0]}]}
published: {source: a paper, numbers: [{what: error, value: 6 mm, column: ex, take: peak}]}
`,
  );
});
after(async () => {
  await browser.close();
  removeFolder();
});

it('shows errors, forces, stress and frequencies of all runs', async () => {
  const page = await openReport(browser, result, desktop);
  const ids = await page.locator('#plots .plot').evaluateAll((all) => all.map((p) => p.dataset.plot));
  for (const id of ['ex', 'ey', 'erz', 'tau_1', 'stress', 'f1', 'f3']) assert.ok(ids.includes(id), id);
  const names = await page.evaluate(() => window.gough.data.plots.find((p) => p.id === 'tau_1').series.map((s) => s.name));
  assert.deepEqual(names, ['plain', 'heavy', 'rigid, plain', 'rigid, heavy']);
  assert.match(await page.locator('body').innerText(), /Published numbers beside ours/);
  assert.deepEqual(page.troubles, []);
  await page.context().close();
});

it('draws the deformed mechanism, moves it and hides it', async () => {
  const page = await openReport(browser, result, desktop);
  const curves = await page.evaluate(() => window.gough.data.deformed.curves.map((c) => [c.name, c.points]));
  assert.deepEqual(curves.map(([name]) => name).sort(), ['leg1.distal', 'leg1.proximal', 'leg2.distal', 'leg2.proximal', 'leg3.distal', 'leg3.proximal', 'platform']);
  const tip = () => page.evaluate(() => window.gough.scene.curves[0].drawn.group.children.at(-1).position.toArray());
  const first = await tip();
  await page.evaluate(() => window.gough.player.seek(1));
  await drawn(page);
  const later = await tip();
  assert.ok(Math.hypot(...first.map((x, i) => x - later[i])) > 0.01, 'it moves');
  const box = page.locator('#toggles label', { hasText: 'Deformed' }).locator('input');
  const green = () =>
    page.evaluate(() => {
      const { scene } = window.gough;
      scene.dirty = true;
      scene.render();
      const shot = document.createElement('canvas');
      shot.width = scene.canvas.width;
      shot.height = scene.canvas.height;
      const context = shot.getContext('2d');
      context.drawImage(scene.canvas, 0, 0);
      const { data } = context.getImageData(0, 0, shot.width, shot.height);
      let count = 0;
      for (let i = 0; i < data.length; i += 4) if (data[i + 1] > data[i] + 30 && data[i + 1] > data[i + 2] + 15 && data[i + 3] > 0) ++count;
      return count;
    });
  const shown = await green();
  assert.ok(shown > 300, `${shown} green pixels`);
  await box.uncheck();
  assert.ok((await green()) < 0.2 * shown, 'hidden');
  assert.deepEqual(page.troubles, []);
  await page.context().close();
});
