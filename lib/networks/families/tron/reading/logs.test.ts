// Finding blocks through the JSON-RPC list of transfers: as safe as reading every block, with far fewer requests, and dropped if
// the list is unreliable.

import { describe, expect, it } from 'vitest';
import { localChainId } from '@/testing/local-chain-id';
import { TRON_OURS, TRON_PAID_IN, TRON_SOLID, tronWindow, useTronPair, watchTronOurs } from '@/testing/tron/tron-pair';
import { addressBytes } from '@/lib/networks/families/tron/address';
import { jsonRpcOf, openTronClient } from '@/lib/networks/families/tron/http';

const { faulty, good, open } = useTronPair({ jsonRpc: true });
type Listed = { transactionHash: string; blockHash: string; blockNumber: string; topics: string[] };
const ours = `0x${addressBytes(TRON_OURS).padStart(64, '0')}`;
const tamperLogs = (change: (logs: Listed[]) => unknown) =>
  void (faulty().tamper = ({ side, api }, answer) =>
    side === 'jsonrpc' && api === 'eth_getLogs' ? change(structuredClone(answer) as Listed[]) : undefined);
const infos = () => faulty().calls.get('walletsolidity/gettransactioninfobyblocknum') ?? 0;

describe('a node that lists transfers', () => {
  it('needs one list per window, and only the block that pays us is read whole', async () => {
    const adapter = open([good().url]);
    await adapter.head();
    good().calls.clear();
    const { transfers, through } = await adapter.scan(tronWindow, watchTronOurs);
    expect(transfers).toEqual((await open([await withoutList()]).scan(tronWindow, watchTronOurs)).transfers);
    expect(through.hash).toBe(good().blocks[10]!.id);
    expect(Object.fromEntries(good().calls)).toEqual({
      'jsonrpc/eth_getLogs': 1,
      'walletsolidity/getblock': 3,
      'wallet/getblock': 1,
      'walletsolidity/getblockbynum': 1,
      'walletsolidity/gettransactioninfobyblocknum': 1,
    });
  });

  /** The other node, with the same chain and no JSON-RPC. */
  async function withoutList(): Promise<string> {
    faulty().missing.add('jsonrpc');
    return faulty().url;
  }

  it('accepts windows of up to sixty blocks', async () => {
    const adapter = open([good().url]);
    await adapter.head();
    const window = { ...tronWindow, to: 60 };
    expect((await adapter.scan(window, watchTronOurs)).transfers).toHaveLength(1);
    await expect(adapter.scan({ ...window, from: 0 }, watchTronOurs)).rejects.toMatchObject({ fault: 'too_large' });
  });

  it('lists only transfers to and from one address in a re-scan of that address', async () => {
    const requested: unknown[] = [];
    faulty().tamper = ({ api, body }) => void (api === 'eth_getLogs' && requested.push(body.params));
    const rescan = { method: 'address', address: TRON_OURS } as const;
    expect((await open([faulty().url]).scan({ ...tronWindow, rescan }, watchTronOurs)).transfers).toHaveLength(1);
    const topics = requested.slice(-2).map((params) => (params as { topics: unknown[] }[])[0]?.topics.slice(1));
    expect(topics).toEqual([[null, ours], [ours]]);
  });

  it('is read block by block when a balance discrepancy requires it', async () => {
    tamperLogs((logs) => logs.filter(({ topics }) => topics[2] !== ours));
    const adapter = open([faulty().url]);
    expect((await adapter.scan(tronWindow, watchTronOurs)).transfers).toEqual([]);
    const rescan = { method: 'blocks', address: TRON_OURS } as const;
    expect((await adapter.scan({ ...tronWindow, rescan }, watchTronOurs)).transfers).toHaveLength(1);
  });

  it('detects a reorg from a different parent', async () => {
    const window = { ...tronWindow, parentHash: '77'.repeat(32) };
    await expect(open([good().url]).scan(window, watchTronOurs)).rejects.toMatchObject({ fault: 'reorganised' });
  });

  it.each<[string, string, (logs: Listed[]) => unknown]>([
    [
      'of blocks that were not requested',
      'contradiction',
      (logs) => logs.map((log) => ({ ...log, blockNumber: '0x63' })),
    ],
    [
      'of another block by its hash',
      'contradiction',
      (logs) => logs.map((log) => ({ ...log, blockHash: `0x${'77'.repeat(32)}` })),
    ],
    ['of other tokens', 'contradiction', (logs) => logs.map((log) => ({ ...log, address: `0x${'77'.repeat(20)}` }))],
    ['of other events', 'contradiction', (logs) => logs.map((log) => ({ ...log, topics: [ours, ours, ours] }))],
  ])('is not trusted when it lists logs %s', async (_what, fault, change) => {
    const adapter = open([faulty().url]);
    await adapter.head();
    tamperLogs(change);
    await expect(adapter.scan(tronWindow, watchTronOurs)).rejects.toMatchObject({ fault });
    const both = open([faulty().url, good().url]);
    expect((await both.scan(tronWindow, watchTronOurs)).transfers).toHaveLength(1);
  });

  it('credits nothing that the list invents without a matching block', async () => {
    const adapter = open([faulty().url]);
    await adapter.head();
    tamperLogs((logs) => logs.map((log) => ({ ...log, topics: [...log.topics.slice(0, 2), ours] })));
    const { transfers } = await adapter.scan(tronWindow, watchTronOurs);
    expect(transfers.map(({ blockNumber }) => blockNumber)).toEqual([TRON_PAID_IN]);
  });
});

describe('every block is read whole', () => {
  it.each<[string, () => unknown]>([
    ['without JSON-RPC', () => faulty().missing.add('jsonrpc')],
    ['without an index of logs, which answers with nothing', () => tamperLogs(() => [])],
    ['that leaves out a transfer of the block it is proven by', () => tamperLogs((logs) => logs.slice(1))],
    [
      'that names another sender of a transfer of the block it is proven by',
      () => tamperLogs((logs) => logs.map((log) => ({ ...log, topics: [log.topics[0], ours, log.topics[2]] }))),
    ],
    [
      'whose JSON-RPC serves another chain',
      () =>
        (faulty().tamper = ({ api }) =>
          api === 'eth_chainId' ? `0x${(localChainId('tron') + 1).toString(16)}` : undefined),
    ],
    ['that refuses lists', () => tamperLogs(() => ({ error: { code: -32601, message: 'this API is closed' } }))],
    ['whose lists cannot be read', () => tamperLogs(() => 'nonsense')],
  ])('at a node %s', async (_what, spoil) => {
    spoil();
    const { transfers } = await open([faulty().url]).scan(tronWindow, watchTronOurs);
    expect(transfers).toHaveLength(1);
    expect(infos()).toBeGreaterThanOrEqual(10);
  });

  it('if no recent block has a transfer that could prove the list', async () => {
    for (let left = 5; left > 0; left--) faulty().mine();
    faulty().solidDepth = 18;
    for (const block of faulty().blocks.slice(TRON_SOLID)) block.transactions.splice(0);
    await open([faulty().url]).scan(tronWindow, watchTronOurs);
    expect(infos()).toBeGreaterThanOrEqual(10);
  });

  it('after a failed list until the next proof, without losing the window', async () => {
    const adapter = open([faulty().url]);
    await adapter.head();
    tamperLogs(() => ({ error: { code: -32000, message: 'internal error' } }));
    expect((await adapter.scan(tronWindow, watchTronOurs)).transfers).toHaveLength(1);
    const before = faulty().calls.get('jsonrpc/eth_getLogs');
    await adapter.scan(tronWindow, watchTronOurs);
    expect(faulty().calls.get('jsonrpc/eth_getLogs')).toBe(before);
  });

  it('except that too many blocks lead to a smaller window', async () => {
    const adapter = open([faulty().url]);
    await adapter.head();
    tamperLogs(() => ({ error: { code: -32005, message: 'query returned more than 10000 results' } }));
    await expect(adapter.scan(tronWindow, watchTronOurs)).rejects.toMatchObject({ fault: 'too_large' });
  });

  it('and a pause requested by the provider is respected', async () => {
    const adapter = open([faulty().url]);
    await adapter.head();
    tamperLogs(() => ({ error: { code: -32005, message: 'daily request count exceeded' } }));
    await expect(adapter.scan(tronWindow, watchTronOurs)).rejects.toMatchObject({ throttled: true });
  });
});

it('a self-hosted node’s URL names the other port of its JSON-RPC', () => {
  const named = { name: 'endpoint 1', apiKey: undefined };
  const url = 'http://10.0.0.5:8090/?solidity=http://10.0.0.5:8091&jsonrpc=http://10.0.0.5:8545/jsonrpc';
  expect(jsonRpcOf({ ...named, url }).url.href).toBe('http://10.0.0.5:8545/jsonrpc');
  expect(jsonRpcOf({ ...named, url: 'https://api.trongrid.io' }).url.href).toBe('https://api.trongrid.io/jsonrpc');
  expect(() => jsonRpcOf({ ...named, url: 'http://10.0.0.5:8090?jsonrpc=8545' })).toThrow(
    'endpoint 1: what jsonrpc= names',
  );
  expect(jsonRpcOf({ ...named, url: 'https://api.trongrid.io', apiKey: 'k' }).headers).toEqual({
    'tron-pro-api-key': 'k',
  });
  expect(() => openTronClient({ ...named, url: 'http://a?solidity=b' })).toThrow('what solidity= names');
});
