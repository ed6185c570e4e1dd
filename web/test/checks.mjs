// What a person does with the page, one check each. A check opens its own browser, and gives what it measured.

import { strict as assert } from "node:assert";
import { Studio, difference, variety, withBrowser } from "./browser.mjs";

/** Seconds from the load of the page to the first picture of water. */
const LONGEST_WAIT = 5;

/** Opens the page, and holds it to silence on the console. */
function withStudio(options, work) {
  return withBrowser(options.browser ?? {}, async (browser) => {
    const studio = await Studio.open(browser, options);
    const verdict = await work(studio, browser);
    assert.deepEqual(studio.complaints, [], "the console has errors");
    assert.deepEqual(await studio.page.evaluate(() => JSON.parse(window.undine.errors())), []);
    return verdict;
  });
}

async function firstPicture(place) {
  return withStudio({ ...place, scene: "km-pool" }, async (studio) => {
    const seconds = await studio.page.evaluate(async () => {
      while (!window.undine.times.picture) await new Promise(requestAnimationFrame);
      const loaded = performance.getEntriesByType("navigation")[0].loadEventEnd;
      return (window.undine.times.picture - loaded) / 1000;
    });
    const colours = await studio.picture("first");
    await studio.screenshot("first");
    assert(variety(colours) > 20, `the picture has ${variety(colours)} colours`);
    assert(seconds <= LONGEST_WAIT, `it took ${seconds.toFixed(2)} s`);
    return `${seconds.toFixed(2)} s after load, drawn by ${(await studio.state()).painter}`;
  });
}

async function timeGoesOn(place) {
  return withStudio({ ...place, scene: "km-pool" }, async (studio) => {
    const before = await studio.state();
    const early = await studio.picture("early");
    await studio.page.waitForTimeout(2000);
    const after = await studio.state();
    const late = await studio.picture("late");
    assert.equal(after.scene, "km-pool");
    assert(after.time > before.time, `time stands at ${after.time} s`);
    assert(difference(early, late) > 0.001, "the picture did not change");
    return `${(after.time - before.time).toFixed(2)} s of water in 2 s`;
  });
}

async function noGraphics({ url }) {
  return withBrowser({}, async (browser) => {
    const page = await browser.newPage();
    await page.addInitScript(() => {
      Object.defineProperty(Navigator.prototype, "gpu", { get: () => undefined });
      delete Navigator.prototype.gpu;
      HTMLCanvasElement.prototype.getContext = () => null;
    });
    await page.goto(url);
    const words = page.getByRole("alert");
    await words.waitFor();
    const text = await words.innerText();
    assert.match(text, /neither WebGPU nor WebGL 2/);
    return "says so";
  });
}

export const CHECKS = [
  ["first picture", firstPicture],
  ["time goes on", timeGoesOn],
  ["a browser without graphics", noGraphics],
];
