// Runs the acceptance programs beside the checkout against a fresh sandbox, once per line of .ci/acceptance.txt
// (`ADAPTER: FILE FILE … -CASE`). Ends with one line `N passed, N failed`. Called by .ci/run.

import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { acceptanceCount, closingLine, sum } from './counts.mjs';
import { ROOT } from './install.mjs';
import { loggedErrors, startSandbox } from './sandbox.mjs';

const PROGRAM = path.join(ROOT, '../shared/acceptance/run.mjs');
const LIST = path.join(ROOT, '.ci/acceptance.txt');
/** The node-adapter of server.ts, or Next's route handlers. Both call the same operations. */
const ADAPTERS = { direct: { DIRECT_DOOR: 'on' }, next: { DIRECT_DOOR: 'off' } };

const counts = [];
for (const one of readList()) {
  console.log(`\n── acceptance through the ${one.adapter} adapter: ${one.files.join(' ')} ──`);
  counts.push(await tryAdapter(one));
}
const total = sum(counts);
console.log(closingLine(total));
process.exitCode = total.failed > 0 ? 1 : 0;

function readList() {
  const lines = fs.readFileSync(LIST, 'utf8').split('\n');
  return lines
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
    .map((line) => {
      const [adapter, list] = line.split(':').map((part) => part.trim());
      if (!(adapter in ADAPTERS) || !list) throw new Error(`.ci/acceptance.txt: "${line}" is not ADAPTER: FILE FILE …`);
      const names = list.split(/\s+/);
      const leftOut = names.filter((name) => name.startsWith('-')).map((name) => name.slice(1));
      return { adapter, files: names.filter((name) => !name.startsWith('-')), leftOut };
    });
}

async function tryAdapter({ adapter, files, leftOut }) {
  const fault = { passed: 0, failed: 1 };
  const sandbox = await startSandbox(ADAPTERS[adapter]).catch((error) => {
    console.log(error.message);
    return null;
  });
  if (!sandbox) return fault;
  const count = await run(files, { sandboxJson: sandbox.jsonFile, leftOut });
  // A 500 hides its cause, and the logs end with the sandbox.
  if (count.failed > 0) console.log(loggedErrors(sandbox.dataDir).join('\n'));
  return sandbox.stop().then(
    () => count,
    (error) => {
      console.log(error.message);
      return sum([count, fault]);
    },
  );
}

/** Shows the program's output without its closing line, which would look like the whole run's. */
function run(files, { sandboxJson, leftOut }) {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'stabletill-acceptance-'));
  const report = path.join(directory, 'report.json');
  return new Promise((resolve, reject) => {
    const env = { ...process.env, SANDBOX_JSON: sandboxJson };
    const args = [PROGRAM, ...files, '--json', report];
    const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
    child.stdout.on('data', (chunk) => {
      process.stdout.write(String(chunk).replaceAll(/^(\d+) passed, (\d+) failed$/gm, '$1 ok, $2 not ok'));
    });
    child.once('error', reject);
    child.once('close', (code) => resolve(acceptanceCount(report, { code, leftOut })));
  }).finally(() => fs.rmSync(directory, { recursive: true, force: true }));
}
