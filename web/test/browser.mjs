// A real browser with an empty profile, and the studio in it as a person meets it: by mouse, finger and keyboard.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

// A machine without a graphics card draws by SwiftShader, and only if it is asked to.
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
  "--enable-features=Vulkan",
];

const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";

/** Opens a browser for as long as `work` takes. */
export async function withBrowser(options, work) {
  const profile = mkdtempSync(join(tmpdir(), "undine-web-"));
  const browser = await chromium.launchPersistentContext(profile, {
    executablePath: CHROMIUM,
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

/** Waits until `look` gives something, and says what was waited for if it never does. */
export async function until(what, look, seconds = 20) {
  const end = performance.now() + 1000 * seconds;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (performance.now() > end) throw new Error(`after ${seconds} s still no ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** The studio in a tab. */
export class Studio {
  constructor(page, backend, folder) {
    this.page = page;
    this.backend = backend;
    this.folder = folder;
    this.complaints = [];
    page.on("console", (line) => {
      if (line.type() === "error") this.complaints.push(line.text());
    });
    page.on("pageerror", (error) => this.complaints.push(String(error)));
    mkdirSync(folder, { recursive: true });
  }

  /** Loads the page with a scene, and waits for the first picture of water. */
  static async open(browser, { url, backend, folder, scene }) {
    const studio = new Studio(await browser.newPage(), backend, folder);
    const query = new URLSearchParams({ backend, ...(scene && { scene }) });
    await studio.page.goto(`${url}?${query}`, { waitUntil: "load" });
    await studio.started();
    return studio;
  }

  async started() {
    await until("studio", async () => {
      const notice = await this.notice();
      if (notice?.isAlert) throw new Error(`the page says: ${notice.text}`);
      return this.page.evaluate(() => Boolean(window.undine));
    });
    await until("picture", async () => (await this.state()).pictures > 0);
  }

  /** What the page says in place of water; nothing once the studio is there. */
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
    return until(`widget ${label}`, async () => (await this.widgets()).find((one) => fits(one) && isVisible(one)), 10);
  }

  async click(label) {
    const { rect } = await this.widget(label);
    const [x, y] = [(rect[0] + rect[2]) / 2, (rect[1] + rect[3]) / 2];
    await this.page.mouse.move(x, y);
    await this.page.mouse.down();
    await this.settle();
    await this.page.mouse.up();
    await this.settle();
  }

  /** Drags from one point of a widget to others, each given as shares of its width and height. */
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

  /** Lets the page draw what it was told. */
  settle() {
    return this.page.evaluate(async () => {
      for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame);
    });
  }

  /** What is on the canvas: as a picture in the folder, and as a coarse grid of colours to compare. */
  async picture(name) {
    const shot = await this.page.evaluate(async () => {
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
    writeFileSync(join(this.folder, `${name}.png`), Buffer.from(shot.png, "base64"));
    return shot.colours;
  }

  /** The same as the browser itself shows it, where it does: a canvas of WebGPU stays black to it here. */
  async screenshot(name) {
    if (this.backend === "webgl") await this.page.screenshot({ path: join(this.folder, `${name}-screen.png`) });
  }
}

/** The share of colours that differ visibly between two pictures. */
export function difference(before, after) {
  let changed = 0;
  for (let at = 0; at < before.length; at += 4) {
    const most = Math.max(...[0, 1, 2].map((channel) => Math.abs(before[at + channel] - after[at + channel])));
    if (most > 8) changed += 1;
  }
  return (4 * changed) / before.length;
}

/** The number of different colours in a picture: one means that nothing was painted. */
export function variety(colours) {
  const seen = new Set();
  for (let at = 0; at < colours.length; at += 4) seen.add(colours.slice(at, at + 3).join());
  return seen.size;
}
