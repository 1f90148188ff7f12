// Writes the documentation's screenshots into docs/pictures: node pictures.mjs [NAME ..]
// Without names all but those of measured times, which must agree with the tables beside them and are made together with these.
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { drawn, folder, gough, openBrowser, openReport, openView, removeFolder, root, serve, shippedStudy } from './test/pages.mjs';

const scaling = (robot) => {
  gough('compare', `robots/${robot}.yaml`, '--scaling');
  return join(folder, 'results', `scaling_${robot}`);
};
const tutorial = () => {
  cpSync(join(root, 'examples/tutorial'), join(folder, 'examples/tutorial'), { recursive: true });
  gough('run', 'examples/tutorial/study.yaml');
  return join(folder, 'results/plotter');
};

// `of`: the results whose report is shown, or `view`: a robot. With `cards` the page is reduced to those with these titles, with
// `mechanism` also to the mechanism; without either it is shown as it opens. `at`: the time; `without`: curves that are hidden.
const pictures = {
  report: { of: () => shippedStudy('hexapod_circle'), at: 0.6, size: [1200, 700] },
  view: { view: 'robots/hexapod.yaml', size: [1200, 700] },
  tutorial: { of: tutorial, at: 0.7, size: [1200, 675] },
  flexible: { of: () => shippedStudy('flexible_rrr3'), at: 0.7, mechanism: true, cards: [], size: [880, 900] },
  gallery_five_bar: {
    of: () => shippedStudy('elastic_five_bar'),
    cards: ['Force in left_stretch, bang-bang', 'Gap of the loops'],
    without: ['multipliers', 'legs', 'scdd_projected', 'scdd_iterative'],
  },
  gallery_flexible: {
    of: () => shippedStudy('flexible_rrr3'),
    cards: ['Error of the platform in y', 'Driving force of leg1.motor', 'Published numbers beside ours'],
  },
  gallery_palida: {
    of: () => shippedStudy('palida_circle'),
    cards: ['Error of leg3.drive', 'Error over speed'],
    without: ['generated', 'computed_torque_rigid', 'adaptive'],
  },
  gallery_psp3: { of: () => shippedStudy('psp3'), at: 1, mechanism: true, cards: ['Actuator forces', 'Motor torques'] },
  gallery_scaling: {
    of: () => scaling('hexa'),
    timed: true,
    cards: ['Forward dynamics over elastic freedoms per chain', 'Forward dynamics over legs', 'Paper 000, Table 1: complexity of the matrix inversion, printed and by the formulas of 5.2'],
  },
  modes: { of: () => scaling('hexapod_flexible'), timed: true, cards: ['Forward dynamics over elastic freedoms per chain', 'Forward dynamics over legs'] },
};

/** Leaves of a report what a picture shows. */
async function reduce(page, { cards, mechanism, without = [] }) {
  await page.addStyleTag({
    content: `header, #notes, #controls, #bodies, #status, footer { display: none !important }
      body { padding: 8px } main { margin: 0 } #tables { margin-top: 12px } #stage { position: static } ${mechanism ? '' : '#stage { display: none } main { display: block }'}
      ${cards.length ? '' : 'main { display: block }'}
      #plots { grid-template-columns: ${mechanism ? '1fr' : '1fr 1fr'}; align-items: start }`,
  });
  const missing = await page.evaluate((titles) => {
    const all = [...document.querySelectorAll('.card')];
    for (const card of all) if (!titles.includes(card.getAttribute('aria-label'))) card.style.display = 'none';
    return titles.filter((title) => !all.some((card) => card.getAttribute('aria-label') === title));
  }, cards);
  if (missing.length > 0) throw new Error(`no card '${missing.join("', '")}'`);
  for (const name of without)
    for (const button of await page.locator('.card:visible .legend button').all())
      if ((await button.locator('span').nth(1).textContent()).trim() === name) await button.click();
}

async function takeReport(browser, p, result) {
  const [width, height] = p.size ?? [1266, 900];
  const moves = p.mechanism || p.at !== undefined;
  const page = await openReport(browser, result, { viewport: { width, height }, bypassCSP: true, moves });
  if (p.cards) await reduce(page, p);
  if (p.at !== undefined) await page.evaluate((t) => window.gough.player.seek(t), p.at);
  await page.mouse.move(0, 0);
  await settled(page);
  return page;
}

async function takeView(browser, p) {
  const server = await serve(p.view);
  const [width, height] = p.size;
  const page = await openView(browser, server, { viewport: { width, height } });
  await settled(page);
  page.end = () => server.stop();
  return page;
}

/** What is left of a reduced page, with a margin. */
const content = (page) =>
  page.evaluate(() => {
    const boxes = [...document.querySelectorAll('#view, .card')].map((x) => x.getBoundingClientRect()).filter((x) => x.height > 0);
    const end = (side) => Math.max(...boxes.map((x) => x[side])) + 8;
    return { x: 0, y: 0, width: end('right'), height: end('bottom') };
  });

/** Drawn at its new size; and the button last clicked no longer looks so. */
async function settled(page) {
  await page.evaluate(() => document.activeElement?.blur());
  for (let i = 0; i < 5; ++i) await drawn(page);
  await page.waitForTimeout(300);
}

const known = Object.keys(pictures);
const wanted = process.argv.length > 2 ? process.argv.slice(2) : known.filter((name) => !pictures[name].timed);
for (const name of wanted)
  if (!known.includes(name)) {
    console.error(`pictures: read '${name}', expected some of ${known.join(', ')}`);
    process.exit(2);
  }
const browser = await openBrowser();
const results = new Map(); // of a study that several pictures show
try {
  for (const name of wanted) {
    const p = pictures[name];
    const key = String(p.of);
    if (p.of && !results.has(key)) results.set(key, p.of());
    const page = p.view ? await takeView(browser, p) : await takeReport(browser, p, results.get(key));
    const file = join(root, 'docs/pictures', `${name}.png`);
    await page.screenshot({ path: file, ...(p.cards && { clip: await content(page) }) });
    if (page.troubles.length > 0) throw new Error(`${name}: ${page.troubles.join('; ')}`);
    await page.context().close();
    await page.end?.();
    console.log(`docs/pictures/${name}.png`);
  }
} finally {
  await browser.close();
  removeFolder();
}
