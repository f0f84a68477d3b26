// The README's programs, run unchanged after an installation of the package; only URLs and ports are replaced.

import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import fs from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { unixSeconds } from '@/lib/platform/clock';
import { signedHeaders } from '@/lib/webhooks/events/message';

const ROOT = path.join(import.meta.dirname, '..');
const EVENT = '{"id":"evt_1","type":"payment.completed","data":{"object":{"order_id":"order-7"}}}';
const programs = [...fs.readFileSync(path.join(ROOT, 'README.md'), 'utf8').matchAll(/```js\n(.*?)```/gs)].map(
  ([, text]) => text ?? '',
);
const running: ChildProcess[] = [];
let directory: string;
let service: Server;
let requested: { url: string | undefined; body: string }[] = [];
/** The stand-in's answers, by path. */
const answers: Record<string, unknown> = {
  '/api/v1/checkout/sessions/create': { id: 'cs_test_1', url: 'https://pay.example.com/pay/cs_test_1' },
  '/api/v1/events?order=asc&cursor=c1': { data: [JSON.parse(EVENT)], next_cursor: null, resume_cursor: 'c2' },
};

beforeAll(async () => {
  directory = fs.mkdtempSync(path.join(os.tmpdir(), 'stabletill-sdk-readme-'));
  const published = path.join(directory, 'node_modules/@stabletill/sdk');
  fs.mkdirSync(published, { recursive: true });
  fs.copyFileSync(path.join(ROOT, 'package.json'), path.join(published, 'package.json'));
  execFileSync(process.execPath, [path.join(ROOT, 'build.mjs'), path.join(published, 'dist')]);
  service = createServer(async (request, response) => {
    let body = '';
    for await (const part of request as AsyncIterable<Buffer>) body += part.toString();
    requested.push({ url: request.url, body });
    response.end(JSON.stringify(answers[request.url ?? ''] ?? null));
  });
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
}, 120_000);
afterAll(() => {
  for (const child of running) child.kill();
  service.closeAllConnections();
  service.close();
  fs.rmSync(directory, { recursive: true, force: true });
});

/** Starts a program and returns its output lines as they come. */
function run(program: string): AsyncIterator<string> {
  const env = {
    NODE_ENV: 'test' as const,
    STABLETILL_API_KEY: 'ak_test_1',
    STABLETILL_API_SECRET: 'as_test_1',
    STABLETILL_URL: `http://127.0.0.1:${(service.address() as AddressInfo).port}`,
    STABLETILL_WEBHOOK_SECRET: 'whsec_1',
  };
  const file = path.join(directory, `${running.length}.mjs`);
  fs.writeFileSync(file, program);
  const child = spawn(process.execPath, [file], { cwd: directory, env, stdio: ['ignore', 'pipe', 'inherit'] });
  running.push(child);
  return createInterface({ input: child.stdout })[Symbol.asyncIterator]();
}

test('the README’s programs are the three that run here', () => {
  expect(programs).toHaveLength(3);
});

test('a payment is taken', async () => {
  const lines = run(programs[0] ?? '');
  expect((await lines.next()).value).toBe('Send the customer to https://pay.example.com/pay/cs_test_1');
  expect(requested.map(({ url }) => url)).toEqual(['/api/v1/checkout/sessions/create']);
  expect(JSON.parse(requested[0]?.body ?? '')).toMatchObject({ amount: 1250, currency: 'USD' });
  expect((await lines.next()).done).toBe(true);
});

test('a webhook is verified, and a forged one is not', async () => {
  const program = programs[1] ?? '';
  expect(program).toContain('.listen(8080)');
  const anyPort = `.listen(0, '127.0.0.1', function () { console.log(this.address().port); })`;
  const lines = run(program.replace('.listen(8080)', anyPort).replace('console.error(', 'console.log('));
  const port = (await lines.next()).value as string;
  const deliver = async (secret: string) => {
    const message = { eventId: 'evt_1', type: 'payment.completed', body: EVENT, secret, previousSecret: null };
    const headers = signedHeaders(message, { timestamp: unixSeconds(new Date()), nonce: 'n-1' });
    const answer = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body: EVENT });
    return [answer.status, await answer.text()];
  };
  expect(await deliver('whsec_1')).toEqual([200, '{"received":true}']);
  expect((await lines.next()).value).toBe('paid: order-7');
  expect(await deliver('whsec_2')).toEqual([400, '']);
  expect((await lines.next()).value).toMatch(/^signature_mismatch The signature does not match/);
});

test('a client catches up with missed events', async () => {
  requested = [];
  const [client] = /^import[^]*?\}\);\n/.exec(programs[0] ?? '') ?? [''];
  const own = `const load = async () => 'c1';
    const save = async (cursor) => console.log('kept', cursor);
    const handle = async (event) => console.log('handled', event.id);`;
  const lines = run(`${client}${own}\n${programs[2]}`);
  expect([(await lines.next()).value, (await lines.next()).value]).toEqual(['handled evt_1', 'kept c2']);
  expect((await lines.next()).done).toBe(true);
  expect(requested.map(({ url }) => url)).toEqual(['/api/v1/events?order=asc&cursor=c1']);
});
