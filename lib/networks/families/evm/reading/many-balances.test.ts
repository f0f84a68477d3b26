// How long single calls replace the combined call on an endpoint that refuses it.

import { afterEach, beforeEach, expect, it } from 'vitest';
import { openBalanceReader } from '@/lib/networks/families/clients';
import type { BalanceReader } from '@/lib/networks/endpoints/balances-reader';
import { openTestClock, silentLog, type TestClock } from '@/testing/chain-clock';
import { startFakeNode, transferLog, type FakeNode } from '@/testing/evm/fake-evm-node';
import { localEthereum, T0 } from '@/testing/watching/watched-chain';

const ADDRESSES = [1, 2, 3].map((n) => `0x${String(n).repeat(40)}`);
const HOUR_MS = 3_600_000;
const { contract } = localEthereum.tokens.USDT!;

let node: FakeNode;
let clock: TestClock;
let reader: BalanceReader;
let calls: { single: number; many: number };
/** The answer to the combined call; undefined: the real result. */
let refusal: () => unknown;

beforeEach(async () => {
  const tokens = Object.values(localEthereum.tokens);
  const decimals = Object.fromEntries(tokens.map((token) => [token.contract, token.decimals]));
  node = await startFakeNode({ chainId: localEthereum.chainId!, decimals, time: T0 });
  node.mine([{ logs: ADDRESSES.map((to, n) => transferLog(contract, ADDRESSES[0]!, to, BigInt(n + 1))) }]);
  clock = openTestClock(T0);
  calls = { single: 0, many: 0 };
  refusal = () => undefined;
  node.tamper = ({ method, params, id }) => {
    if (method !== 'eth_call') return undefined;
    const { to, data } = params[0] as { to?: string; data: string };
    if (to === undefined) calls.many++;
    // The fake node makes its own calls, with id 0, to compute the result.
    else if (data.startsWith('0x70a08231') && id !== 0) calls.single++;
    return to === undefined ? refusal() : undefined;
  };
  reader = openBalanceReader({ spec: localEthereum, urls: [node.url], needed: 1, clock, log: silentLog() });
});
afterEach(() => node.close());

const amounts = async () => {
  const held = await reader.tokens(
    ADDRESSES.map((address) => ({ address })),
    'USDT',
  );
  return ADDRESSES.map((address) => held.get(address)?.amount);
};
const error = (code: number, message: string) => () => ({ error: { code, message } });

it('reads many balances in one call', async () => {
  expect(await amounts()).toEqual([1n, 2n, 3n]);
  expect(calls).toEqual({ single: 0, many: 1 });
});

it.each([
  ['needs a recipient', error(-32602, 'missing value for required argument "to"')],
  ['has no gas for it', error(-32000, 'out of gas')],
  ['reverts', error(3, 'execution reverted')],
])('uses single calls on an endpoint that %s until it is proven again', async (_name, refuse) => {
  refusal = refuse;
  expect(await amounts()).toEqual([1n, 2n, 3n]);
  expect(await amounts()).toEqual([1n, 2n, 3n]);
  expect(calls).toEqual({ single: 6, many: 1 });
  refusal = () => undefined;
  clock.advance(HOUR_MS);
  expect(await amounts()).toEqual([1n, 2n, 3n]);
  expect(calls).toEqual({ single: 6, many: 2 });
});

it('makes no single calls while the endpoint is throttled', async () => {
  refusal = error(-32005, 'daily request count exceeded, request rate limited');
  await expect(amounts()).rejects.toMatchObject({ throttled: true });
  expect(calls).toEqual({ single: 0, many: 1 });
});

it('tries again after an endpoint was away', async () => {
  let isAway = true;
  node.hijack = (_request, response, body) => {
    if (!isAway || !body.includes('eth_call') || body.includes('0x313ce567')) return false;
    response.writeHead(502).end();
    return true;
  };
  await expect(amounts()).rejects.toMatchObject({ fault: 'unavailable' });
  isAway = false;
  clock.advance(10_000);
  expect(await amounts()).toEqual([1n, 2n, 3n]);
  expect(calls).toEqual({ single: 0, many: 1 });
});
