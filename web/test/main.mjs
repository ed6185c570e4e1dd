// Tests the page at an address in a real browser: node main.mjs URL BACKEND FOLDER
//
// Prints one line per check; pictures are written to the folder.

import { strict as assert } from "node:assert";
import { CHECKS } from "./checks.mjs";

const [url, backend, folder] = process.argv.slice(2);
assert(url && backend && folder, "usage: node main.mjs URL BACKEND FOLDER");

let failures = 0;
for (const [name, check] of CHECKS) {
  const start = performance.now();
  let verdict;
  try {
    verdict = (await check({ url, backend, folder })) ?? "passed";
  } catch (error) {
    failures += 1;
    verdict = `FAILED: ${error.message}`;
  }
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  console.log(`web-test ${backend} ${seconds.padStart(6)} s  ${name}: ${verdict}`);
}
process.exitCode = failures === 0 ? 0 : 1;
