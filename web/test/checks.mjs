// Checks of the page. Each opens its own browser and returns what it measured.

import { strict as assert } from "node:assert";
import { readFileSync } from "node:fs";
import { Studio, difference, until, variety, withBrowser } from "./browser.mjs";
import { BROKEN, FLUID, POOL } from "./scenes.mjs";

/** Seconds from the load of the page to the first picture of water. */
const MAX_WAIT = 5;

/** Least time steps per second of 128 × 128 cells. */
const MIN_STEPS = 60;

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

/** Opens the page, and fails on errors in the console. */
function withStudio(options, work) {
  return withBrowser(options.browser ?? {}, async (browser) => {
    const studio = await Studio.open(browser, options);
    const verdict = await work(studio);
    assert.deepEqual(studio.consoleErrors, [], "the console has errors");
    assert.deepEqual(await studio.page.evaluate(() => JSON.parse(window.undine.errors())), []);
    return verdict;
  });
}

function firstPicture(place) {
  return withStudio({ ...place, scene: "km-pool" }, async (studio) => {
    const seconds = await studio.secondsToPicture();
    const colours = await studio.picture("first");
    await studio.screenshot("first");
    assert(variety(colours) > 50, `the picture has ${variety(colours)} colours`);
    assert(seconds <= MAX_WAIT, `it took ${seconds.toFixed(2)} s`);
    return `${seconds.toFixed(2)} s after load, drawn by ${(await studio.state()).painter}`;
  });
}

function gallery(place) {
  return withStudio(place, async (studio) => {
    await studio.click("gallery");
    await studio.click("search scenes");
    await studio.page.keyboard.type("cavity");
    await studio.picture("gallery");
    await studio.click("scene:cavity");
    await studio.reached((state) => state.scene === "cavity" && state.time > 0, "scene from the gallery");
    await studio.picture("cavity");
    return "opened by a click";
  });
}

function pouring(place) {
  return withStudio({ ...place, scene: "km-hump" }, async (studio) => {
    const before = await studio.state();
    const still = await studio.picture("untouched");
    await studio.click("tool:pour");
    await studio.drag("water:0", [[0.4, 0.5], [0.5, 0.55], [0.6, 0.5]]);
    const after = await studio.reached((state) => state.actions > before.actions, "action by the mouse");
    assert(after.volume > before.volume, `the volume is ${after.volume}, as before`);
    const touched = difference(still, await studio.picture("touched"));
    assert(touched > 0.005, "the picture did not change");
    return `${after.actions} actions, ${(after.volume - before.volume).toPrecision(2)} m³ more`;
  });
}

function obstacle(place) {
  return withStudio({ ...place, scene: "cavity" }, async (studio) => {
    await studio.click("tool:obstacle");
    const before = await studio.state();
    await studio.drag("water:0", [[0.45, 0.45], [0.55, 0.45], [0.55, 0.6], [0.45, 0.6], [0.45, 0.46]]);
    await studio.reached((state) => state.actions > before.actions, "obstacle");
    await studio.picture("obstacle");

    // The saved scene reproduces the action
    const saved = await studio.download(() => studio.click("save"));
    const text = readFileSync(saved, "utf8");
    assert.match(text, /polygon/, "the saved scene has no polygon");
    await studio.click("undo");
    await studio.reached((state) => state.actions === before.actions, "undone action");
    await studio.choose({ name: "mine.toml", text });
    await studio.reached((state) => state.actions > before.actions && state.time > 0, "reopened scene");
    await studio.picture("reopened");

    await studio.click("export");
    await studio.click("export:still");
    const still = readFileSync(await studio.download(() => studio.click("export now")));
    assert.equal(still.subarray(1, 4).toString(), "PNG");
    return `saved ${text.length} bytes, exported ${still.length}`;
  });
}

function film(place) {
  return withStudio({ ...place, scene: "cavity" }, async (studio) => {
    await studio.choose({ name: "stirred.toml", text: FLUID });
    await studio.reached((state) => state.scene.includes("stirred") && state.time > 0, "scene to film");
    await studio.click("export");
    await studio.click("export:film");
    const path = await studio.download(async () => {
      await studio.click("export now");
      await studio.widget(/^film: frame ([6-9]|\d\d+) of/);
      await studio.click("stop export");
    }, 60);
    const file = readFileSync(path);
    const { width, duration } = await played(studio.page, file);
    assert(duration >= 6 / 60 && duration < 3, `the film lasts ${duration} s`);
    assert(width > 300, `the film is ${width} pixels wide`);
    return `${file.length} bytes, ${width} pixels wide, ${duration.toFixed(2)} s`;
  });
}

/** Width and duration of a film, played in a separate page without the content security policy. */
async function played(page, file) {
  const player = await page.context().newPage();
  const seen = await player.evaluate(async (film) => {
    const video = document.createElement("video");
    video.src = `data:video/webm;base64,${film}`;
    await new Promise((resolve, reject) => {
      video.onloadeddata = resolve;
      video.onerror = () => reject(new Error(video.error.message));
    });
    return { width: video.videoWidth, duration: video.duration };
  }, file.toString("base64"));
  await player.close();
  return seen;
}

function phone(place) {
  return withStudio({ ...place, scene: "km-hump", browser: PHONE }, async (studio) => {
    await studio.picture("phone");
    await studio.screenshot("phone");
    await studio.tap("tool:drop");
    const before = await studio.state();
    await studio.tap("water:0");
    await studio.reached((state) => state.actions > before.actions, "action by touch");
    await studio.picture("phone-drop");
    return "action by touch";
  });
}

function brokenScene(place) {
  return withStudio({ ...place, scene: "cavity" }, async (studio) => {
    await studio.choose({ name: "broken.toml", text: BROKEN });
    const { problems } = await studio.reached((state) => state.problems.length > 0, "message");
    assert.match(problems.join(), /viscosty/);
    await studio.picture("broken");
    await studio.choose({ name: "whole.toml", text: FLUID });
    await studio.reached((state) => state.scene.includes("whole") && state.time > 0, "scene after the error");
    return problems[0].split("\n")[0];
  });
}

/** Records every device, so that it can be destroyed. */
function keepDevices() {
  window.devices = [];
  const request = globalThis.GPUAdapter?.prototype.requestDevice;
  if (!request) return;
  GPUAdapter.prototype.requestDevice = async function (...asked) {
    const device = await request.apply(this, asked);
    window.devices.push(device);
    return device;
  };
}

function lostDevice(place) {
  return withStudio({ ...place, scene: "cavity", script: keepDevices }, async (studio) => {
    const before = await studio.reached((state) => state.frame > 3, "some frames");
    await studio.page.evaluate((backend) => {
      if (backend === "webgpu") return window.devices.at(-1).destroy();
      const context = document.getElementById("water").getContext("webgl2");
      context.getExtension("WEBGL_lose_context").loseContext();
    }, place.backend);
    const after = await studio.reached(
      (state) => state.problems.join().includes("lost") && state.pictures > 2,
      "pictures by a new device",
    );
    assert(after.frame >= before.frame, "the simulation restarted");
    assert(variety(await studio.picture("after-loss")) > 50);
    return after.problems[0];
  });
}

function sizes(place) {
  return withStudio({ ...place, scene: "km-hump" }, async (studio) => {
    for (const [width, height] of [[1, 1], [4000, 10], [800, 600]]) {
      await studio.page.setViewportSize({ width, height });
      await studio.page.waitForTimeout(500);
    }
    const { pictures } = await studio.state();
    await studio.reached((state) => state.pictures > pictures, "picture after changes of size");
    assert(variety(await studio.picture("resized")) > 50);
    return "rendered after 1 × 1";
  });
}

async function speed(place) {
  const results = [];
  for (const [name, text] of [["kass-miller", POOL], ["stable-fluids", FLUID]]) {
    results.push(
      await withStudio({ ...place, scene: "cavity" }, async (studio) => {
        await studio.choose({ name: `${name}.toml`, text });
        await studio.reached((state) => state.scene.includes(name) && state.time > 0, name);
        await studio.click("speed");
        await studio.click("speed:unlimited");
        await studio.reached((state) => state.speed === null, "highest speed");
        await studio.page.waitForTimeout(1000);
        const [first, start] = [await studio.state(), performance.now()];
        await studio.page.waitForTimeout(4000);
        const [last, seconds] = [await studio.state(), (performance.now() - start) / 1000];
        const onTheClock = (last.steps - first.steps) / seconds;
        const computed = last.steps_per_second;
        assert(onTheClock >= MIN_STEPS, `${name} makes ${onTheClock.toFixed(0)} steps a second`);
        return `${name} ${computed.toFixed(0)} steps/s computed, ${onTheClock.toFixed(0)} with drawing`;
      }),
    );
  }
  return results.join("; ");
}

function noGraphics({ url }) {
  return withBrowser({}, async (browser) => {
    const page = await browser.newPage();
    await page.addInitScript(() => {
      delete Navigator.prototype.gpu;
      HTMLCanvasElement.prototype.getContext = () => null;
    });
    await page.goto(url);
    const words = page.getByRole("alert");
    await words.waitFor();
    assert.match(await words.innerText(), /neither WebGPU nor WebGL 2/);
    return "reported";
  });
}

function noSuchScene(place) {
  return withBrowser({}, async (browser) => {
    const studio = await Studio.load(browser, { ...place, scene: "no-such-scene" });
    const { problems } = await until("message", async () => {
      const state = await studio.state();
      return state.problems.length > 0 && state;
    });
    assert.match(problems.join(), /no-such-scene/);
    return "reported";
  });
}

export const CHECKS = [
  ["first picture", firstPicture],
  ["the gallery", gallery],
  ["pouring by mouse", pouring],
  ["an obstacle, saved, undone, opened, exported", obstacle],
  ["a film", film],
  ["a phone", phone],
  ["a broken scene", brokenScene],
  ["an unknown scene", noSuchScene],
  ["a lost graphics device", lostDevice],
  ["extreme sizes", sizes],
  ["speed of 128 × 128 cells", speed],
  ["a browser without graphics", noGraphics],
];
