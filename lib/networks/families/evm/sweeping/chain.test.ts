import { afterEach, expect, it } from 'vitest';
import { networkSpec } from '@/lib/networks/networks';
import { startLyingEndpoint } from '@/sandbox/chains/lying-endpoint';
import { localChainId } from '@/testing/local-chain-id';
import { openTestClock, silentLog } from '@/testing/chain-clock';
import { startFakeNode } from '@/testing/evm/fake-evm-node';
import { openSweepChain } from './chain';

const spec = networkSpec('test', 'ethereum', 'local')!;
const decimals = Object.fromEntries(Object.values(spec.tokens).map((token) => [token.contract, token.decimals]));
const TIME = 1_760_000_000;
const [STOLEN, WALLET] = [`0x${'a1'.repeat(20)}`, `0x${'b2'.repeat(20)}`];
const THIEF = `0x${'c3'.repeat(20)}`;

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

/** An endpoint at which these addresses delegate to the thief's code. */
async function endpoint(delegating: readonly string[]): Promise<string> {
  const node = await startFakeNode({ chainId: localChainId('ethereum'), decimals: { ...decimals }, time: TIME });
  const proxy = await startLyingEndpoint(node.url, (method, result, params) => {
    const [address] = params as [string];
    if (method !== 'eth_getCode') return result;
    return delegating.includes(address) ? `0xef0100${THIEF.slice(2)}` : '0x';
  });
  stops.push(proxy.stop, () => node.close());
  return proxy.url;
}

const open = async (needed: number, ...delegating: string[][]) => {
  const urls = [];
  for (const one of delegating) urls.push(await endpoint(one));
  return openSweepChain({ spec, urls, needed, clock: openTestClock(TIME), log: silentLog(), timeoutMs: 3000 });
};

it('what an address delegates to counts where enough endpoints report the same', async () => {
  const chain = await open(2, [STOLEN], [STOLEN], []);
  expect([...(await chain.agreedDelegates([STOLEN, WALLET]))]).toEqual([
    [STOLEN, THIEF],
    [WALLET, null],
  ]);
});

it('one endpoint that invents a delegation among two is not believed', async () => {
  const chain = await open(2, [STOLEN], []);
  expect([...(await chain.agreedDelegates([STOLEN, WALLET]))]).toEqual([[WALLET, null]]);
});
