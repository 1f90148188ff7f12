// The report in a real browser.
import assert from 'node:assert/strict';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { desktop, drawn, gough, openBrowser, openReport, phone, picture, reach, removeFolder, shippedStudy, study, table } from './pages.mjs';

let browser;
let hexapod;
before(async () => {
  browser = await openBrowser();
  hexapod = shippedStudy('hexapod_circle');
});
after(async () => {
  await browser.close();
  removeFolder();
});

const near = (value, expected, tolerance, what = '') =>
  assert.ok(Math.abs(value - expected) <= tolerance, `${what} ${value} is not near ${expected}`);

describe('a report', () => {
  let page;
  before(async () => (page = await openReport(browser, hexapod)));
  after(() => page.context().close());
  const seek = async (x) => {
    await page.evaluate((to) => window.gough.player.seek(to), x);
    await drawn(page);
  };
  const now = () => page.evaluate(() => window.gough.player.x);
  /** Where the cursors of all plots stand, as shares of the range. */
  const cursors = () =>
    page.evaluate(() => [...document.querySelectorAll('.chart .u-over')].map((over) => {
      const line = over.querySelector('.cursor').getBoundingClientRect();
      const box = over.getBoundingClientRect();
      return (line.left + line.width / 2 - box.left) / box.width;
    }));
  const platform = () =>
    page.evaluate(() => {
      const { scene, data } = window.gough;
      return scene.groups[data.mechanism.platform.body].position.toArray();
    });

  it('opens without errors and without a network', async () => {
    await page.waitForTimeout(300);
    assert.deepEqual(page.troubles, []);
    assert.equal(await page.title(), 'hexapod_circle – gough report');
  });

  it('draws the mechanism', async () => {
    const { colours } = await picture(page);
    assert.ok(colours > 50, `${colours} colours`);
    const joints = await page.evaluate(() => window.gough.data.mechanism.bodies.flatMap((b) => b.shapes).filter((s) => s.kind === 'joint'));
    assert.equal(joints.length, 24);
    assert.equal(joints.filter((j) => j.actuated).length, 6);
  });

  it('moves mechanism and cursors together', async () => {
    await seek(0);
    const csv = table(readFileSync(join(hexapod, 'inverse.csv'), 'utf8'));
    const start = await picture(page);
    for (const row of [0, 500, 1234, 2000]) {
      await seek(csv.t[row]);
      const place = await platform();
      ['x', 'y', 'z'].forEach((axis, i) => near(place[i], csv[axis][row], 1e-5, axis));
      for (const share of await cursors()) near(share, csv.t[row] / 2, 0.004, 'cursor');
    }
    await seek(0.7);
    assert.notEqual((await picture(page)).pixels, start.pixels);
  });

  it('is scrubbed by the slider', async () => {
    await page.locator('#scrub').fill('1.5');
    await drawn(page);
    assert.equal(await now(), 1.5);
    assert.equal(await page.locator('#now').textContent(), '1.500 s');
    for (const share of await cursors()) near(share, 0.75, 0.004, 'cursor');
  });

  it('plots the numbers of the tables', async () => {
    const shown = await page.evaluate(() => {
      const forces = window.gough.data.plots.find((p) => p.id === 'forces');
      return { x: [...window.gough.data.samples.x], series: forces.series.map((s) => ({ name: s.name, by: s.by, values: [...s.values] })) };
    });
    assert.equal(shown.series.length, 36);
    for (const { name, by, values } of shown.series) {
      const csv = table(readFileSync(join(hexapod, `inverse_${by}.csv`), 'utf8'));
      assert.deepEqual(shown.x, csv.t);
      values.forEach((value, i) => near(value, csv[`tau.${name}`][i], by === 'multipliers' ? 0 : 5e-6, name));
    }
  });

  it('says the numbers at the cursor', async () => {
    await seek(0.25);
    const csv = table(readFileSync(join(hexapod, 'inverse_multipliers.csv'), 'utf8'));
    const text = await page.locator('[data-plot=forces] .legend button').first().locator('.value').textContent();
    near(Number(text), csv['tau.leg1.drive'][250], 5e-3, 'legend');
  });

  it('downloads the numbers of a plot', async () => {
    const [download] = await Promise.all([page.waitForEvent('download'), page.locator('[data-plot=energies] button', { hasText: 'CSV' }).click()]);
    assert.equal(download.suggestedFilename(), 'energies.csv');
    const csv = table(readFileSync(await download.path(), 'utf8'));
    const plotted = await page.evaluate(() => [...window.gough.data.plots.find((p) => p.id === 'energies').series[0].values]);
    assert.deepEqual(csv['kinetic [J]'], plotted);
    const work = csv['work done on the robot [J]'];
    const change = csv['change of their sum [J]'];
    const largest = Math.max(...change.map(Math.abs));
    work.forEach((value, i) => near(value, change[i], 1e-4 * largest, 'energy balance'));
  });

  it('shows forces of one actuator by all formulations', async () => {
    await page.locator('[data-plot=forces] select').selectOption({ label: 'leg2.drive by all' });
    const names = await page.locator('[data-plot=forces] .legend button span:nth-child(2)').allTextContents();
    assert.deepEqual(names, ['multipliers', 'dalembert', 'scdd', 'noc', 'virtual_power', 'legs']);
    await page.locator('[data-plot=forces] select').selectOption({ label: 'by legs' });
  });

  it('hides and shows curves by the legend', async () => {
    const button = page.locator('[data-plot=energies] .legend button').first();
    const visible = () => page.evaluate(() => window.gough.plots.all.find((p) => p.plot.id === 'energies').chart_.series[1].show);
    await button.click();
    assert.equal(await button.getAttribute('aria-pressed'), 'false');
    assert.equal(await visible(), false);
    await button.focus();
    await page.keyboard.press('Enter');
    assert.equal(await visible(), true);
  });

  it('zooms all plots by dragging in one, and sets the time by a click', async () => {
    const over = page.locator('[data-plot=energies] .u-over');
    await over.scrollIntoViewIfNeeded();
    const box = await over.boundingBox();
    const range = () => page.evaluate(() => window.gough.plots.all.map((p) => [p.chart_.scales.x.min, p.chart_.scales.x.max]));
    await page.mouse.move(box.x + 0.25 * box.width, box.y + 40);
    await page.mouse.down();
    await page.mouse.move(box.x + 0.5 * box.width, box.y + 50, { steps: 5 });
    await page.mouse.up();
    await drawn(page);
    for (const [low, high] of await range()) near(low, 0.5, 0.02), near(high, 1, 0.02);
    await page.mouse.click(box.x + 0.5 * box.width, box.y + 40);
    near(await now(), 0.75, 0.02, 'time');
    await page.mouse.dblclick(box.x + 0.5 * box.width, box.y + 40);
    await drawn(page);
    for (const [low, high] of await range()) near(low, 0, 1e-12), near(high, 2, 1e-12);
  });

  it('obeys keys', async () => {
    await page.locator('#canvas').focus();
    await page.keyboard.press('Home');
    assert.equal(await now(), 0);
    await page.keyboard.press('ArrowRight');
    near(await now(), 0.001, 0.0011, 'one frame');
    await page.keyboard.press('End');
    assert.equal(await now(), 2);
    await page.keyboard.press('+');
    await drawn(page);
    assert.equal(await page.locator('#speed').inputValue(), '2');
    await page.keyboard.press('-');
    await page.keyboard.press('Home');
    await page.keyboard.press('Space');
    await page.waitForFunction(() => window.gough.player.x > 0.02);
    await page.keyboard.press('Space');
    await drawn(page);
    assert.ok((await now()) > 0.02);
    assert.equal(await page.locator('#play').getAttribute('aria-label'), 'Play');
    await page.keyboard.press('?');
    assert.ok(await page.locator('#keys').evaluate((dialog) => dialog.open));
    await page.keyboard.press('Escape');
  });

  it('is turned and zoomed by the mouse', async () => {
    await page.evaluate(() => scrollTo(0, 0));
    const box = await page.locator('#canvas').boundingBox();
    const eye = () => page.evaluate(() => window.gough.scene.camera.position.toArray());
    const home = await eye();
    await page.mouse.move(box.x + 200, box.y + 200);
    await page.mouse.down();
    await page.mouse.move(box.x + 300, box.y + 230, { steps: 4 });
    await page.mouse.up();
    const turned = await eye();
    assert.notDeepEqual(turned, home);
    await page.mouse.wheel(0, -300);
    await drawn(page);
    assert.ok(Math.hypot(...(await eye())) < Math.hypot(...turned));
    await page.locator('#reset').click();
    (await eye()).forEach((x, i) => near(x, home[i], 1e-9));
  });

  it('hides what is switched off', async () => {
    await seek(0.5);
    const all = await picture(page);
    await page.locator('#toggles label', { hasText: 'Forces' }).click();
    await drawn(page);
    assert.notEqual((await picture(page)).pixels, all.pixels);
    await page.locator('#toggles label', { hasText: 'Forces' }).click();
  });

  it('is light or dark', async () => {
    const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await paper();
    await page.locator('#theme').click();
    assert.notEqual(await paper(), light);
    await page.locator('#theme').click();
    assert.equal(await paper(), light);
  });

  it('has its tables', async () => {
    assert.deepEqual(await page.locator('#tables h3').allTextContents(), ['Actuator sizing', 'Mobility']);
    assert.equal(await page.locator('[data-table=sizing_forces] tbody tr').count(), 6);
  });

  it('has motion first, then forces, and numerical noise after everything else', async () => {
    assert.deepEqual(await page.locator('#plots > .part > h2').allTextContents(), ['Motion', 'Forces and powers', 'Singularities']);
    const cards = await page.locator('.card h3').allTextContents();
    const place = (title) => {
      const i = cards.findIndex((text) => text.startsWith(title));
      assert.ok(i >= 0, title);
      return i;
    };
    const order = ['Platform position', 'Actuator positions', 'Actuator forces', 'Powers', 'Distance to singularities', 'Actuator sizing', 'Mobility'].map(place);
    assert.deepEqual(order, [...order].sort((a, b) => a - b));
    const checks = ['Agreement of formulations', 'Disagreement of formulations', 'Loop residual'];
    assert.deepEqual(checks.map(place).sort((a, b) => a - b), [cards.length - 3, cards.length - 2, cards.length - 1]);
    assert.match(await page.locator('#checks').innerText(), /^Checks of the computation\s+How large the numerical error is/);
    await page.locator('#parts a', { hasText: 'Checks' }).click();
    const box = await page.locator('#checks').boundingBox();
    assert.ok(box.y < 900, 'the link leads there');
  });

  it('keeps the mechanism in sight', async () => {
    for (const x of [0, 0.3, 1, 1.7, 2]) {
      await seek(x);
      assert.ok((await reach(page)) < 1, `at ${x} s`);
    }
  });

  it('prints on paper', async () => {
    const pdf = await page.pdf({ format: 'A4', printBackground: true });
    assert.ok(pdf.length > 50_000);
    assert.deepEqual(page.troubles, []);
  });

  it('can be made again from the result', { skip: process.env.GOUGH_PAGE && 'the page is not the tool’s' }, () => {
    const html = readFileSync(join(hexapod, 'report.html'), 'utf8');
    gough('report', join(hexapod, 'result.json'), '-o', 'again.html');
    assert.equal(readFileSync(join(hexapod, '../../again.html'), 'utf8'), html);
  });
});

for (const [name, options] of [['phone', phone], ['desktop', desktop], ['narrow phone', { ...phone, viewport: { width: 360, height: 740 } }]]) {
  it(`fits a ${name}`, async () => {
    const page = await openReport(browser, hexapod, options);
    const sizes = await page.evaluate(() => ({
      page: document.documentElement.scrollWidth,
      window: innerWidth,
      stage: document.getElementById('stage').getBoundingClientRect().toJSON(),
      plots: document.getElementById('plots').getBoundingClientRect().toJSON(),
      play: document.getElementById('play').getBoundingClientRect().toJSON(),
    }));
    assert.ok(sizes.page <= sizes.window, `${sizes.page} pixels in a window of ${sizes.window}`);
    if (options.isMobile) assert.ok(sizes.plots.top >= sizes.stage.bottom, 'plots below the animation');
    else assert.ok(sizes.plots.left >= sizes.stage.right, 'plots beside the animation');
    assert.ok(sizes.play.width >= 40 && sizes.play.height >= 36, 'a finger hits the button');
    assert.ok((await picture(page)).colours > 50);
    assert.deepEqual(page.troubles, []);
    await page.context().close();
  });
}

it('shows the whole motion as it opens, and again when the window changes or by its button', async () => {
  const motion = 'motion: {motion: turns, moves: actuators, line: {to: {crank: 700 deg}, duration: 1 s}}\n'; // where a frame in 60 degrees would miss the most
  const result = study('turns', `robot: ../robots/four_bar.yaml\n${motion}step: 2 ms\nby: [multipliers]\n`);
  const page = await openReport(browser, result, { viewport: { width: 1440, height: 900 } });
  const most = async () => {
    let reached = 0;
    for (let x = 0; x <= 1; x += 0.02) {
      await page.evaluate((to) => (window.gough.player.seek(to), window.gough.scene.setX(to)), x);
      reached = Math.max(reached, await reach(page));
    }
    return reached;
  };
  const opened = await most();
  assert.ok(opened < 1 && opened > 0.6, `reaches ${opened}`);
  await page.setViewportSize({ width: 380, height: 800 });
  await page.waitForTimeout(300);
  const narrow = await most();
  assert.ok(narrow < 1 && narrow > 0.6, `reaches ${narrow} in a narrow window`);
  await page.locator('#canvas').hover();
  await page.mouse.wheel(0, -2000);
  await page.waitForTimeout(300);
  assert.ok((await most()) > 1, 'zoomed in');
  const side = () => page.evaluate(() => window.gough.scene.camera.position.clone().sub(window.gough.scene.controls.target).normalize().toArray());
  const before = await side();
  await page.locator('#fit').click();
  assert.ok((await most()) < 1, 'by the button');
  (await side()).forEach((x, i) => near(x, before[i], 1e-6, 'from the same side'));
  await page.mouse.wheel(0, -2000);
  await page.locator('#canvas').focus();
  await page.keyboard.press('f');
  assert.ok((await most()) < 1, 'by the key');
  assert.deepEqual(page.troubles, []);
  await page.context().close();
});

// ------------------------------------------------------------------------------------------------ any numbers

const packed = (values) => ({ type: 'f64', n: values.length, base64: Buffer.from(new Float64Array(values).buffer).toString('base64') });
/** A short run of a five-bar with other plots in its report. */
function reportWith(name, plots) {
  const result = study(name, 'robot: ../robots/five_bar.yaml\nmotion: ../motions/five_bar_line.yaml\nby: [legs]\n');
  const file = join(result, 'report.html');
  const html = readFileSync(file, 'utf8');
  const [, text] = html.match(/<script type="application\/json" id="data">([^]*?)<\/script>/);
  const data = JSON.parse(text);
  data.plots = plots(data);
  writeFileSync(file, html.replace(text, () => JSON.stringify(data)));
  return result;
}

it('draws plots of any numbers', async () => {
  const one = (id, values, more = {}) => ({ id, title: id, unit: '', note: '', at: 'samples', log: false, series: [{ name: 'a', values: packed(values) }], ...more });
  const result = reportWith('numbers', (data) => {
    const n = data.samples.x.n;
    const all = (value) => Array.from({ length: n }, (_, i) => value(i / (n - 1)));
    const wild = all((s) => (s < 0.2 ? NaN : s < 0.4 ? Infinity : s < 0.6 ? -1e308 : s < 0.8 ? 1e308 : 1e-308));
    const alone = { at: undefined, x: packed([2]), axis: 'alone' };
    const curve = (x, values) => ({ at: undefined, axis: 'error', series: [{ name: 'a', x: packed(x), values: packed(values) }] });
    return [
      one('residuals', all((s) => 10 ** (-32 + 17 * s)), { log: true }),
      one('zeros and residuals', all((s) => (s < 0.5 ? 0 : 10 ** (-32 + 17 * s))), { log: true }),
      one('only zeros', all(() => 0), { log: true }),
      one('zeros', all(() => 0)),
      one('none', all(() => NaN), { log: true }),
      one('wild', wild),
      one('wild log', wild, { log: true }),
      one('tiny', all((s) => 1e-308 * s)),
      one('small', all((s) => 1e-40 * s)),
      one('large', all((s) => 1e15 + s)),
      one('huge', all((s) => 1e308 * s)),
      one('equal', all(() => 9.81)),
      one('nearly equal', all((s) => 9.81 * (1 + (s > 0.5 ? 2e-16 : 0)))),
      one('all decades', all((s) => 10 ** (-308 + 616 * s)), { log: true }),
      one('one point', [3], alone),
      one('one residual', [1e-40], { ...alone, log: true, log_x: true }),
      one('a zero among sizes', [1, 2, 3], { at: undefined, x: packed([0, 1, 2]), axis: 'mass', log_x: true }),
      one('many sizes', all((s) => s), { at: undefined, x: packed(all((s) => 1 + 1e6 * s)), axis: 'size', log_x: true }),
      one('plane', [], curve([1e-320, 2e308, NaN, 1e308], [0, 1, 2, -1e308])),
      one('point of a plane', [], curve([1e-40], [1e40])),
    ];
  });
  const begun = performance.now();
  const page = await openReport(browser, result);
  const seconds = (performance.now() - begun) / 1000;
  assert.ok(seconds < 20, `${seconds} s`);
  assert.equal(await page.locator('.chart canvas').count(), 20);
  assert.deepEqual(page.troubles, []);
  const said = (id) => page.locator(`[data-plot="${id}"] .below`).textContent();
  assert.equal(await said('residuals'), 'Values below 1e-31 are drawn at the bottom.');
  assert.equal(await said('zeros and residuals'), 'Zeros are drawn at 2e-24.'); // the least of the others is 10^-23.5
  assert.match(await said('all decades'), /^Values below 1e292 are drawn at the bottom\.$/);
  const range = (id) => page.evaluate((of) => window.gough.plots.all.find((p) => p.plot.id === of).chart_.scales.y, id);
  assert.deepEqual([(await range('residuals')).min, (await range('residuals')).max], [1e-31, 1e-15]);
  const ticks = await page.evaluate(() => [...window.gough.plots.all, ...window.gough.standing.map((p) => p.all?.[0] ?? p)].map((p) => p.chart_.axes.map((a) => a._splits?.length ?? 0)));
  for (const [x, y] of ticks) assert.ok(x <= 30 && y <= 10, `${x}, ${y} ticks`);
  for (let i = 0; i < 3; ++i) await page.keyboard.press('z');
  await drawn(page);
  await page.locator('#theme').click();
  await page.setViewportSize({ width: 400, height: 800 });
  await drawn(page);
  assert.deepEqual(page.troubles, []);
  await page.context().close();
});

// ------------------------------------------------------------------------------------------------ simulations

const simulated = (runs) => `robot: ../robots/elastic_five_bar.yaml
motion: {motion: there, line: {from: {x: -0.08, y: 0.36}, to: {x: 0.08, y: 0.42}, duration: 0.04 s}}
step: 1 ms
compute: simulate
simulate:
  runs:
${runs.map((run) => `    - {${run}}\n`).join('')}`;
const breaks = 'name: breaks, by: scdd_iterative, feed_back: true, method: semi_implicit, fixed_step: 20 us'; // its matrix has an eigenvalue above 2

for (const [what, width, height] of [['a wide', 1440, 900], ['a middling', 1000, 800], ['a narrow', 380, 800]])
  it(`shows the good runs of a simulation whose first run failed, in ${what} window`, async () => {
    const result = study('first_fails', simulated([breaks, 'name: good, by: dalembert', 'name: other, by: multipliers, loops: projected']));
    const page = await openReport(browser, result, { viewport: { width, height } });
    assert.equal(await page.evaluate(() => window.gough.player.last), 0.04);
    const csv = table(readFileSync(join(result, 'good.csv'), 'utf8'));
    const x = await page.evaluate(() => window.gough.data.plots.find((p) => p.id === 'platform_x').series.map((s) => ({ name: s.name, values: [...s.values] })));
    assert.deepEqual(x.map((s) => s.name), ['breaks', 'good', 'other']);
    assert.deepEqual(x[1].values, csv.x);
    assert.ok(x[0].values.slice(1).every(Number.isNaN) && x[2].values.every(Number.isFinite));
    assert.match(await page.locator('#facts').textContent(), /animation\s*good, the first of those that came farthest/);
    assert.match(await page.locator('.note.warning').textContent(), /^breaks ended at t = .* s: not_converged: .*eigenvalue/);
    const cell = page.locator('[data-table=runs] tbody tr').first().locator('td').first();
    assert.match(await cell.textContent(), /^not_converged at t = /);
    const [inner, outer] = [await cell.boundingBox(), await page.locator('[data-table=runs] .scroll').boundingBox()];
    assert.ok(inner.x >= outer.x && inner.x + inner.width <= outer.x + outer.width, 'the outcome is not clipped');
    if (width >= 1000) assert.ok(await page.locator('[data-table=runs] .scroll').evaluate((box) => box.scrollWidth <= box.clientWidth), 'nor is any other column');
    const cards = await page.locator('.card h3').allTextContents();
    assert.ok(cards.indexOf('Platform x [m]') < cards.indexOf('Kinetic and potential energy [J]'));
    assert.deepEqual(await page.locator('#checks h3').allTextContents(), ['Gap of the loops [m or rad]']);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    assert.deepEqual(page.troubles, []);
    await page.context().close();
  });

it('shows the good runs where the motion of the first one cannot be followed', async () => {
  const far = 'name: far, motion: {motion: far, line: {from: {x: -0.08, y: 0.36}, to: {x: 0.08, y: 2}, duration: 0.04 s}}';
  const longer = 'name: longer, motion: {motion: longer, line: {from: {x: -0.08, y: 0.36}, to: {x: 0, y: 0.4}, duration: 0.06 s}}';
  const page = await openReport(browser, study('far_away', simulated([far, 'name: good', longer])));
  assert.match(await page.locator('.note.warning').textContent(), /^far ended at t = 0 s: unreachable: its motion cannot be followed: t = 0\.0/);
  const shown = await page.evaluate(() => window.gough.data.plots.filter((p) => p.id.startsWith('platform_x')).map((p) => ({ x: p.x ? p.x[p.x.length - 1] : null, names: p.series.map((s) => s.name) })));
  assert.deepEqual(shown, [{ x: 0.04, names: ['good'] }, { x: null, names: ['longer'] }]); // times of their own, and those of the animation
  assert.deepEqual(page.troubles, []);
  await page.context().close();
});

it('shows hostile names and runs none of them', async () => {
  const nasty = `<script>document.title="run"</script>`;
  const robot = readFileSync(join(hexapod, '../../robots/five_bar.yaml'), 'utf8').replaceAll(/\bleft_distal\b/g, `'${nasty}'`);
  assert.ok(robot.includes(nasty));
  writeFileSync(join(hexapod, '../../robots/hostile.yaml'), robot);
  const result = study('hostile', `description: '</script><img src=x onerror=alert(1)> & <!--'\nrobot: ../robots/hostile.yaml\nmotion: ../motions/five_bar_line.yaml\n`);
  const page = await openReport(browser, result);
  await page.locator('#bodies summary').click();
  const names = await page.locator('#bodies li').allTextContents();
  assert.ok(names.some((text) => text.trim() === nasty), names.join());
  assert.equal(await page.locator('#description').textContent(), '</script><img src=x onerror=alert(1)> & <!--');
  assert.equal(await page.title(), 'hostile – gough report');
  assert.equal(await page.locator('img').count(), 0);
  assert.deepEqual(page.troubles, []);
  await page.context().close();
});

it('says why a run ended early, and shows what was done', async () => {
  const motion = 'motion: {motion: out, line: {from: {x: 0, y: 0.4}, to: {x: 0, y: 0.9}, duration: 1 s}}\n';
  const page = await openReport(browser, study('early', `robot: ../robots/five_bar.yaml\n${motion}step: 10 ms\n`));
  assert.match(await page.locator('.note.warning').first().textContent(), /^Ended at t = .*unreachable/);
  assert.ok((await page.evaluate(() => window.gough.player.last)) < 1);
  await page.context().close();
});

it('says why nothing could be done', async () => {
  const motion = 'motion: {motion: out, line: {from: {x: 0, y: 0.9}, to: {x: 0, y: 0.8}, duration: 1 s}}\n';
  const result = study('never', `robot: ../robots/five_bar.yaml\n${motion}step: 10 ms\n`);
  const page = await openReport(browser, result, { ...desktop, moves: false });
  assert.match(await page.locator('.note.warning').first().textContent(), /^Ended at t = 0: unreachable/);
  assert.ok(await page.locator('main').isHidden());
  assert.deepEqual(page.troubles, []);
  await page.context().close();
});

it('counts states of a table without times', async () => {
  writeFileSync(join(hexapod, '../../motions/rows.csv'), 'x,y,vx,vy,ax,ay\n0,0.4,0,0,0,0\n0.02,0.4,0.1,0,1,0\n0.04,0.41,0,0.1,0,1\n');
  const page = await openReport(browser, study('rows', 'robot: ../robots/five_bar.yaml\nmotion: ../motions/rows.csv\n'));
  assert.equal(await page.evaluate(() => window.gough.player.last), 2);
  await page.keyboard.press('ArrowRight');
  await drawn(page);
  assert.equal(await page.locator('#now').textContent(), '1');
  await page.context().close();
});

it('says that its data cannot be read', async () => {
  const broken = readFileSync(join(hexapod, 'report.html'), 'utf8').replace('"format":"gough-report"', '"format":"other"');
  writeFileSync(join(hexapod, 'report.html'), broken);
  const page = await openReport(browser, hexapod, { ...desktop, moves: false });
  assert.match(await page.locator('#failure').textContent(), /^This report cannot be shown: the data in this page/);
  await page.context().close();
});

it('stays below 15 MB for 10 s at 1 ms', () => {
  const motion = 'motion:\n  motion: long\n  circle: {centre: [0, 0, -0.60], radius: 50 mm, turns: 5, duration: 10 s}\n';
  const result = study('long', `robot: ../robots/hexapod.yaml\n${motion}step: 1 ms\n`);
  const bytes = statSync(join(result, 'report.html')).size;
  console.log(`# 10001 states of the hexapod: ${(bytes / 1e6).toFixed(1)} MB`);
  assert.ok(bytes < 15e6, `${bytes} bytes`);
});

it('takes less than 10 ms of script per frame with 100 000 samples', async () => {
  const motion = 'motion:\n  motion: many\n  line: {to: {x: 0.05, y: 0.42}, duration: 10 s}\n';
  const result = study('many', `robot: ../robots/five_bar.yaml\n${motion}step: 0.1 ms\nby: [legs, noc]\n`);
  const page = await openReport(browser, result);
  assert.ok((await page.evaluate(() => window.gough.data.samples.x.length)) >= 100_000);
  await page.locator('#play').click();
  await page.waitForFunction(() => window.gough.frameTime.count > 150, undefined, { timeout: 120_000 });
  const { mean, worst } = await page.evaluate(() => ({ mean: window.gough.frameTime.mean, worst: window.gough.frameTime.worst }));
  console.log(`# script time per frame: mean ${mean.toFixed(2)} ms, worst of 100 ${worst.toFixed(2)} ms`);
  assert.ok(mean < 10, `${mean} ms`);
  assert.deepEqual(page.troubles, []);
  await page.context().close();
});
