// The adapter's requests: pacing, size, key and ports, its behaviour while a node lags, and the head that it trusts.

import { describe, expect, it } from 'vitest';
import { networkSpec } from '@/lib/networks/networks';
import { openTestClock, silentLog } from '@/testing/chain-clock';
import { startFakeTronNode } from '@/testing/tron/fake-tron-node';
import {
  localTron,
  TRON_OTHER,
  TRON_OURS,
  TRON_PAYER,
  TRON_SOLID,
  TRON_T0,
  tronDecimals,
  tronUsdt,
  tronWindow,
  useTronPair,
  watchTronOurs,
} from '@/testing/tron/tron-pair';
import { transferLog } from '@/testing/tron/tron-shapes';
import { openTronAdapter } from './adapter';
import { refusal, statusFault } from './http-faults';
import { isTronGrid } from './http';
import { openPacing } from '@/lib/networks/endpoints/pacing';

const { clock, waits, faulty, good, open, on, answer } = useTronPair();

describe('a provider’s rate limit', () => {
  it.each([
    ['its header', () => answer(429, '', { 'retry-after': '7' }), 7],
    [
      'the text of a suspension',
      () =>
        answer(403, '{"Error":"The key exceeds the frequency limit(15), and the query server is suspended for 30s"}'),
      30,
    ],
    [
      'the same text with status 200',
      () =>
        answer(200, '{"Error":"The key exceeds the frequency limit(15), and the query server is suspended for 30s"}'),
      30,
    ],
    ['nothing but the status', () => answer(429, 'slow down'), null],
    ['a node that is busy', () => answer(200, '{"Error":"lack of computing resources"}'), null],
  ])('is recognised from %s', async (_from, spoil, seconds) => {
    spoil();
    const head = open([faulty().url]).head();
    await expect(head).rejects.toMatchObject({ fault: 'unavailable', throttled: true, retryAfterSeconds: seconds });
  });

  it('pauses the endpoint for its duration while another one is used', async () => {
    answer(403, '{"Error":"The key exceeds the frequency limit(15), and the query server is suspended for 30s"}');
    const adapter = open([faulty().url, good().url]);
    expect((await adapter.scan(tronWindow, watchTronOurs)).transfers).toHaveLength(1);
    const requested = [...faulty().calls.values()].reduce((sum, count) => sum + count, 0);
    clock.advance(29_000);
    await adapter.head();
    expect([...faulty().calls.values()].reduce((sum, count) => sum + count, 0)).toBe(requested);
  });

  it.each([
    ['no key', 403, '{"Error":"ApiKey not exists"}', {}],
    ['too large', 413, '', {}],
    ['a date', 503, '', { 'retry-after': 'Wed, 21 Oct 2026 07:28:00 GMT' }],
  ])('is not inferred from other refusals: %s', (_what, status, text, headers: Record<string, string>) => {
    const fault = statusFault('endpoint 1', 'getblock', { status, retryAfter: headers['retry-after'], text });
    expect(fault).toMatchObject({ fault: 'unavailable', throttled: false, retryAfterSeconds: null });
  });

  it('does not repeat the provider’s text', () => {
    for (const said of ['key-9f8e7d is suspended for 5s', 'key-9f8e7d unavailable due to config', 'no key-9f8e7d']) {
      expect(refusal('endpoint 1', 'getblock', said).message).not.toMatch(/9f8e7d/);
    }
  });
});

describe('request pacing', () => {
  it('lets a few requests go at once and then one per interval, without saving up', async () => {
    const time = openTestClock(TRON_T0);
    const paused: number[] = [];
    const turn = openPacing({ perSecond: 15, clock: time, wait: async (ms) => void paused.push(Math.round(ms)) });
    for (let count = 0; count < 6; count++) await turn(1);
    expect(paused).toEqual([83, 167, 250]);
    time.advance(10_000);
    for (let count = 0; count < 4; count++) await turn(1);
    expect(paused.slice(3)).toEqual([83]);
  });

  it('applies to TronGrid only', () => {
    const metered = ['https://api.trongrid.io', 'https://nile.trongrid.io/', 'https://trongrid.io'];
    const free = [
      'https://trongrid.io.example',
      'http://127.0.0.1:8090',
      'https://nottrongrid.io',
      'https://a.example/trongrid.io',
    ];
    expect([...metered, ...free].map((url) => isTronGrid(new URL(url)))).toEqual([
      ...metered.map(() => true),
      ...free.map(() => false),
    ]);
  });

  it('gives a metered endpoint spread requests, small windows and one head per scan', async () => {
    const adapter = open([good().url], { isMetered: () => true });
    const head = await adapter.head();
    expect(waits.length).toBeGreaterThan(0);
    const requests = () => [...good().calls.values()].reduce((sum, count) => sum + count, 0);
    const before = requests();
    good().mine();
    expect(await adapter.head()).toEqual(head);
    await adapter.scan({ ...tronWindow, from: 58, to: 60 }, watchTronOurs);
    await adapter.scan({ ...tronWindow, from: 76, to: 78, final: false }, watchTronOurs);
    expect(requests() - before).toBe(8);
    await expect(adapter.scan({ ...tronWindow, to: 21 }, watchTronOurs)).rejects.toMatchObject({ fault: 'too_large' });
    clock.advance(900);
    expect((await adapter.head()).tip.number).toBe(head.tip.number + 1);
    expect(requests() - before).toBe(10);
  });

  it('reserves most of a metered endpoint for the watcher and a small share for visitors’ requests', async () => {
    const adapter = open([good().url], { isMetered: () => true });
    const ask = (n: number) => adapter.lookup(n.toString(16).padStart(64, '0'));
    for (let n = 0; n < 60; n++) expect(await ask(n)).toBeNull();
    const requested = good().calls.get('gettransactioninfobyid');
    await expect(ask(60)).rejects.toMatchObject({ fault: 'unavailable', demotes: false });
    expect(good().calls.get('gettransactioninfobyid')).toBe(requested);
    expect((await adapter.head()).tip.number).toBeGreaterThan(0);
    clock.advance(120_000);
    expect(await ask(60)).toBeNull();
    await expect(ask(61)).rejects.toThrow('endpoint 1 reserves the rest of its daily requests for watching payments');
  });

  it('never waits on a self-hosted node', async () => {
    await open([good().url]).scan(tronWindow, watchTronOurs);
    expect(waits).toEqual([]);
  });
});

describe('a window', () => {
  it('is refused without a request if it is too large to read in time', async () => {
    const scan = open([good().url]).scan({ ...tronWindow, to: 51 }, watchTronOurs);
    await expect(scan).rejects.toMatchObject({ fault: 'too_large', demotes: false });
    expect([...good().calls.keys()].filter((one) => one.includes('info'))).toEqual([]);
  });

  it.each([
    ['cannot give several blocks at once', () => faulty().missing.add('getblockbylimitnext')],
    [
      'gives several only in an answer that is too long',
      () => on('getblockbylimitnext', () => ({ block: 'x'.repeat(33 * 1024 * 1024) })),
    ],
    [
      'needs too long for several',
      () => (faulty().hijack = ({ url }) => url?.endsWith('walletsolidity/getblockbylimitnext') === true),
    ],
  ])('is read block by block on a node that %s', async (_what, spoil) => {
    spoil();
    const { transfers, through } = await open([faulty().url], { timeoutMs: 3000 }).scan(tronWindow, watchTronOurs);
    expect([transfers.length, through.hash]).toEqual([1, good().blocks[10]!.id]);
    expect(faulty().calls.get('walletsolidity/getblockbynum')).toBe(10);
  });

  it('costs one request per five whole blocks besides their results', async () => {
    await open([good().url]).scan(tronWindow, watchTronOurs);
    expect(good().calls.get('walletsolidity/getblockbylimitnext')).toBe(2);
    expect(good().calls.get('walletsolidity/getblockbynum')).toBeUndefined();
  });

  it('is read only from the solid side if it will be credited, otherwise from the full side', async () => {
    await open([good().url]).scan(tronWindow, watchTronOurs);
    expect(good().calls.get('wallet/getblockbynum')).toBeUndefined();
    expect(good().calls.get('wallet/gettransactioninfobyblocknum')).toBeUndefined();
    expect(good().calls.get('walletsolidity/gettransactioninfobyblocknum')).toBe(10);
    await open([good().url]).scan({ ...tronWindow, from: 61, to: 78, final: false }, watchTronOurs);
    expect(good().calls.get('wallet/gettransactioninfobyblocknum')).toBe(18);
    expect(good().calls.get('walletsolidity/gettransactioninfobyblocknum')).toBe(10);
  });

  it('requests only a few blocks at once', async () => {
    let now = 0;
    let most = 0;
    good().hijack = (_request, response) => {
      most = Math.max(most, ++now);
      response.once('close', () => now--);
      return false;
    };
    await open([good().url]).scan({ ...tronWindow, to: 40 }, watchTronOurs);
    expect(most).toBeLessThanOrEqual(6);
  });

  it('looks up only addresses that sent or received something', async () => {
    good().mine([
      { logs: [transferLog(tronUsdt, TRON_PAYER, TRON_OTHER, 0n), transferLog(tronUsdt, TRON_PAYER, TRON_OURS, 1n)] },
    ]);
    const requested: string[] = [];
    const watch = {
      ...watchTronOurs,
      among: (all: readonly string[]) => (requested.push(...all), watchTronOurs.among(all)),
    };
    const last = good().blocks.length - 1;
    await open([good().url]).scan({ from: last, to: last, parentHash: null, final: false }, watch);
    expect(requested).toEqual([TRON_OURS, TRON_PAYER]);
  });

  it('can start at the first block although no node has results of block 0', async () => {
    const { transfers } = await open([good().url]).scan({ ...tronWindow, from: 0 }, watchTronOurs);
    expect(transfers).toHaveLength(1);
  });
});

describe('a block', () => {
  it('is not trusted if its id has another height', async () => {
    on('getblock', (block, body) => (body.id_or_num === '7' ? { ...block, blockID: good().blocks[8]!.id } : undefined));
    await expect(open([faulty().url]).block(7)).rejects.toMatchObject({ fault: 'contradiction' });
  });

  it('is null if it does not exist yet', async () => {
    expect(await open([good().url]).block(1000)).toBeNull();
  });
});

describe('a node that lags for a moment', () => {
  it('gets two short waits to catch up before the window fails', async () => {
    let requested = 0;
    on('gettransactioninfobyblocknum', (_infos, body) => (body.num === 5 && ++requested < 3 ? [] : undefined));
    expect((await open([faulty().url]).scan(tronWindow, watchTronOurs)).transfers).toHaveLength(1);
    expect(waits).toEqual([400, 400]);
  });
});

describe('the head', () => {
  it('is a block that the node itself calls solid', async () => {
    faulty().solidDepth = 25;
    const { tip, final } = await open([faulty().url]).head();
    expect([tip.number - final.number, final.hash]).toEqual([25, good().blocks[final.number]!.id]);
  });

  it('is never final with fewer than nineteen confirmations, whatever the node calls solid', async () => {
    faulty().solidDepth = 0;
    const { tip, final } = await open([faulty().url]).head();
    expect([tip.number - final.number, final.hash]).toEqual([18, good().blocks[final.number]!.id]);
  });

  it('comes from an endpoint that is not stale', async () => {
    clock.advance(1_000_000);
    good().mine([], Math.floor(clock.now().getTime() / 1000) - 5);
    expect((await open([faulty().url, good().url]).head()).tip.hash).toBe(good().blocks.at(-1)!.id);
  });

  it('comes from whole blocks if a node has no headers, without trying headers again', async () => {
    faulty().missing.add('getblock');
    const adapter = open([faulty().url]);
    const before = await adapter.head();
    const requested = faulty().calls.get('wallet/getblock');
    expect(await adapter.head()).toEqual(before);
    expect(before).toEqual(await open([good().url]).head());
    expect(faulty().calls.get('wallet/getblock')).toBe(requested);
    expect(await adapter.block(7)).toEqual(await open([good().url]).block(7));
  });

  it('is the first block on an empty chain', async () => {
    const fresh = await startFakeTronNode({ decimals: tronDecimals(), time: TRON_T0 });
    const { tip, final } = await open([fresh.url]).head();
    expect([tip.number, final.number, final.hash]).toEqual([0, 0, await open([fresh.url]).genesis()]);
    await fresh.close();
  });
});

describe('an endpoint’s URL', () => {
  it('sends the key as a header to TronGrid or to a forwarder on this machine', async () => {
    await open([good().url], { apiKey: 'secret-key' }).head();
    expect(good().headers['tron-pro-api-key']).toBe('secret-key');
    await open([faulty().url]).head();
    expect(faulty().headers['tron-pro-api-key']).toBeUndefined();
  });

  it('never sends the key to any other host', async () => {
    const elsewhere = good().url.replace('127.0.0.1', '0.0.0.0');
    await open([elsewhere], { apiKey: 'secret-key' }).head();
    expect([good().calls.size > 0, good().headers['tron-pro-api-key']]).toEqual([true, undefined]);
  });

  it('can name a second port for the solid side, and each side gets its own requests', async () => {
    const url = `${good().url}?token=abc&solidity=${encodeURIComponent(faulty().url)}`;
    expect((await open([url]).scan(tronWindow, watchTronOurs)).transfers).toHaveLength(1);
    expect([...good().calls.keys()].every((one) => one.startsWith('wallet/'))).toBe(true);
    expect([...faulty().calls.keys()].every((one) => one.startsWith('walletsolidity/'))).toBe(true);
  });

  it('is refused without being repeated if a parameter is not a URL', () => {
    for (const bad of ['ftp://key-9f8e7d', 'key-9f8e7d', '']) {
      const start = () => open([`${good().url}?solidity=${bad}`]);
      expect(start).toThrow(/endpoint 1: what solidity= names must be an http or https address/);
      expect(start).not.toThrow(/9f8e7d/);
    }
  });
});

describe('the chain behind an endpoint', () => {
  it('is identified by its genesis block, on both sides', async () => {
    const known = { ...localTron, genesis: good().blocks[0]!.id };
    expect(await open([good().url], { spec: known }).genesis()).toBe(known.genesis);
    const mainnet = networkSpec('live', 'tron', 'public')!;
    await expect(open([good().url], { spec: mainnet }).genesis()).rejects.toMatchObject({
      fault: 'wrong_chain',
      message: 'endpoint 1 does not serve tron (mainnet): its genesis block is another',
    });
  });

  it('gets no request before it is needed', () => {
    const urls = [good().url];
    openTronAdapter({ spec: localTron, urls, clock, log: silentLog() });
    expect(good().calls.size).toBe(0);
    expect(TRON_SOLID).toBeGreaterThan(50);
  });
});
