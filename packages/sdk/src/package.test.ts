// The published package: built, measured, imported with web platform features only, and type checked by an independent program.

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import vm from 'node:vm';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { signatureOf } from '@/lib/platform/crypto';
import { VERSION } from './transport';

const ROOT = path.join(import.meta.dirname, '..');
/** Line breaks are kept, so that an error shows the throwing line. */
const MAX_BYTES = 20_000;
let directory: string;
let published: string;

beforeAll(() => {
  directory = fs.mkdtempSync(path.join(os.tmpdir(), 'stabletill-sdk-'));
  published = path.join(directory, 'node_modules/@stabletill/sdk');
  fs.mkdirSync(published, { recursive: true });
  for (const file of ['package.json', 'README.md', 'LICENSE']) {
    fs.copyFileSync(path.join(ROOT, file), path.join(published, file));
  }
  execFileSync(process.execPath, [path.join(ROOT, 'build.mjs'), path.join(published, 'dist')]);
}, 120_000);
afterAll(() => fs.rmSync(directory, { recursive: true, force: true }));

test('the package is small and contains only what it needs', () => {
  const reported = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: published,
    encoding: 'utf8',
  });
  const answer = JSON.parse(reported) as Packed[] | Record<string, Packed>;
  const [packed] = Object.values(answer);
  const files = packed?.files.map((one) => one.path).toSorted() ?? [];
  expect(packed?.size).toBeLessThan(MAX_BYTES);
  expect(files).toEqual(
    expect.arrayContaining(['LICENSE', 'README.md', 'dist/cli.js', 'dist/stabletill.js', 'package.json']),
  );
  expect(
    files.filter(
      (file) => !/^(LICENSE|README\.md|package\.json|dist\/[a-z-]+(\.d\.ts|(?<=stabletill|\/cli)\.js))$/.test(file),
    ),
  ).toEqual([]);
});

test('the package has no dependencies, and reports its own version', () => {
  const about = JSON.parse(fs.readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as Record<string, unknown>;
  expect(Object.keys(about).filter((name) => /dependencies/i.test(name))).toEqual([]);
  expect(about.version).toBe(VERSION);
  expect(fs.readFileSync(path.join(published, 'dist/stabletill.js'), 'utf8')).not.toMatch(
    /\bimport\b|\brequire\(|node:/,
  );
});

test('the package works with web platform features only', async () => {
  const sent: { url: string; init: RequestInit }[] = [];
  const given = (url: string, init: RequestInit) => {
    sent.push({ url, init });
    return Promise.resolve(sent.length === 1 ? new Response('', { status: 503 }) : Response.json({ id: 'cs_test_1' }));
  };
  const web = { crypto, TextEncoder, TextDecoder, URL, AbortController, setTimeout, clearTimeout, btoa, fetch: given };
  const context = vm.createContext({ ...web });
  const delivery = {
    timestamp: String(Math.floor(Date.now() / 1000)),
    nonce: 'n-1',
    body: '{"id":"evt_1","type":"t","data":{"object":{}}}',
  };
  const signature = signatureOf('whsec_1', delivery.timestamp, delivery.nonce, delivery.body).toString('hex');
  const body = new TextEncoder().encode(delivery.body);
  const headers = {
    'x-service-timestamp': delivery.timestamp,
    'x-service-nonce': delivery.nonce,
    'x-service-signature': signature,
  };
  Object.assign(context, { delivery: { body, headers, secret: 'whsec_1' } });

  const script = await asScript();
  const run = `${script};
    const { Stabletill, verifyWebhook } = sdk;
    const options = { apiKey: 'ak_live_1', apiSecret: 'as_live_1', baseUrl: 'https://pay.example.com' };
    const client = new Stabletill(options);
    const params = { amount: 1250, currency: 'USD', order_id: 'o-1' };
    Promise.all([client.sessions.create(params), verifyWebhook(delivery), verifyWebhook({ ...delivery, body: '{}' }).catch(({ code }) => code)]).then(async (first) =>
      [...first, await new Stabletill({ ...options, signatureVersion: 2 }).sessions.retrieve('cs_test_1')]);`;
  const results = (await vm.runInContext(run, context)) as unknown[];
  expect(results).toMatchObject([{ id: 'cs_test_1' }, { id: 'evt_1' }, 'signature_mismatch', { id: 'cs_test_1' }]);

  const { url, init } = sent[1] ?? { url: '', init: {} };
  const requested = new Headers(init.headers);
  const [timestamp, nonce] = [requested.get('x-service-timestamp') ?? '', requested.get('x-service-nonce') ?? ''];
  expect(url).toBe('https://pay.example.com/api/v1/checkout/sessions/create');
  expect(requested.get('x-service-signature')).toBe(
    signatureOf('as_live_1', timestamp, nonce, String(init.body)).toString('hex'),
  );
  expect(new Headers(sent[2]?.init.headers).get('signature-input')).toMatch(/^sig1=\("@method" "@path" /);
  expect(new Headers(sent[0]?.init.headers).get('idempotency-key')).toBe(requested.get('idempotency-key'));
});

test('Node resolves the package by its name', () => {
  const program = `import * as sdk from '@stabletill/sdk'; console.log(typeof sdk.Stabletill, typeof sdk.verifyWebhook, sdk.StabletillError.name);`;
  const said = execFileSync(process.execPath, ['--input-type=module', '-e', program], {
    cwd: directory,
    encoding: 'utf8',
  });
  expect(said.trim()).toBe('function function StabletillError');
});

test.each(['nodenext', 'bundler'])(
  'the types work in a strict program with %s module resolution, and reject wrong use',
  (resolution) => {
    const program = `
    import { Stabletill, verifyWebhook, RateLimitError } from '@stabletill/sdk';
    const client = new Stabletill({ apiKey: 'ak_test_1', apiSecret: 'as_test_1', baseUrl: 'https://pay.example.com' });
    export const url: string = (await client.sessions.create({ amount: 1250, currency: 'USD', order_id: 'o-1' })).url;
    for await (const one of client.events.list()) if (one.type === 'refund.failed') { const id: string = one.data.object.refund_id; console.log(id); }
    const event = await verifyWebhook({ body: '', headers: new Headers(), secret: 'whsec_1' });
    if (event.type === 'payment.completed') console.log(event.data.object.session_id);
    export const wait = (error: unknown): number | null => (error instanceof RateLimitError ? error.retryAfter : null);
    // @ts-expect-error an amount is a whole number, not text
    void client.sessions.create({ amount: '12.50', currency: 'USD', order_id: 'o-1' });
    // @ts-expect-error a refund is paid in a token
    void client.refunds.create({ session_id: 's', refund_id: 'r', amount: 1, currency: 'EUR' });
  `;
    fs.writeFileSync(path.join(directory, 'package.json'), '{ "type": "module" }');
    fs.writeFileSync(path.join(directory, 'program.ts'), program);
    const kind = resolution === 'bundler' ? 'esnext' : resolution;
    const options = [
      '--strict',
      '--exactOptionalPropertyTypes',
      '--noEmit',
      '--target',
      'es2022',
      '--lib',
      'es2022,dom',
      '--types',
      '',
    ];
    const tsc = path.join(ROOT, '../../node_modules/typescript/bin/tsc');
    const how = [...options, '--module', kind, '--moduleResolution', resolution, 'program.ts'];
    expect(() => execFileSync(process.execPath, [tsc, ...how], { cwd: directory, encoding: 'utf8' })).not.toThrow();
  },
);

type Packed = { size: number; files: { path: string }[] };

/** The published module as a script, because a bare context does not support modules. */
async function asScript(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [path.join(published, 'dist/stabletill.js')],
    bundle: true,
    write: false,
    format: 'iife',
    globalName: 'sdk',
    platform: 'neutral',
  });
  return outputFiles[0]?.text ?? '';
}
