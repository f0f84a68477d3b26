// What the operator does after a restore, as docs/operate/backup.md says: recovers what the signer's journal has and the database lacks,
// and unfreezes the signer at its terminal.

import { spawn, spawnSync } from 'node:child_process';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { send } from '../../crash/refund-judge.mjs';
import { ROOT } from '../../test/install.mjs';

const FREEZE_LIMIT_MS = 240_000;
/** Payments since the restored time come back by themselves within this. */
const RECOVER_LIMIT_MS = 60_000;
/** Between two answers at the terminal: opening a keystore takes seconds on a busy machine. */
const ANSWER_PAUSE_MS = 20_000;

/** Waits until the worker has frozen the signer, and returns the reason. */
export async function frozenBecause(dataDir) {
  for (const end = Date.now() + FREEZE_LIMIT_MS; Date.now() < end; await sleep(1000)) {
    const { frozen, reason } = await send(path.join(dataDir, 'signer.sock'), 'state', {});
    if (frozen) return reason;
  }
  throw new Error('The worker did not freeze the signer after the restore.');
}

/**
 * `npm run refunds -- recover` until nothing is left, or the workers have read the networks again for long enough; then `--accept`.
 * Returns what the last one printed.
 */
export async function recoverRefunds({ dataDir, databaseUrl }) {
  for (const end = Date.now() + RECOVER_LIMIT_MS; Date.now() < end; await sleep(5000)) {
    const { code, said } = refunds({ dataDir, databaseUrl }, ['recover']);
    if (code === 0) return said;
  }
  return refunds({ dataDir, databaseUrl }, ['recover', '--accept']).said;
}

function refunds({ dataDir, databaseUrl }, words) {
  const env = { ...process.env, DATABASE_URL: databaseUrl, SIGNER_SOCKET: 'signer.sock', TEST_CHAINS: 'local' };
  const { status, stdout, stderr } = spawnSync(process.execPath, [path.join(ROOT, 'scripts/refunds.mjs'), ...words], {
    ...{ cwd: dataDir, env, encoding: 'utf8' },
  });
  return { code: status, said: `${stdout}${stderr}`.trim() };
}

/** Runs the signer's `unfreeze` at a terminal that `script` makes. Returns what the screen showed. */
export async function unfreeze({ dataDir, signerEnvironment }) {
  const command = `${process.execPath} ${path.join(ROOT, 'dist/signer.mjs')} unfreeze`;
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    cwd: dataDir,
    env: { ...process.env, ...signerEnvironment },
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk));
  const closed = new Promise((resolve) => child.once('close', resolve));
  await asked(() => said.includes('Passphrase'));
  child.stdin.write(`${signerEnvironment.KEYSTORE_PASSPHRASE}\r`);
  await asked(() => said.includes('Type "unfreeze"') || child.exitCode !== null);
  child.stdin.write('unfreeze\r');
  await closed;
  if (!said.includes('signs again')) throw new Error(`The signer was not unfrozen: ${said}`);
  return said;
}

async function asked(isAsked) {
  for (const end = Date.now() + ANSWER_PAUSE_MS * 3; Date.now() < end && !isAsked();) await sleep(200);
}
