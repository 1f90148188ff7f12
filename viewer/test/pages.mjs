// Studies and views that the tests run, and a real browser that opens their pages.
//   GOUGH_TOOL  the tool, default build/gough       CHROMIUM  the browser, default /usr/bin/chromium
//   GOUGH_PAGE  a page made by `npm run build`, opened in place of the tool's: changes of the page are tried without a compiler
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { chromium } from 'playwright-core';

export const root = resolve(import.meta.dirname ?? new URL('.', import.meta.url).pathname, '../..');
const tool = process.env.GOUGH_TOOL ?? join(root, 'build/gough');
const otherPage = process.env.GOUGH_PAGE && readFileSync(process.env.GOUGH_PAGE, 'utf8');
export const folder = mkdtempSync(join(tmpdir(), 'gough-report-'));
export const removeFolder = () => rmSync(folder, { recursive: true, force: true });

mkdirSync(join(folder, 'studies'));
cpSync(join(root, 'robots'), join(folder, 'robots'), { recursive: true });
cpSync(join(root, 'motions'), join(folder, 'motions'), { recursive: true });

export function gough(...words) {
  return execFileSync(tool, words, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

/** Runs a study, which may end early (exit code 3); returns the folder of its results. */
export function study(name, text) {
  writeFileSync(join(folder, 'studies', `${name}.yaml`), `study: ${name}\n${text}`);
  try {
    gough('run', join('studies', `${name}.yaml`));
  } catch (error) {
    if (error.status !== 3) throw error;
  }
  return join(folder, 'results', name);
}

export function shippedStudy(name) {
  const text = readFileSync(join(root, 'studies', `${name}.yaml`), 'utf8');
  return study(name, text.replace(/^study:.*\n/, ''));
}

/** A table as an object of columns. */
export function table(text) {
  const [heads, ...rows] = text.trim().split('\n').map((line) => line.split(','));
  return Object.fromEntries(heads.map((head, i) => [head, rows.map((row) => Number(row[i]))]));
}

export async function openBrowser() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'],
  });
}

export const desktop = { viewport: { width: 1440, height: 900 } };
export const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, deviceScaleFactor: 2 };

/** A page whose `troubles` list errors, warnings and everything it loads that `allowed` does not allow. */
async function newPage(browser, options, allowed) {
  const context = await browser.newContext({ acceptDownloads: true, ...options, moves: undefined });
  const page = await context.newPage();
  page.troubles = [];
  page.on('pageerror', (error) => page.troubles.push(error.message));
  page.on('console', (message) => {
    const driver = /GL Driver Message/.test(message.text()); // reading the canvas back is slow, and only tests do it
    if (['error', 'warning'].includes(message.type()) && !driver) page.troubles.push(message.text());
  });
  page.on('request', (request) => {
    if (!allowed(request.url()) && !/^(data|blob):/.test(request.url())) page.troubles.push(`loads ${request.url()}`);
  });
  return page;
}

/** The data in a page, put into another. */
const moved = (html, page) => page.replace('GOUGH-REPORT-DATA', () => html.match(/<script type="application\/json" id="data">([^]*?)<\/script>/)[1]);

/** Opens a report as a double click does. */
export async function openReport(browser, result, options = desktop) {
  const file = join(result, 'report.html');
  if (otherPage) writeFileSync(file, moved(readFileSync(file, 'utf8'), otherPage));
  const address = `file://${join(result, 'report.html')}`;
  const page = await newPage(browser, options, (url) => url === address);
  await page.goto(address);
  if (options.moves !== false) await page.waitForFunction(() => window.gough?.frameTime.count > 0);
  return page;
}

/** Starts `gough view` on a robot of the tests' folder. */
export async function serve(robot, ...more) {
  const child = spawn(tool, ['view', robot, ...more], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise((done) => child.on('exit', done));
  let said = '';
  for await (const piece of child.stdout) {
    said += piece;
    if (said.includes('\n')) break;
  }
  const address = said.split('\n')[0];
  return {
    address,
    port: Number(new URL(address).port),
    stop: async () => {
      child.kill('SIGINT');
      return ended;
    },
  };
}

export async function openView(browser, server, options = desktop) {
  const page = await newPage(browser, options, (url) => url.startsWith(server.address));
  if (otherPage)
    await page.route(server.address, async (route) => {
      const reply = await route.fetch();
      const asking = otherPage.replace("default-src 'none'; ", "$&connect-src 'self'; "); // as the server does
      await route.fulfill({ response: reply, body: moved(await reply.text(), asking) });
    });
  await page.goto(server.address);
  if (options.moves !== false) await page.waitForFunction(() => window.gough?.view.posture);
  return page;
}

/** Waits until what was asked for is drawn. */
export const drawn = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

/** How far the mechanism reaches in the 3-D view as it stands, at joints and shapes: 1 is the edge. */
export const reach = (page) =>
  page.evaluate(() => {
    const { scene } = window.gough.view ?? window.gough;
    scene.camera.updateMatrixWorld();
    let most = 0;
    scene.mechanism.bodies.forEach((body, b) => {
      scene.groups[b].updateMatrixWorld();
      for (const shape of body.shapes)
        for (const [x, y, z] of [shape.at, shape.from, shape.to, ...(shape.points ?? [])].filter(Boolean)) {
          const p = scene.groups[b].localToWorld(scene.camera.position.clone().set(x, y, z)).project(scene.camera);
          most = Math.max(most, Math.abs(p.x), Math.abs(p.y));
        }
    });
    return most;
  });

/** A picture of the 3-D view: how many colours, and its pixels as text to compare. */
export const picture = (page) =>
  page.evaluate(() => {
    const canvas = document.getElementById('canvas');
    const copy = Object.assign(document.createElement('canvas'), { width: 160, height: 120 });
    const context = copy.getContext('2d', { willReadFrequently: true });
    context.drawImage(canvas, 0, 0, 160, 120);
    const words = new Uint32Array(context.getImageData(0, 0, 160, 120).data.buffer);
    return { colours: new Set(words).size, pixels: words.join() };
  });
