// The refund wallet's transactions on a Solana node with programmable answers: what others can add to the list, and what a node
// may omit.

import { afterEach, beforeEach, expect, it } from 'vitest';
import { fromUnixSeconds } from '@/lib/platform/clock';
import { silentLog } from '@/testing/chain-clock';
import type { FakeSolanaNode } from '@/testing/solana/fake-solana-node';
import { fakeKey } from '@/testing/solana/solana-ledger';
import { localSolana, startSolana, T0 } from '@/testing/solana/solana-scene';
import { openSolanaSender } from '@/lib/networks/families/solana/sending/send';

const WALLET = fakeKey('refund wallet');
type Transaction = { transaction: { message: object } };

let node: FakeSolanaNode;
beforeEach(async () => {
  node = await startSolana();
  node.tamper = withHeader;
});
afterEach(() => node.close());

/** The fake node leaves out who signed. */
const withHeader: FakeSolanaNode['tamper'] = ({ method }, result) => {
  if (method !== 'getTransaction') return undefined;
  const given = result as Transaction;
  const message = { ...given.transaction.message, header: { numRequiredSignatures: 1 } };
  return { ...given, transaction: { ...given.transaction, message } };
};
const sign = () => void node.mine([{ feePayer: WALLET }]);
const mention = (count: number) => void node.mine(Array.from({ length: count }, () => ({ mentions: [WALLET] })));
const open = (url = node.url) =>
  openSolanaSender({
    spec: localSolana,
    urls: [url],
    needed: 1,
    clock: { now: () => fromUnixSeconds(node.blocks.at(-1)!.time) },
    log: silentLog(),
    timeoutMs: 5000,
  });
/** What the database keeps between two processes. */
let stored: Set<string>;
beforeEach(() => void (stored = new Set()));
const mentions = {
  among: async (endpoint: string, hashes: readonly string[]) =>
    new Set(hashes.filter((hash) => stored.has(`${endpoint} ${hash}`))),
  add: async (endpoint: string, found: readonly { hash: string }[]) =>
    found.forEach(({ hash }) => stored.add(`${endpoint} ${hash}`)),
};
const ask = async (sender = open()) =>
  (
    await sender.unknownTransactions!(WALLET, {
      since: T0,
      known: async () => new Set(),
      knownExpiry: async () => null,
      mentions,
    })
  ).votes[0]!;
const newest = () => node.blocks.at(-1)!.transactions[0]!.signature;

it('reports transactions that the wallet signed, and none that only mention it', async () => {
  mention(3);
  sign();
  const hash = newest();
  mention(3);
  expect((await ask()).unknown).toMatchObject([{ hash }]);
});

it('reads a hundred mentioning transactions at a time, and continues where it stopped, also in another process', async () => {
  sign();
  const hash = newest();
  mention(250);
  for (const read of [100, 200]) {
    await expect(ask()).rejects.toMatchObject({
      fault: 'unavailable',
      message: expect.stringContaining('mention'),
    });
    expect(node.calls.get('getTransaction')).toBe(read);
  }
  expect((await ask()).unknown).toMatchObject([{ hash }]);
  expect(node.calls.get('getTransaction')).toBe(251);
});

it('reads no transaction twice, so that an endpoint that missed a run catches up with the others', async () => {
  sign();
  mention(150);
  const sender = open();
  await expect(ask(sender)).rejects.toMatchObject({ fault: 'unavailable' });
  for (let look = 0; look < 3; look++) expect((await ask(sender)).unknown).toHaveLength(1);
  // Each run reads the wallet's own transaction from the client's cache.
  expect(node.calls.get('getTransaction')).toBe(151);
});

it('throws for a node that does not report who signed', async () => {
  sign();
  node.tamper = () => undefined;
  await expect(ask()).rejects.toMatchObject({
    fault: 'unavailable',
    message: expect.stringContaining('does not report who signed'),
  });
});

it.each(['an empty page', 'another page'])('throws for a node that continues its list with %s', async (kind) => {
  sign();
  node.mine(Array.from({ length: 1200 }, () => ({ mentions: [WALLET], err: 'AccountInUse' })));
  expect((await ask()).unknown).toHaveLength(1);
  node.tamper = (call, result) => {
    const isNext = call.method === 'getSignaturesForAddress' && 'before' in (call.params[1] as object);
    if (isNext) return kind === 'an empty page' ? [] : (result as object[]).slice(5);
    return withHeader(call, result);
  };
  await expect(ask()).rejects.toMatchObject({ fault: 'unavailable' });
});

it('keeps the transactions read so far if the endpoint fails in the middle', async () => {
  sign();
  mention(90);
  node.tamper = (call, result) => (node.calls.get('getTransaction')! > 60 ? null : withHeader(call, result));
  await expect(ask()).rejects.toMatchObject({ name: 'ChainError' });
  expect(stored.size).toBe(60);
});

it('does not reuse one endpoint’s results for the endpoint that replaced it', async () => {
  sign();
  node.tamper = (call, result) => {
    const given = withHeader(call, result) as Transaction | undefined;
    if (!given) return undefined;
    const message = { ...given.transaction.message, accountKeys: [fakeKey('stranger'), WALLET] };
    return { ...given, transaction: { ...given.transaction, message } };
  };
  expect((await ask()).unknown).toEqual([]);
  expect(stored.size).toBe(1);
  node.tamper = withHeader;
  expect((await ask(open(`${node.url}/other`))).unknown).toHaveLength(1);
});

it('stores no key of an endpoint with its results', async () => {
  mention(1);
  await ask(open(`${node.url}/?api-key=secret`));
  expect([...stored]).toEqual([expect.stringMatching(/^[0-9a-f]{16} \S+$/)]);
});

it('reports the time of its newest block, so that the worker detects its own slow clock', async () => {
  mention(1);
  expect(await open().newestTime!()).toEqual({ endpoint: 'endpoint 1', time: node.blocks.at(-1)!.time });
});
