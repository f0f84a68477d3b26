// The SDK as a merchant's developer gets it: installed by npm from a running installation, without a registry, and used by the
// documentation's programs unchanged.

import { execFile, spawn, type ChildProcess } from 'node:child_process';
import fs from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { GET } from '@/app/sdk/[file]/route';
import { ALL_GUIDES } from '@/components/docs/docs-text';
import { fill } from '@/components/docs/fill';
import { answerApi } from '@/lib/api/adapters/node-adapter';
import { openServices } from '@/lib/api/services';
import { systemClock, unixSeconds } from '@/lib/platform/clock';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { makeAddresses, makeChain, makeStore, testConfig, testContext, type TestStore } from '@/testing/fixtures';
import { recordEvent } from '@/testing/receivers/webhooks';
import { bundleSdk } from '@/scripts/build.mjs';
import { freePort } from '@/scripts/free-port.mjs';

const execute = promisify(execFile);
const SNIPPETS = path.join(import.meta.dirname, '../../../docs/snippets');
const context = () => testContext(db, systemClock, testConfig());
const running: ChildProcess[] = [];
let db: TestDatabase;
let store: TestStore;
let server: Server;
let origin: string;
let shop: string;

beforeAll(async () => {
  const built = fs.mkdtempSync(path.join(os.tmpdir(), 'stabletill-built-'));
  fs.mkdirSync(path.join(built, 'dist'));
  bundleSdk(built);
  vi.spyOn(process, 'cwd').mockReturnValue(built);
  shop = path.join(built, 'shop');
  fs.mkdirSync(shop);
  fs.writeFileSync(path.join(shop, 'package.json'), '{ "private": true, "type": "module" }');
  db = await openTestDatabase();
  const services = openServices(context());
  store = await makeStore(db, services.config);
  await makeChain(db, 'bsc', unixSeconds(systemClock.now()));
  await makeAddresses(db, 20);
  server = createServer(async (request, response) => {
    const [, file] = /^\/sdk\/(.+)$/.exec(request.url ?? '') ?? [];
    if (file === undefined) return answerApi(services, request, response);
    const headers = { 'if-none-match': request.headers['if-none-match'] ?? '' };
    const answer = await GET(new Request(`${origin}${request.url}`, { headers }), {
      params: Promise.resolve({ file }),
    });
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  for (const child of running) child.kill('SIGKILL');
  server.closeAllConnections();
  server.close();
  vi.restoreAllMocks();
  fs.rmSync(path.dirname(shop), { recursive: true, force: true });
  await db.close();
});

/** No registry listens there: the installation must not need one. */
const environment = () => ({
  ...process.env,
  npm_config_registry: 'http://127.0.0.1:9/',
  npm_config_cache: path.join(shop, '.npm'),
  npm_config_fetch_retries: '0',
  STABLETILL_URL: origin,
  STABLETILL_API_KEY: store.apiKey,
  STABLETILL_API_SECRET: store.apiSecret,
  STABLETILL_WEBHOOK_SECRET: 'whsec_mine',
});

/** The code of a section of the SDK's guide: a command, or a program of docs/snippets. */
function codeOf(title: string): string {
  const { sections } = ALL_GUIDES.find(({ slug }) => slug === 'sdk') ?? { sections: [] };
  const { code, snippet } = sections.find((one) => one.title === title) ?? {};
  if (snippet) return fs.readFileSync(path.join(SNIPPETS, `${snippet.name}.mjs`), 'utf8');
  if (code === undefined) throw new Error(`no code in ${title}`);
  return fill(code, { origin, sdk_version: '', sdk_integrity: '' });
}

/** Runs a command of the guide in the shop's folder and returns its output lines as they come. */
function start(command: string, cwd = shop): AsyncIterator<string> {
  const child = spawn(command, { cwd, env: environment(), shell: true, stdio: ['ignore', 'pipe', 'inherit'] });
  running.push(child);
  return createInterface(child.stdout)[Symbol.asyncIterator]();
}

test('npm installs the package from the installation without a registry, and locks the hash in the guide', async () => {
  await execute('sh', ['-c', codeOf('Install')], { cwd: shop, env: environment() });
  const lock = JSON.parse(fs.readFileSync(path.join(shop, 'package-lock.json'), 'utf8'));
  const description = await (await fetch(`${origin}/sdk/stabletill-sdk.json`)).json();
  expect(lock.packages['node_modules/@stabletill/sdk']).toMatchObject({
    version: description.version,
    resolved: `${origin}/sdk/stabletill-sdk.tgz`,
    integrity: description.integrity,
  });
});

test('the guide’s programs take a payment and verify the events that the guide’s command forwards', async () => {
  fs.writeFileSync(path.join(shop, 'pay.mjs'), codeOf('Take a payment'));
  const { stdout } = await execute(process.execPath, ['pay.mjs'], { cwd: shop, env: environment() });
  expect(stdout).toMatch(/^Redirect the customer to http\S+\/pay\/cs_test_\w+\n$/);

  const port = String(await freePort());
  fs.writeFileSync(path.join(shop, 'hook.mjs'), codeOf('Verify webhooks').replaceAll('8080', port));
  const hook = start(`exec "${process.execPath}" hook.mjs`);
  expect((await hook.next()).value).toBe(`Waiting for webhooks at http://127.0.0.1:${port}`);
  const command = start(codeOf('Forward events to your machine').replace('8080', port));
  expect((await command.next()).value).toContain(`127.0.0.1:${port}`);
  await command.next();
  await recordEvent(context(), { storeId: store.storeId, environment: 'test' }, 'order-9');
  expect((await command.next()).value).toMatch(/^payment\.cancelled evt_\d+ -> 200 /);
  expect((await hook.next()).value).toBe('payment.cancelled order-9');
});

test.each([
  ['Take a payment', 'STABLETILL_URL', /baseUrl is missing. .*STABLETILL_URL/],
  ['Take a payment', 'STABLETILL_API_KEY', /apiKey is missing. .*STABLETILL_API_KEY/],
  ['Take a payment', 'STABLETILL_API_SECRET', /apiSecret is missing. .*STABLETILL_API_SECRET/],
  ['Verify webhooks', 'STABLETILL_WEBHOOK_SECRET', /Set the environment variable STABLETILL_WEBHOOK_SECRET/],
])('a program of the guide (%s) without %s reports that in the terminal', async (title, name, said) => {
  fs.writeFileSync(path.join(shop, 'lacking.mjs'), codeOf(title));
  const ended = execute(process.execPath, ['lacking.mjs'], { cwd: shop, env: { ...environment(), [name]: '' } });
  const { stderr } = await ended.then(
    () => ({ stderr: '' }),
    (error: { stderr: string }) => error,
  );
  expect(stderr).toMatch(said);
  expect(stderr.length).toBeLessThan(2000);
});

test('the guide’s command needs no installation: it runs in an empty directory', async () => {
  const empty = fs.mkdtempSync(path.join(shop, 'empty-'));
  const command = start(codeOf('Forward events to your machine'), empty);
  expect((await command.next()).value).toContain('are posted to');
});

test.each(['STABLETILL_URL', 'STABLETILL_API_KEY', 'STABLETILL_API_SECRET'])(
  'the command names %s if it is not set',
  async (name) => {
    const ended = execute('npx', ['--no', '@stabletill/sdk', 'listen', '--forward', 'http://127.0.0.1:9/hook'], {
      cwd: shop,
      env: { ...environment(), [name]: '' },
    });
    await expect(ended).rejects.toMatchObject({ stderr: expect.stringContaining(`environment variable ${name} to`) });
  },
);

test('an unchanged tarball is not sent again, and no other file is served', async () => {
  const first = await fetch(`${origin}/sdk/stabletill-sdk.tgz`);
  const etag = first.headers.get('etag') ?? '';
  expect([first.status, first.headers.get('content-type'), etag]).toEqual([
    200,
    'application/gzip',
    expect.any(String),
  ]);
  const second = await fetch(`${origin}/sdk/stabletill-sdk.tgz`, { headers: { 'if-none-match': etag } });
  expect(second.status).toBe(304);
  for (const file of ['server.mjs', '..%2Fserver.mjs', 'package.json'])
    expect((await fetch(`${origin}/sdk/${file}`)).status).toBe(404);
});
