// Every hostile receiver of the kit: each is bounded in time and bytes, and all of them together do not affect a
// healthy one.

import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import { HOSTILE, HOSTILE_TLS, openHostile, type Hostile } from '@/testing/receivers/receiver-hostile';
import { openReceiver } from '@/testing/receivers/receiver';
import { openConnections } from './connections';
import { callReceiver, type CallOptions } from './dial';

/** For a call that only the deadline ends, plus the overhead of a busy machine. */
const [DEADLINE, GRACE] = [400, 2500];
/** For a call whose answer begins before the deadline, which ends it. */
const ANSWERED_DEADLINE = 2000;
/** For a call that ends by itself, long before the deadline. */
const FAR_DEADLINE = 5000;
const closing: (() => unknown)[] = [];
afterAll(async () => {
  for (const close of closing) await close();
});

const options: CallOptions = {
  reach: { toLoopback: true },
  deadlineMilliseconds: DEADLINE,
  lookup: async () => [{ address: '127.0.0.1', family: 4 }],
};
const call = (url: string, over: Partial<CallOptions> = {}) =>
  callReceiver({ url, headers: () => ({ 'Content-Type': 'application/json' }), body: '{}' }, { ...options, ...over });

async function callHostile(one: Hostile, protocol: 'http' | 'https', over: Partial<CallOptions> = {}) {
  const { port, close } = await openHostile(one);
  closing.push(close);
  const began = performance.now();
  const ca = one.tls?.isTrusted ? { ca: one.tls.certificate.cert } : {};
  const outcome = await call(`${protocol}://localhost:${port}/hook`, { ...ca, ...over });
  return { outcome, milliseconds: performance.now() - began };
}
const schemeOf = (one: Hostile) => (one.tls || HOSTILE_TLS.includes(one) ? 'https' : 'http');
const ALL = [...HOSTILE, ...HOSTILE_TLS];

test('W-13: the kit has more than the twenty-five required behaviours, each once', () => {
  expect(ALL.length).toBeGreaterThanOrEqual(25);
  expect(new Set(ALL.map(({ says }) => says)).size).toBe(ALL.length);
});

describe('W-13: a call is bounded in time and in stored bytes, whatever the receiver does:', () => {
  test.each(ALL.map((one) => [one.says, one] as const))('%s', async (_, one) => {
    const deadlineMilliseconds = one.isQuick ? FAR_DEADLINE : one.kind === 'answered' ? ANSWERED_DEADLINE : DEADLINE;
    const { outcome, milliseconds } = await callHostile(one, schemeOf(one), { deadlineMilliseconds });
    expect(outcome.kind).toBe(one.kind);
    expect(milliseconds).toBeLessThan(one.isQuick ? FAR_DEADLINE - 1000 : deadlineMilliseconds + GRACE);
    if (outcome.kind === 'answered') expect(Buffer.byteLength(outcome.answer)).toBeLessThanOrEqual(2048 * 3);
    // Pooled connections change nothing: the second call through them ends the same way.
    const connections = openConnections();
    const kept = await callHostile(one, schemeOf(one), { connections, deadlineMilliseconds });
    expect(kept.outcome.kind).toBe(one.kind);
    connections.close();
  });
});

/** The memory counted by the system, where a gigabyte sent to us would show. */
const residentBytes = (): number =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) * 1024;

test('W-13: all of them in parallel, several times, leak no memory, and a healthy receiver gets its event within a second', async () => {
  const healthy = await openReceiver();
  closing.push(healthy.close);
  const opened = await Promise.all(ALL.map(async (one) => ({ one, ...(await openHostile(one)) })));
  for (const { close } of opened) closing.push(close);
  const connections = openConnections();
  const onslaught = () =>
    opened.map(({ one, port }) =>
      call(`${schemeOf(one)}://localhost:${port}/hook`, {
        connections,
        ...(one.tls?.isTrusted ? { ca: one.tls.certificate.cert } : {}),
      }),
    );
  await Promise.all(onslaught());
  const before = residentBytes();
  const waits: number[] = [];
  for (let round = 0; round < 5; round++) {
    const calls = onslaught();
    const began = performance.now();
    const good = await Promise.all(
      Array.from({ length: 5 }, () => call(healthy.url, { connections, deadlineMilliseconds: 5000 })),
    );
    expect(good.map((outcome) => outcome.kind === 'answered' && outcome.status)).toEqual(Array(5).fill(200));
    waits.push(performance.now() - began);
    await Promise.all(calls);
  }
  connections.close();
  // All receivers share this process and its two processors with other tests: their best round is what our side takes.
  expect(Math.min(...waits)).toBeLessThan(1000);
  // 43 × 5 calls: kept bodies alone would be gigabytes. The receivers' own buffers are in this process too.
  expect(residentBytes() - before).toBeLessThan(200_000_000);
});

describe('a pooled connection', () => {
  test('serves the next calls to the same origin, and is reused only after it ended cleanly', async () => {
    const connections = openConnections();
    const polite = await openReceiver();
    const rude = await openReceiver(() => (answer) => void answer.writeHead(200, { connection: 'close' }).end());
    const endless = await openReceiver(() => (answer) => void answer.end('x'.repeat(100_000)));
    closing.push(polite.close, rude.close, endless.close, connections.close);
    for (const { url } of [polite, rude, endless]) {
      for (let n = 0; n < 4; n++) expect(await call(url, { connections })).toMatchObject({ status: 200 });
    }
    expect([polite, rude, endless].map((receiver) => receiver.connections())).toEqual([1, 4, 4]);
  });

  test('is not used when the name resolves elsewhere by now', async () => {
    const connections = openConnections();
    const receiver = await openReceiver();
    closing.push(receiver.close, connections.close);
    const { port } = new URL(receiver.url);
    const at = (address: string) =>
      call(`http://localhost:${port}/hook`, { connections, lookup: async () => [{ address, family: 4 }] });
    expect(await at('127.0.0.1')).toMatchObject({ status: 200 });
    expect(await at('127.0.0.2')).toEqual({ kind: 'unreachable', error: 'ECONNREFUSED' });
    expect(await at('10.0.0.1')).toEqual({ kind: 'refused', error: 'ADDRESS_NOT_ALLOWED' });
    expect(receiver.received.length).toBe(1);
  });

  test('that is cut causes one failed attempt, as on any other connection, and is not reused', async () => {
    const connections = openConnections();
    const receiver = await openReceiver((n) => (n === 1 ? 'close' : 200));
    closing.push(receiver.close, connections.close);
    const outcomes = [];
    for (let n = 0; n < 3; n++) outcomes.push(await call(receiver.url, { connections }));
    expect(outcomes).toMatchObject([{ status: 200 }, { kind: 'unreachable' }, { status: 200 }]);
    expect([receiver.received.length, receiver.connections()]).toEqual([3, 2]);
  });
});
