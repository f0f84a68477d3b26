// The built program for the machine without a network: one file that runs alone, imports nothing that opens a socket, and works where
// there is no network interface.

import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import type { Metafile } from 'esbuild';
import { beforeAll, expect, test } from 'vitest';
import { makeRequest, requestText } from '@/lib/cold-storage/returns/request-file';
import { parseSigned } from '@/lib/cold-storage/returns/signed-file';
import { requestCase, type RequestCase } from '@/testing/cold-storage/request-files';
import { useTemporaryDirectory } from '@/testing/temporary-directory';
import { bundleOffline } from './standalone-bundles.mjs';

const directory = useTemporaryDirectory();
const program = path.join(directory, 'stabletill-offline.mjs');
const inDirectory = (name: string): string => path.join(directory, name);
let meta: Metafile;
let given: RequestCase;

beforeAll(async () => {
  ({ metafile: meta } = (await bundleOffline(program)) as { metafile: Metafile });
  const { request, ...rest } = await requestCase('evm');
  const { id, items } = request;
  // The program reads the clock of its machine.
  given = { ...rest, request: makeRequest({ id, items, spec: rest.spec, created: new Date(), terms: null }) };
  fs.writeFileSync(inDirectory('request'), requestText(given.request));
  fs.writeFileSync(inDirectory('key'), given.keyFile, { mode: 0o600 });
}, 60_000);

/** Prints what the program may not do, and ends it. */
const TRAP = `
import net from 'node:net'; import dns from 'node:dns'; import dgram from 'node:dgram'; import http from 'node:http'; import child from 'node:child_process';
const trap = (what) => () => { console.error('TRAPPED ' + what); process.exit(99); };
net.Socket.prototype.connect = trap('connect'); net.Server.prototype.listen = trap('listen'); net.connect = net.createConnection = trap('connect');
dns.lookup = trap('lookup'); dgram.createSocket = trap('datagram'); http.request = trap('request'); child.spawn = trap('spawn');
globalThis.fetch = trap('fetch'); globalThis.WebSocket = trap('socket');
`;

/** Runs the program alone in its directory, with no variable of this process but one. */
function run(words: readonly string[], before: readonly string[] = []) {
  const trap = inDirectory('trap.mjs');
  fs.writeFileSync(trap, TRAP);
  const [command = '', ...args] = [...before, process.execPath, '--import', trap, program, ...words];
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: directory,
    env: { NODE_ENV: 'production' },
    encoding: 'utf8',
  });
  return { code: status, text: `${stdout}${stderr}` };
}

test('imports only what reads files, computes and talks to the terminal', () => {
  const [output] = Object.values(meta.outputs);
  const imported = (output?.imports ?? []).map(({ path: name }) => name.replace(/^node:/, ''));
  // What is not in the file itself is a module of Node. lru-cache publishes its statistics on a channel inside the process.
  expect([...new Set(imported)].toSorted()).toEqual(['crypto', 'diagnostics_channel', 'fs', 'readline/promises']);
  const packages = Object.keys(meta.inputs).flatMap(
    (file) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? [],
  );
  for (const forbidden of ['ethers', 'tronweb', '@solana/web3.js', 'undici', 'pg', 'ws', 'axios', 'pino'])
    expect(packages).not.toContain(forbidden);
  // The search finds the packages that are known to be loaded.
  expect(packages).toContain('@noble/curves');
  // Every import is static, so that the list above is whole.
  expect((output?.imports ?? []).filter(({ kind }) => kind !== 'import-statement')).toEqual([]);
  const text = fs.readFileSync(program, 'utf8');
  const ways =
    /\b(?:fetch|WebSocket|EventSource|XMLHttpRequest|sendBeacon|getBuiltinModule|createRequire|dlopen)\s*\(/g;
  expect(text.match(ways)).toBeNull();
  expect('globalThis.fetch("http://")'.match(ways)).not.toBeNull();
});

test('is the same file for the same sources, so that its checksum can be compared', async () => {
  const again = inDirectory('again.mjs');
  await bundleOffline(again);
  expect(fs.readFileSync(again).equals(fs.readFileSync(program))).toBe(true);
});

test('shows and signs alone, and opens no connection', () => {
  const shown = run(['show', 'request', '--to', given.to]);
  expect(shown).toMatchObject({ code: 0, text: expect.stringContaining(given.request.id) });
  const words = ['sign', 'request', '--to', given.to, '--key-file', 'key', '--confirm', given.request.sha256];
  expect(run(words)).toMatchObject({ code: 0, text: expect.stringContaining('Signed.') });
  expect(parseSigned(fs.readFileSync(inDirectory('request.signed')))).toMatchObject({ request: given.request.sha256 });
  // The trap works.
  fs.writeFileSync(inDirectory('net.mjs'), `import net from 'node:net'; net.connect(1);`);
  const { status } = spawnSync(process.execPath, ['--import', inDirectory('trap.mjs'), inDirectory('net.mjs')]);
  expect(status).toBe(99);
});

const hasNamespaces = spawnSync('unshare', ['-rn', 'true']).status === 0;

test.runIf(hasNamespaces)('works where there is no network interface', () => {
  const words = ['sign', 'request', '--to', given.to, '--key-file', 'key', '--confirm', given.request.sha256];
  const alone = run([...words, '--out', 'alone.signed'], ['unshare', '-rn']);
  expect(alone).toMatchObject({ code: 0, text: expect.stringContaining('Signed.') });
  expect(fs.readFileSync(inDirectory('alone.signed'))).toEqual(fs.readFileSync(inDirectory('request.signed')));
});

test('without a terminal it signs nothing that is not confirmed', () => {
  const { code, text } = run(['sign', 'request', '--to', given.to, '--key-file', 'key', '--out', 'unconfirmed']);
  expect([code, fs.existsSync(inDirectory('unconfirmed'))]).toEqual([1, false]);
  expect(text).toContain('--confirm');
});
