// Loads the studio, starts it on the canvas, and shows the progress until the first picture.
//
// Query parameters select a scene and a graphics backend: ?scene=pond&backend=webgl. Tests drive the page through
// window.undine.

const notice = document.getElementById("notice");
const words = document.getElementById("words");
const progress = document.getElementById("progress");
const { version, bytes } = document.body.dataset;
const errors = [];

/** Number of device losses after which the page gives up. */
const MAX_LOSSES = 5;

function showNotice(text) {
  words.textContent = text;
  notice.hidden = false;
}

function showError(text) {
  progress.hidden = true;
  notice.setAttribute("role", "alert");
  showNotice(text);
}

// Records an error; a panic of the studio is shown.
function recordError(error) {
  errors.push(String(error?.stack ?? error?.message ?? error));
  const panic = window.undine?.panic?.();
  if (panic) showError(`The studio has stopped: ${panic}. Reload the page to start again.`);
}

window.addEventListener("error", (event) => recordError(event.error ?? event.message));
window.addEventListener("unhandledrejection", (event) => recordError(event.reason));

function hasGraphics(backend) {
  const hasWebGpu = "gpu" in navigator;
  const hasWebGl = () => document.createElement("canvas").getContext("webgl2") !== null;
  if (backend === "webgpu") return hasWebGpu;
  return (backend !== "webgl" && hasWebGpu) || hasWebGl();
}

// Fetches the WebAssembly module and shows the progress, while the browser compiles it as it loads.
async function fetchCounted(address) {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${address}: ${response.status} ${response.statusText}`);
  progress.hidden = false;
  let loaded = 0;
  const count = new TransformStream({
    transform(chunk, controller) {
      loaded += chunk.byteLength;
      progress.value = Math.min(1, loaded / Number(bytes));
      controller.enqueue(chunk);
    },
  });
  return new Response(response.body.pipeThrough(count), { headers: { "Content-Type": "application/wasm" } });
}

// Pixels of the next frame: some browsers cannot read back a WebGPU canvas.
async function pixels(studio) {
  studio.requestScreenshot();
  for (;;) {
    await new Promise(requestAnimationFrame);
    const screenshot = studio.takeScreenshot();
    if (!screenshot) continue;
    const { width, height, rgba } = screenshot;
    screenshot.free();
    return { width, height, rgba };
  }
}

async function start() {
  const query = new URLSearchParams(location.search);
  const backend = query.get("backend") ?? undefined;
  if (!hasGraphics(backend)) {
    const missing = { webgpu: "WebGPU", webgl: "WebGL 2" }[backend] ?? "neither WebGPU nor WebGL 2";
    throw new Error(
      `This browser supports ${backend ? `no ${missing}` : missing}, which the studio needs for rendering. ` +
        "Use a current browser with hardware acceleration enabled.",
    );
  }
  showNotice("Loading…");
  const { default: init, Studio } = await import(`./undine.js?${version}`);
  await init({ module_or_path: fetchCounted(`./undine_bg.wasm?${version}`) });
  progress.removeAttribute("value");
  showNotice("Starting…");
  const times = { loaded: performance.now() };
  const starting = Studio.start(document.getElementById("water"), query.get("scene") ?? undefined, backend);
  let studio = await starting.catch((error) => {
    throw new Error(`The studio could not be started: ${error?.message ?? error}`);
  });
  times.started = performance.now();
  window.undine = {
    times,
    state: () => studio.state(),
    widgets: () => studio.widgets(),
    panic: () => studio.panic(),
    pixels: () => pixels(studio),
    errors: () => JSON.stringify(errors),
  };
  notice.hidden = true;
  watchGraphics(() => studio, async (canvas) => {
    const old = studio;
    studio = await old.restart(canvas, backend);
    old.free();
  });
  // A rendered picture is on the screen two frames later
  const isRendered = ({ scene, pictures }) => scene !== "" && pictures > 0;
  while (!isRendered(JSON.parse(studio.state()))) await new Promise(requestAnimationFrame);
  for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame);
  times.picture = performance.now();
}

// A graphics device can be lost at any time. The canvas is then replaced by a new one, on which the session
// continues.
async function watchGraphics(now, restart) {
  const listen = (canvas) =>
    canvas.addEventListener("webglcontextlost", () => now().lose("the browser discarded the canvas context"));
  listen(document.getElementById("water"));
  for (let losses = 0; losses < MAX_LOSSES; losses += 1) {
    while (!now().lost()) await new Promise((resolve) => setTimeout(resolve, 250));
    const old = document.getElementById("water");
    const canvas = old.cloneNode(false);
    old.replaceWith(canvas);
    listen(canvas);
    try {
      await restart(canvas);
    } catch (error) {
      return showError(`The graphics device was lost and could not be replaced: ${error?.message ?? error}`);
    }
  }
  showError("The graphics device was lost repeatedly. Reload the page to try again.");
}

start().catch((error) => {
  recordError(error);
  showError(error instanceof Error ? error.message : String(error));
});
