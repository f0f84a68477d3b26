import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { draftOf, NETWORK_NAMES, openScene, orderOn, temporaryDirectory } from '@/testing/signer/signer-scene';
import type { SignParams } from './orders';

const root = path.resolve(import.meta.dirname, '../..');
let directory: string;
let program: string;
beforeAll(async () => {
  directory = temporaryDirectory();
  program = path.join(directory, 'child.mjs');
  await build({
    entryPoints: [path.join(root, 'testing/signer/signer-crash-child.ts')],
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    tsconfig: path.join(root, 'tsconfig.json'),
    logLevel: 'silent',
  });
});
afterAll(() => fs.rmSync(directory, { recursive: true, force: true }));

/** Runs the child process. Returns its exit and the hashes it returned. */
async function run(journalFile: string, point: string, params: SignParams) {
  const child = spawn(process.execPath, [program, journalFile, point, JSON.stringify(params)]);
  const said: string[] = [];
  let faults = '';
  child.stdout.on('data', (chunk: Buffer) => said.push(...chunk.toString().trim().split('\n')));
  child.stderr.on('data', (chunk: Buffer) => (faults += chunk));
  const [, signal] = await once(child, 'close');
  return { signal, said, faults };
}

const POINTS = [
  'before write',
  'torn write 10',
  'torn write 55',
  'torn write 99',
  'after write',
  'after sync',
  'before answer',
  'after answer',
];

test.each(NETWORK_NAMES)(
  'a kill at eight points of signing on %s never leads to a second payload for an intent',
  async (network) => {
    let kills = 0;
    for (const [at, point] of POINTS.entries()) {
      const scene = openScene(directory);
      scene.signer.close();
      const order = orderOn(network, { intentId: `re_${at}` });
      const [one, other] = [await draftOf(order), await draftOf(order, 1)];
      const killed = await run(scene.journalFile, point, { order, draft: one });
      expect(killed).toMatchObject({ signal: 'SIGKILL', faults: '' });
      kills++;

      const signer = scene.restart();
      expect(signer.state().frozen).toBe(false);
      const remembered = signer.attempts(order.intentId).attempts.map(({ hash }) => hash);
      // Every returned payload is in the journal, and it stays the intent's only payload.
      expect(remembered).toEqual(expect.arrayContaining(killed.said));
      expect(remembered.length).toBe(/before write|torn/.test(point) ? 0 : 1);
      const answered = new Set([...remembered, ...killed.said]);
      for (const draft of [other, one, other, one]) {
        try {
          answered.add(signer.sign({ order, draft }).hash);
        } catch (error) {
          expect(error).toMatchObject({ code: 'conflict' });
        }
      }
      expect(answered.size).toBe(1);
      signer.close();
    }
    expect(kills).toBe(POINTS.length);
  },
  120_000,
);
