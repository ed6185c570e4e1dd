// Loads the studio, starts it on the canvas, and shows the progress until the first picture.
//
// The address may name a scene and a graphics backend: ?scene=pond&backend=webgl. The interface for programs that drive the
// page is window.undine.

const notice = document.getElementById("notice");
const words = document.getElementById("words");
const progress = document.getElementById("progress");
const { version, bytes } = document.body.dataset;
const errors = [];

/** Limit on the number of lost graphics devices that are replaced. */
const MAX_LOSSES = 5;

function say(text) {
  words.textContent = text;
  notice.hidden = false;
}

function fail(text) {
  progress.hidden = true;
  notice.setAttribute("role", "alert");
  say(text);
}

// All errors are kept in order: later ones often follow from the first.
function note(error) {
  errors.push(String(error?.stack ?? error?.message ?? error));
  const panic = window.undine?.panic?.();
  if (panic) fail(`The studio has stopped: ${panic}. Reload the page to start again.`);
}

window.addEventListener("error", (event) => note(event.error ?? event.message));
window.addEventListener("unhandledrejection", (event) => note(event.reason));

function hasGraphics(backend) {
  const hasWebGpu = "gpu" in navigator;
  const hasWebGl = () => document.createElement("canvas").getContext("webgl2") !== null;
  if (backend === "webgpu") return hasWebGpu;
  return (backend !== "webgl" && hasWebGpu) || hasWebGl();
}

// Counts the received bytes for the progress bar while the module is compiled as a stream.
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

// The pixels of one frame: some browsers cannot read back a canvas drawn by WebGPU.
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
  const parameters = new URLSearchParams(location.search);
  const backend = parameters.get("backend") ?? undefined;
  if (!hasGraphics(backend)) {
    const missing = { webgpu: "WebGPU", webgl: "WebGL 2" }[backend] ?? "neither WebGPU nor WebGL 2";
    throw new Error(
      `This browser offers ${backend ? `no ${missing}` : missing}, which the studio needs. ` +
        "Use a current browser with graphics acceleration switched on.",
    );
  }
  say("Loading…");
  const { default: init, Studio } = await import(`./undine.js?${version}`);
  await init({ module_or_path: fetchCounted(`./undine_bg.wasm?${version}`) });
  progress.removeAttribute("value");
  say("Starting…");
  const times = { loaded: performance.now() };
  const begun = Studio.start(document.getElementById("water"), parameters.get("scene") ?? undefined, backend);
  let studio = await begun.catch((error) => {
    throw new Error(`The studio does not start here: ${error?.message ?? error}`);
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
  // A drawn picture is on the screen two animation frames later
  const isPainted = ({ scene, pictures }) => scene !== "" && pictures > 0;
  while (!isPainted(JSON.parse(studio.state()))) await new Promise(requestAnimationFrame);
  for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame);
  times.picture = performance.now();
}

// A graphics device can be lost at any time, and its canvas then stays empty: a new canvas replaces it, and the session
// continues.
async function watchGraphics(now, restart) {
  const listen = (canvas) =>
    canvas.addEventListener("webglcontextlost", () => now().lose("the browser took the canvas back"));
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
      return fail(`The graphics device was lost, and there is no other: ${error?.message ?? error}`);
    }
  }
  fail("The graphics device was lost repeatedly. Reload the page to try again.");
}

start().catch((error) => {
  note(error);
  fail(error instanceof Error ? error.message : String(error));
});
