// Runs the acceptance programs that lie beside the checkout against a fresh sandbox, once for each line of
// .ci/acceptance.txt (`DOOR: FILE FILE …`), and ends with one line `N passed, N failed`. Called by .ci/run.

import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { closingCount, closingLine, sum } from './counts.mjs';
import { ROOT } from './install.mjs';
import { startSandbox } from './sandbox.mjs';

const PROGRAM = path.join(ROOT, '../shared/acceptance/run.mjs');
const LIST = path.join(ROOT, '.ci/acceptance.txt');
/** The direct door of server.ts, or Next's route handlers; both lead to the same handlers (architecture: Processes). */
const DOORS = { direct: { DIRECT_DOOR: 'on' }, next: { DIRECT_DOOR: 'off' } };

const counts = [];
for (const { door, files } of readList()) {
  console.log(`\n── acceptance through the ${door} door: ${files.join(' ')} ──`);
  counts.push(await tryDoor(door, files));
}
const total = sum(counts);
console.log(closingLine(total));
process.exitCode = total.failed > 0 ? 1 : 0;

function readList() {
  const lines = fs.readFileSync(LIST, 'utf8').split('\n');
  return lines
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
    .map((line) => {
      const [door, names] = line.split(':').map((part) => part.trim());
      if (!(door in DOORS) || !names) throw new Error(`.ci/acceptance.txt: "${line}" is not DOOR: FILE FILE …`);
      return { door, files: names.split(/\s+/) };
    });
}

async function tryDoor(door, files) {
  const fault = { passed: 0, failed: 1 };
  const sandbox = await startSandbox(DOORS[door]).catch((error) => {
    console.log(error.message);
    return null;
  });
  if (!sandbox) return fault;
  const { code, output } = await run(files, sandbox.jsonFile);
  const count = closingCount(output, code);
  return sandbox.stop().then(
    () => count,
    (error) => {
      console.log(error.message);
      return sum([count, fault]);
    },
  );
}

/** The program's output is shown but for its own closing line, which would be taken for the whole run's. */
function run(files, sandboxJson) {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, SANDBOX_JSON: sandboxJson };
    const child = spawn(process.execPath, [PROGRAM, ...files], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    child.stdout.on('data', (chunk) => {
      process.stdout.write(String(chunk).replaceAll(/^(\d+) passed, (\d+) failed$/gm, '$1 ok, $2 not ok'));
      output += chunk;
    });
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, output }));
  });
}
