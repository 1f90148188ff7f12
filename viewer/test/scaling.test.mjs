// A report without an animation, in a real browser: curves over an abscissa of their own.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { desktop, drawn, folder, gough, openBrowser, openReport, phone, removeFolder, table } from './pages.mjs';

let browser;
let result;
before(async () => {
  browser = await openBrowser();
  gough('compare', 'robots/triglide.yaml', '--scaling');
  result = join(folder, 'results/scaling_triglide');
});
after(async () => {
  await browser.close();
  removeFolder();
});

it('shows curves on logarithmic scales, and no stage', async () => {
  const page = await openReport(browser, result, { ...desktop, moves: false });
  assert.equal(await page.title(), 'triglide: cost as it grows – gough report');
  assert.ok(await page.locator('#stage').isHidden());
  assert.equal(await page.locator('#plots .plot').count(), 4);
  const scales = await page.evaluate(() => window.gough.plots.map((p) => p.all[0].chart_.scales).map(({ x, y }) => [x.distr, y.distr]));
  assert.deepEqual(scales, [[3, 3], [3, 3], [3, 3], [3, 3]]);
  assert.deepEqual(page.troubles, []);
  await page.context().close();
});

it('says the numbers of its table at the cursor, where a click puts it', async () => {
  const page = await openReport(browser, result, { ...desktop, moves: false });
  const csv = table(readFileSync(join(result, 'scaling.csv'), 'utf8'));
  const plot = page.locator('[data-plot=forward_elastic]');
  const shown = async () => Number(await plot.locator('.legend button', { hasText: /^legs/ }).locator('.value').textContent());
  const near = (value, expected) => assert.ok(Math.abs(value - expected) < 1e-3 * expected, `${value} is not near ${expected}`);
  near(await shown(), csv['forward_us.legs'][5]); // 32 to begin with
  assert.ok(await plot.locator('.cursor').isVisible());
  const box = await plot.locator('.u-over').boundingBox();
  await page.mouse.click(box.x + (2 / 5) * box.width, box.y + 30);
  await drawn(page);
  near(await shown(), csv['forward_us.legs'][2]); // 4 is two of five octaves from 1
  await page.context().close();
});

it('marks the erratum', async () => {
  const page = await openReport(browser, result, { ...desktop, moves: false });
  const cells = await page.locator('[data-table=table1] tbody tr').nth(2).locator('th, td').allTextContents();
  assert.deepEqual(cells, ['Triglide\u00a0*', '3', '2', '1', '162', '729', '78 %', '192', '216', '11 %']);
  assert.match(await page.locator('[data-table=table1] .quiet').textContent(), /^\* erratum/);
  await page.context().close();
});

it('fits a phone', async () => {
  const page = await openReport(browser, result, { ...phone, moves: false });
  const [wide, window] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  assert.ok(wide <= window, `${wide} pixels in a window of ${window}`);
  assert.deepEqual(page.troubles, []);
  await page.context().close();
});
