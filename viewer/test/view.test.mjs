// `gough view` in a real browser.
import assert from 'node:assert/strict';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { desktop, drawn, folder, gough, openBrowser, openView, phone, picture, reach, removeFolder, serve } from './pages.mjs';

let browser;
before(async () => (browser = await openBrowser()));
after(async () => {
  await browser.close();
  removeFolder();
});

const near = (value, expected, tolerance, what = '') =>
  assert.ok(Math.abs(value - expected) <= tolerance, `${what} ${value} is not near ${expected}`);
const text = (name) => readFileSync(join(folder, 'robots', `${name}.yaml`), 'utf8');
const save = (name, content) => writeFileSync(join(folder, 'robots', `${name}.yaml`), content);
const posture = (page) => page.evaluate(() => window.gough.view.posture);
const slider = (page, name) => page.locator(`[data-slider="${name}"] input[type=range]`);
const number = (page, name) => page.locator(`[data-slider="${name}"] input[type=number]`);
/** Waits until the server has answered all that was asked. */
const settled = async (page) => {
  await page.waitForFunction(() => !window.gough.view.asking && !window.gough.view.wanted);
  await drawn(page);
};
const type = async (page, name, value) => {
  await number(page, name).fill(String(value));
  await number(page, name).press('Enter');
  await settled(page);
};

describe('a view', () => {
  let server;
  let page;
  before(async () => {
    server = await serve('robots/hexapod.yaml');
    page = await openView(browser, server);
  });
  after(async () => {
    await page.context().close();
    assert.equal(await server.stop(), 0);
  });

  const legs = () => page.evaluate(() => window.gough.view.robot.joints.filter((joint) => joint.role === 'actuated'));

  it('opens without errors', async () => {
    assert.equal(await page.title(), 'hexapod – gough view');
    assert.ok((await picture(page)).colours > 50);
    assert.deepEqual(await page.locator('#groups h2').allTextContents(), ['Platform', 'Actuators']);
    assert.ok(await page.locator('#plots').isHidden());
    assert.deepEqual(page.troubles, []);
  });

  it('moves the platform where its sliders say, as gough ik does', async () => {
    const home = await picture(page);
    await type(page, 'x', 0.05);
    await type(page, 'rz', 10); // degrees
    const { pose, joints } = await posture(page);
    near(pose[0], 0.05, 1e-9, 'x');
    near(pose[5], (10 * Math.PI) / 180, 1e-9, 'rz');
    const ik = JSON.parse(gough('ik', 'robots/hexapod.yaml', '--json', '--pose', pose.join()));
    const drives = await legs();
    assert.equal(drives.length, 6);
    for (const { name, index } of drives) {
      near(joints[index], ik.q[name], 1e-9, name);
      near(Number(await number(page, name).inputValue()), ik.q[name], 1e-4, name);
    }
    assert.notEqual((await picture(page)).pixels, home.pixels);
    const place = await page.evaluate(() => {
      const { scene, robot } = window.gough.view;
      return scene.groups[robot.mechanism.platform.body].position.toArray();
    });
    place.forEach((x, i) => near(x, pose[i], 1e-9, 'platform'));
  });

  it('moves the platform by an actuator, as gough fk does', async () => {
    await page.locator('#home').click();
    await type(page, 'leg1.drive', 0.75);
    const { pose, joints } = await posture(page);
    const drives = (await legs()).map((leg) => leg.index);
    near(joints[drives[0]], 0.75, 1e-9, 'leg1');
    const fk = JSON.parse(gough('fk', 'robots/hexapod.yaml', '--json', '--actuators', drives.map((i) => joints[i]).join()));
    pose.forEach((x, i) => near(x, fk.pose[i], 1e-9, 'pose'));
  });

  it('is dragged', async () => {
    await page.locator('#home').click();
    const before = await posture(page);
    const box = await slider(page, 'z').boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 2 + 12, box.y + box.height / 2, { steps: 6 });
    await page.mouse.up();
    await settled(page);
    const after = await posture(page);
    assert.ok(after.pose[2] > before.pose[2] + 1e-3);
    near(after.pose[0], before.pose[0], 1e-9, 'x');
  });

  it('is moved by keys, and home again', async () => {
    await page.locator('#home').click();
    const home = await posture(page);
    await slider(page, 'y').focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await settled(page);
    assert.ok((await posture(page)).pose[1] > home.pose[1]);
    await page.keyboard.press('h');
    assert.deepEqual((await posture(page)).q, home.q);
    near(Number(await slider(page, 'y').inputValue()), home.pose[1], 2e-3, 'slider');
  });

  it('says why a pose cannot be had, and stays', async () => {
    await page.locator('#home').click();
    const home = await posture(page);
    await type(page, 'leg1.drive', 1); // one leg alone cannot become that long
    assert.match(await page.locator('#outcome').textContent(), /^(unreachable|singular): the way there ends after \d+\.\d %/);
    assert.deepEqual((await posture(page)).q, home.q);
    near(Number(await number(page, 'leg1.drive').inputValue()), home.joints[(await legs())[0].index], 1e-4, 'leg1');
    await page.locator('#home').click();
    assert.equal(await page.locator('#outcome').textContent(), '');
  });

  it('shows singularities, loops and limits as it moves', async () => {
    await page.locator('#home').click();
    const check = JSON.parse(gough('check', 'robots/hexapod.yaml', '--json'));
    const live = page.locator('#live');
    assert.ok((await live.textContent()).includes(check.singularity.type2.toFixed(3)));
    assert.match(await live.textContent(), /limits\s*all kept/);
    await type(page, 'z', (await posture(page)).pose[2] + 0.3);
    assert.match(await live.locator('.beyond').first().textContent(), /'leg\d\.drive' = 0\.\d+ is below its limit 0\.55 by/);
    await page.locator('#home').click();
  });

  it('shows angles in degrees or rad', async () => {
    await type(page, 'rx', 9);
    await page.locator('#angles').selectOption('rad');
    near(Number(await number(page, 'rx').inputValue()), (9 * Math.PI) / 180, 1e-4, 'rx');
    assert.equal(await page.locator('[data-slider="rx"] .unit').textContent(), 'rad');
    await page.locator('#angles').selectOption('deg');
    assert.equal(await number(page, 'rx').inputValue(), '9.00');
    await page.locator('#home').click();
  });

  it('says so where a typed value is beyond the ranges of the file, and alters nothing', async () => {
    await page.locator('#home').click();
    const home = await posture(page);
    let asked = 0;
    page.on('request', (request) => (asked += /move$/.test(request.url()) ? 1 : 0));
    const outcome = () => page.locator('#outcome').textContent();
    const red = () => number(page, 'leg1.drive').evaluate((input) => input.classList.contains('refused'));
    await type(page, 'leg1.drive', 7);
    assert.equal(await outcome(), "leg1.drive = 7 m is above the slider's upper end, 1 m. Nothing was moved.");
    assert.equal(await number(page, 'leg1.drive').inputValue(), '7');
    assert.ok(await red());
    await type(page, 'leg1.drive', 0.2);
    assert.equal(await outcome(), "leg1.drive = 0.2 m is below the slider's lower end, 0.55 m. Nothing was moved.");
    await type(page, 'rx', 100);
    assert.equal(await outcome(), "rx = 100 deg is above the slider's upper end, 90 deg. Nothing was moved.");
    assert.equal(asked, 0);
    assert.deepEqual((await posture(page)).q, home.q);
    await type(page, 'leg1.drive', 0.75); // what is inside is moved as ever
    assert.equal(await outcome(), '');
    assert.ok(!(await red()));
    near((await posture(page)).joints[(await legs())[0].index], 0.75, 1e-9, 'leg1');
    assert.equal(await number(page, 'rx').inputValue(), (((await posture(page)).pose[3] * 180) / Math.PI).toFixed(2));
    await page.locator('#home').click();
  });

  it('takes a value that is at the end of its range as far as digits tell', async () => {
    assert.equal(await number(page, 'leg1.drive').getAttribute('max'), '1');
    const asked = page.waitForRequest(/move$/);
    await type(page, 'leg1.drive', 1.00004);
    assert.equal((await asked).postDataJSON().values[0], 1);
    await page.locator('#home').click();
  });

  it('fits the mechanism into the picture by button and key', async () => {
    assert.ok((await reach(page)) < 1, 'as it opens');
    for (const by of ['button', 'key']) {
      await page.evaluate(() => window.gough.view.scene.camera.position.multiplyScalar(0.2));
      assert.ok((await reach(page)) > 1);
      if (by === 'button') await page.locator('#fit').click();
      else {
        await page.locator('#canvas').focus();
        await page.keyboard.press('f');
      }
      const reached = await reach(page);
      assert.ok(reached < 1 && reached > 0.5, `${reached} by the ${by}`);
    }
    await page.locator('#reset').click();
  });

  it('has the mobility table and all joints', async () => {
    assert.match(await page.locator('[data-table=mobility]').textContent(), /degrees of freedom6/);
    await page.locator('#joints summary').click();
    await page.locator('#joints tr').first().waitFor();
    assert.equal(await page.locator('#joints tr').count(), 6 * (2 + 1 + 3)); // cardan, drive and ball of each leg
  });

  it('is light or dark, and lists its keys', async () => {
    const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await paper();
    await page.locator('#theme').click();
    assert.notEqual(await paper(), light);
    await page.locator('#theme').click();
    await page.locator('#canvas').focus();
    await page.keyboard.press('?');
    assert.match(await page.locator('#keys').innerText(), /home pose/);
    await page.keyboard.press('Escape');
    assert.deepEqual(page.troubles, []);
  });
});

describe('a file that changes', () => {
  let server;
  let page;
  before(async () => {
    save('edited', text('five_bar'));
    server = await serve('robots/edited.yaml');
    page = await openView(browser, server);
  });
  after(async () => {
    await page.context().close();
    await server.stop();
  });
  const reading = () => page.evaluate(() => window.gough.view.reading);
  const readAfter = (n) => page.waitForFunction((before) => window.gough.view.reading > before && !window.gough.view.asking, n);

  it('is drawn again, from the same place, with the same sliders', async () => {
    await type(page, 'x', 0.03);
    await page.evaluate(() => window.gough.view.scene.camera.position.multiplyScalar(1.1));
    const eye = () => page.evaluate(() => window.gough.view.scene.camera.position.toArray());
    const before = { eye: await eye(), pixels: (await picture(page)).pixels, reading: await reading() };
    save('edited', text('five_bar').replaceAll('0.35', '0.38'));
    await readAfter(before.reading);
    await settled(page);
    near((await posture(page)).pose[0], 0.03, 1e-9, 'x');
    (await eye()).forEach((x, i) => near(x, before.eye[i], 1e-6, 'camera'));
    assert.notEqual((await picture(page)).pixels, before.pixels);
  });

  it('stands at home and says so when the new limits leave its values out', async () => {
    const before = await reading();
    await type(page, 'x', 0.03);
    const limited = text('five_bar').replaceAll('0.35', '0.38').replace('coordinates: [x, y]', 'coordinates: [x, y]\n  limits: {x: [-0.02, 0.02]}');
    save('edited', limited);
    await readAfter(before);
    await settled(page);
    assert.match(await page.locator('#outcome').textContent(), /^The robot stands at home, for its limits have changed: x = 0\.03 m is above the slider's upper end, 0\.02 m\.$/);
    near((await posture(page)).pose[0], 0, 1e-9, 'x');
  });

  it('is drawn again when an editor replaces it', async () => {
    const before = await reading();
    writeFileSync(join(folder, 'robots/edited.new'), text('five_bar').replace('robot: five_bar', 'robot: renamed'));
    renameSync(join(folder, 'robots/edited.new'), join(folder, 'robots/edited.yaml'));
    await readAfter(before);
    assert.equal(await page.locator('#title').textContent(), 'renamed');
  });

  it('shows its mistake, and the last good robot in grey, until it is mended', async () => {
    save('edited', text('five_bar').replace('type: revolute', 'type: revolte'));
    const failure = page.locator('#failure');
    await failure.waitFor({ state: 'visible' });
    assert.match(await failure.textContent(), /^robots\/edited\.yaml:\d+: .*revolte.*did you mean 'revolute'\?/s);
    assert.match(await page.locator('#canvas').evaluate((canvas) => getComputedStyle(canvas).filter), /grayscale/);
    assert.ok(await slider(page, 'x').isDisabled());
    assert.ok((await picture(page)).colours > 20);
    save('edited', text('five_bar'));
    await failure.waitFor({ state: 'hidden' });
    assert.ok(await slider(page, 'x').isEnabled());
    assert.equal(await page.locator('#canvas').evaluate((canvas) => getComputedStyle(canvas).filter), 'none');
    assert.deepEqual(page.troubles, []);
  });

  it('may become another robot', async () => {
    const before = await reading();
    save('edited', text('delta'));
    await readAfter(before);
    assert.equal(await slider(page, 'z').count(), 1);
    assert.equal(await page.locator('#outcome').textContent(), '');
    assert.deepEqual(page.troubles, []);
  });
});

it('starts with a bad file and shows the robot when it is mended', async () => {
  save('late', 'robot: late\n');
  const server = await serve('robots/late.yaml');
  const page = await openView(browser, server, { ...desktop, moves: false });
  await page.locator('#failure').waitFor({ state: 'visible' });
  assert.match(await page.locator('#failure').textContent(), /^robots\/late\.yaml:1: /);
  assert.ok(await page.locator('main').isHidden());
  save('late', text('four_bar'));
  await page.waitForFunction(() => window.gough.view.posture);
  assert.ok(await page.locator('#failure').isHidden());
  assert.ok((await picture(page)).colours > 20);
  assert.deepEqual(page.troubles, []);
  await page.context().close();
  await server.stop();
});

it('says that the server is gone, and goes on when it is back', async () => {
  const server = await serve('robots/psp3.yaml');
  const page = await openView(browser, server);
  assert.equal(await server.stop(), 0);
  await page.locator('#gone').waitFor({ state: 'visible' });
  const again = await serve('robots/five_bar.yaml', '--port', String(server.port));
  await page.locator('#gone').waitFor({ state: 'hidden' });
  await page.waitForFunction(() => document.getElementById('title').textContent === 'five_bar');
  await type(page, 'x', 0.02);
  near((await posture(page)).pose[0], 0.02, 1e-9, 'x');
  await page.context().close();
  await again.stop();
});

it('moves a robot without actuators and without a platform', async () => {
  save('free', text('four_bar').replace('role: actuated, ', ''));
  const server = await serve('robots/free.yaml');
  const page = await openView(browser, server);
  assert.deepEqual(await page.locator('#groups h2').allTextContents(), ['Joints']);
  assert.equal(await page.locator('.slider').count(), 1);
  const before = await posture(page);
  await page.locator('.slider input[type=range]').focus();
  await page.keyboard.press('ArrowRight');
  await settled(page);
  assert.notDeepEqual((await posture(page)).q, before.q);
  assert.deepEqual(page.troubles, []);
  await page.context().close();
  await server.stop();
});

it('shows hostile names and runs none of them', async () => {
  const nasty = '<img src=x onerror=alert(1)>';
  save('hostile', text('five_bar').replaceAll(/\bleft_distal\b/g, `'${nasty}'`).replace(/description:.*/, `description: '</script><script>document.title="run"</script>'`).replaceAll(/\bleft\b(?=:)/g, `'<b>left</b>'`));
  const server = await serve('robots/hostile.yaml');
  const page = await openView(browser, server);
  await page.locator('#bodies summary').click();
  assert.ok((await page.locator('#bodies li').allTextContents()).some((name) => name.trim() === nasty));
  assert.equal(await page.locator('#description').textContent(), '</script><script>document.title="run"</script>');
  assert.ok((await page.locator('.slider label').allTextContents()).includes('<b>left</b>'));
  assert.equal(await page.locator('main img, main b').count(), 0);
  assert.equal(await page.title(), 'five_bar – gough view');
  save('hostile', `robot: x\n'${nasty}': 1\n`);
  await page.locator('#failure').waitFor({ state: 'visible' });
  assert.ok((await page.locator('#failure').textContent()).includes(nasty));
  assert.equal(await page.locator('img').count(), 0);
  assert.deepEqual(page.troubles, []);
  await page.context().close();
  await server.stop();
});

it('fits a phone, with the mechanism in sight of all sliders', async () => {
  const server = await serve('robots/hexapod.yaml');
  for (const width of [390, 360]) {
    const page = await openView(browser, server, { ...phone, viewport: { width, height: 780 } });
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= width, `${wide} pixels in a window of ${width}`);
    await slider(page, 'leg6.drive').evaluate((input) => input.scrollIntoView({ block: 'end' }));
    const view = await page.locator('#view').boundingBox();
    const last = await slider(page, 'leg6.drive').boundingBox();
    assert.ok(view.y >= -1 && view.y + view.height <= last.y, 'the mechanism stays above the slider');
    assert.ok(last.height >= 30 && last.width >= 60, 'a finger hits the slider');
    assert.deepEqual(page.troubles, []);
    await page.context().close();
  }
  await server.stop();
});

it('is reached from this computer only', async () => {
  const server = await serve('robots/five_bar.yaml');
  const reached = (host) =>
    new Promise((done) => {
      const socket = createConnection({ host, port: server.port, timeout: 1000 });
      for (const [event, answer] of [['connect', true], ['error', false], ['timeout', false]]) socket.on(event, () => (socket.destroy(), done(answer)));
    });
  assert.equal(await reached('127.0.0.1'), true);
  const others = Object.values(networkInterfaces()).flat().filter((i) => !i.internal || i.family === 'IPv6').map((i) => i.address);
  for (const address of [...others, '127.0.0.2', '::1']) assert.equal(await reached(address), false, address);
  assert.equal(await server.stop(), 0);
});
