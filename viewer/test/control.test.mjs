// A report of control, in a real browser: plots of time beside an animation, phase planes and sweeps for themselves.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { desktop, drawn, openBrowser, openReport, phone, removeFolder, study } from './pages.mjs';

let browser;
let result;
before(async () => {
  browser = await openBrowser();
  result = study(
    'c',
    `robot: ../robots/five_bar.yaml
motion: {motion: there, line: {to: {x: 0.05, y: 0.42}, duration: 0.2 s}}
compute: control
control: {runs: [{name: joints}, {name: force, law: computed_force}], sweep: {sampling: [0.5 ms, 1 ms]}}
`,
  );
});
after(async () => {
  await browser.close();
  removeFolder();
});

it('has plots that follow the animation, and others for themselves', async () => {
  const page = await openReport(browser, result, desktop);
  const ids = await page.locator('#plots .plot').evaluateAll((all) => all.map((p) => p.dataset.plot));
  assert.deepEqual(ids, ['error_1', 'error_2', 'platform', 'force_1', 'force_2', 'phase_1', 'phase_2', 'sweep_1']);
  assert.equal(await page.evaluate(() => window.gough.plots.all.length), 5);
  assert.deepEqual(page.troubles, []);
  await page.context().close();
});

it('draws phase planes, and hides curves of them', async () => {
  const page = await openReport(browser, result, desktop);
  const ink = () =>
    page.locator('[data-plot=phase_1] canvas').evaluate((canvas) => {
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      let coloured = 0;
      for (let i = 0; i < data.length; i += 4) if (data[i + 3] > 0 && Math.max(data[i], data[i + 1], data[i + 2]) - Math.min(data[i], data[i + 1], data[i + 2]) > 60) ++coloured;
      return coloured;
    });
  await drawn(page);
  const both = await ink();
  assert.ok(both > 200, `${both} coloured pixels`);
  const buttons = page.locator('[data-plot=phase_1] .legend button');
  assert.deepEqual(await buttons.allTextContents(), ['joints', 'force']);
  for (let i = 0; i < 2; ++i) await buttons.nth(i).click();
  await drawn(page);
  assert.ok((await ink()) < 50, 'curves are gone');
  await buttons.nth(0).click();
  await drawn(page);
  assert.ok((await ink()) > 100);
  assert.deepEqual(page.troubles, []);
  await page.context().close();
});

it('fits a phone', async () => {
  const page = await openReport(browser, result, phone);
  const [wide, window] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  assert.ok(wide <= window, `${wide} pixels in a window of ${window}`);
  assert.deepEqual(page.troubles, []);
  await page.context().close();
});
