// Loads the studio, starts it on the canvas, and says what is going on until there is something to see.
//
// The address can ask for a scene and for a way to draw: ?scene=pond&backend=webgl. What a program needs to drive the page
// is in window.undine.

const notice = document.getElementById("notice");
const words = document.getElementById("words");
const progress = document.getElementById("progress");
const { version, bytes } = document.body.dataset;
const errors = [];

/** How often a lost graphics device is replaced before the page gives up. */
const MOST_LOSSES = 5;

function say(text) {
  words.textContent = text;
  notice.hidden = false;
}

function fail(text) {
  progress.hidden = true;
  notice.setAttribute("role", "alert");
  say(text);
}

// The first error says most; what follows it is often its echo.
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

// Counts what has arrived on its way to the compiler, which works while it loads.
async function fetchCounted(address) {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${address}: ${response.status} ${response.statusText}`);
  progress.hidden = false;
  let loaded = 0;
  const count = new TransformStream({
    transform(piece, onwards) {
      loaded += piece.byteLength;
      progress.value = Math.min(1, loaded / Number(bytes));
      onwards.enqueue(piece);
    },
  });
  return new Response(response.body.pipeThrough(count), { headers: { "Content-Type": "application/wasm" } });
}

// One frame, pixel by pixel: some browsers show a program nothing of a canvas that WebGPU has painted.
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
  const asked = new URLSearchParams(location.search);
  const backend = asked.get("backend") ?? undefined;
  if (!hasGraphics(backend)) {
    const missing = { webgpu: "WebGPU", webgl: "WebGL 2" }[backend] ?? "neither WebGPU nor WebGL 2";
    throw new Error(
      `This browser offers ${backend ? `no ${missing}` : missing}, and without it there is no picture. ` +
        "A current browser with graphics acceleration switched on has it.",
    );
  }
  say("Loading the water…");
  const { default: init, Studio } = await import(`./undine.js?${version}`);
  await init({ module_or_path: fetchCounted(`./undine_bg.wasm?${version}`) });
  progress.removeAttribute("value");
  say("Starting…");
  const times = { loaded: performance.now() };
  const begun = Studio.start(document.getElementById("water"), asked.get("scene") ?? undefined, backend);
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
  // What was painted is on the screen by the frame after the next
  const isPainted = ({ scene, pictures }) => scene !== "" && pictures > 0;
  while (!isPainted(JSON.parse(studio.state()))) await new Promise(requestAnimationFrame);
  for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame);
  times.picture = performance.now();
}

// A graphics device can be lost at any time. A lost canvas shows nothing any more: another takes its place, and the water
// goes on.
async function watchGraphics(now, restart) {
  const listen = (canvas) =>
    canvas.addEventListener("webglcontextlost", () => now().lose("the browser took the canvas back"));
  listen(document.getElementById("water"));
  for (let losses = 0; losses < MOST_LOSSES; losses += 1) {
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
  fail("The graphics device was lost again and again. Reload the page to try once more.");
}

start().catch((error) => {
  note(error);
  fail(error instanceof Error ? error.message : String(error));
});
