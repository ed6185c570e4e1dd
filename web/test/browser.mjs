// A real browser with an empty profile, and the studio in it, driven by mouse, touch and keyboard.

import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { chromium } from "playwright-core";

// Software rendering by SwiftShader, for machines without a GPU.
const FLAGS = [
  "--no-sandbox",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--enable-unsafe-swiftshader",
  "--enable-unsafe-webgpu",
  "--use-webgpu-adapter=swiftshader",
  "--use-angle=swiftshader",
  "--use-vulkan=swiftshader",
  "--enable-features=Vulkan",
];

const NAMES = ["chromium", "chromium-browser", "google-chrome"];

/** The browser that is on the search path. */
function findBrowser() {
  const places = process.env.PATH.split(delimiter).flatMap((folder) => NAMES.map((name) => join(folder, name)));
  const found = places.find((place) => existsSync(place));
  if (!found) throw new Error(`found none of ${NAMES.join(", ")}`);
  return found;
}

/** Opens a browser for as long as `work` takes. */
export async function withBrowser(options, work) {
  const profile = mkdtempSync(join(tmpdir(), "undine-web-"));
  const browser = await chromium.launchPersistentContext(profile, {
    executablePath: findBrowser(),
    headless: true,
    args: FLAGS,
    acceptDownloads: true,
    viewport: { width: 1280, height: 720 },
    ...options,
  });
  try {
    return await work(browser);
  } finally {
    await browser.close();
    rmSync(profile, { recursive: true, force: true });
  }
}

/** Polls `look` until it returns something; the error after the timeout names `what`. */
export async function until(what, look, seconds = 20) {
  const end = performance.now() + 1000 * seconds;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (performance.now() > end) throw new Error(`no ${what} after ${seconds} s`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** The studio in a tab. */
export class Studio {
  constructor(page, backend, folder) {
    this.page = page;
    this.backend = backend;
    this.folder = folder;
    this.consoleErrors = [];
    page.on("console", (line) => {
      if (line.type() === "error") this.consoleErrors.push(line.text());
    });
    page.on("pageerror", (error) => this.consoleErrors.push(String(error)));
    mkdirSync(folder, { recursive: true });
  }

  /** Loads the page, with a scene if one is given, and waits for the first picture of water. */
  static async open(browser, options) {
    const studio = await Studio.load(browser, options);
    await studio.reached((state) => state.scene !== "" && state.pictures > 0, "picture");
    return studio;
  }

  /** Loads the page and waits for the studio. */
  static async load(browser, { url, backend, folder, scene, script }) {
    const studio = new Studio(await browser.newPage(), backend, folder);
    if (script) await studio.page.addInitScript(script);
    const query = new URLSearchParams({ backend, ...(scene && { scene }) });
    await studio.page.goto(`${url}?${query}`, { waitUntil: "load" });
    await until("studio", async () => {
      const notice = await studio.notice();
      if (notice?.isAlert) throw new Error(`the page says: ${notice.text}`);
      return studio.page.evaluate(() => Boolean(window.undine));
    });
    return studio;
  }

  /** Waits for a state and returns it. */
  async reached(is, what) {
    let state = {};
    try {
      return await until(what, async () => ((state = await this.state()), is(state) && state));
    } catch (error) {
      throw new Error(`${error.message}; ${JSON.stringify(state)} ${this.consoleErrors.join("; ")}`);
    }
  }

  /** Seconds from the load of the page to the first picture of water. */
  secondsToPicture() {
    return this.page.evaluate(async () => {
      while (!window.undine.times.picture) await new Promise(requestAnimationFrame);
      const { loadEventEnd } = performance.getEntriesByType("navigation")[0];
      return (window.undine.times.picture - loadEventEnd) / 1000;
    });
  }

  /** The notice of the page, or null once the studio is running. */
  notice() {
    return this.page.evaluate(() => {
      const notice = document.getElementById("notice");
      const isAlert = notice.getAttribute("role") === "alert";
      return notice.hidden ? null : { isAlert, text: notice.innerText };
    });
  }

  state() {
    return this.page.evaluate(() => JSON.parse(window.undine.state()));
  }

  widgets() {
    return this.page.evaluate(() => JSON.parse(window.undine.widgets()));
  }

  /** The first widget whose label is `label` or matches it, once it is on the screen. */
  widget(label) {
    const fits = (widget) => (label instanceof RegExp ? label.test(widget.label) : widget.label === label);
    const isVisible = ({ rect: [left, top, right, bottom] }) => right > left && bottom > top;
    return until(`widget ${label}`, async () => (await this.widgets()).find((one) => fits(one) && isVisible(one)), 20);
  }

  async click(label, { clickCount = 1 } = {}) {
    const [x, y] = middle(await this.widget(label));
    await this.page.mouse.move(x, y);
    await this.settle();
    await this.page.mouse.click(x, y, { clickCount, delay: 30 });
    await this.settle();
  }

  async tap(label) {
    await this.page.touchscreen.tap(...middle(await this.widget(label)));
    await this.settle();
  }

  /** Opens a file by the button and the browser's file dialog. */
  async choose({ name, text }) {
    const chooser = this.page.waitForEvent("filechooser");
    await this.click("open");
    await (await chooser).setFiles({ name, mimeType: "text/plain", buffer: Buffer.from(text) });
  }

  /** Saves the file that `work` downloads, and returns its path. */
  async download(work, seconds = 30) {
    const [file] = await Promise.all([this.page.waitForEvent("download", { timeout: 1000 * seconds }), work()]);
    const path = join(this.folder, file.suggestedFilename());
    await file.saveAs(path);
    return path;
  }

  /** Drags from one point of a widget to others, each given as fractions of its width and height. */
  async drag(label, ways) {
    const { rect } = await this.widget(label);
    const at = ([across, down]) => [rect[0] + across * (rect[2] - rect[0]), rect[1] + down * (rect[3] - rect[1])];
    await this.page.mouse.move(...at(ways[0]));
    await this.page.mouse.down();
    for (const way of ways.slice(1)) {
      await this.page.mouse.move(...at(way), { steps: 6 });
      await this.settle();
    }
    await this.page.mouse.up();
    await this.settle();
  }

  /** Waits for two frames. */
  settle() {
    return this.page.evaluate(async () => {
      for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame);
    });
  }

  /** The canvas: saved as a picture in the folder, and returned as a coarse grid of colours for comparison. */
  async picture(name) {
    const screenshot = await this.page.evaluate(async () => {
      const { width, height, rgba } = await window.undine.pixels();
      const canvas = new OffscreenCanvas(width, height);
      const image = new ImageData(new Uint8ClampedArray(rgba), width, height);
      canvas.getContext("2d").putImageData(image, 0, 0);
      const bytes = new Uint8Array(await (await canvas.convertToBlob()).arrayBuffer());
      const small = new OffscreenCanvas(96, 54).getContext("2d", { willReadFrequently: true });
      small.drawImage(canvas, 0, 0, 96, 54);
      let text = "";
      for (let start = 0; start < bytes.length; start += 8192) {
        text += String.fromCharCode(...bytes.subarray(start, start + 8192));
      }
      return { png: btoa(text), colours: [...small.getImageData(0, 0, 96, 54).data] };
    });
    writeFileSync(join(this.folder, `${name}.png`), Buffer.from(screenshot.png, "base64"));
    return screenshot.colours;
  }

  /** A screenshot by the browser; only for WebGL, because a WebGPU canvas is black in it. */
  async screenshot(name) {
    if (this.backend === "webgl") await this.page.screenshot({ path: join(this.folder, `${name}-screen.png`) });
  }
}

function middle({ rect: [left, top, right, bottom] }) {
  return [(left + right) / 2, (top + bottom) / 2];
}

/** The fraction of colours that differ visibly between two pictures. */
export function difference(before, after) {
  let changed = 0;
  for (let at = 0; at < before.length; at += 4) {
    const most = Math.max(...[0, 1, 2].map((channel) => Math.abs(before[at + channel] - after[at + channel])));
    if (most > 8) changed += 1;
  }
  return (4 * changed) / before.length;
}

/** The number of different colours in a picture: 1 means that nothing was rendered. */
export function variety(colours) {
  const seen = new Set();
  for (let at = 0; at < colours.length; at += 4) seen.add(colours.slice(at, at + 3).join());
  return seen.size;
}
