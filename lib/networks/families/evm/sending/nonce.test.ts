import { afterEach, expect, it } from 'vitest';
import { silentLog } from '@/testing/chain-clock';
import type { FakeNode } from '@/testing/evm/fake-evm-node';
import { localEthereum, useWatchedChain } from '@/testing/watching/watched-chain';
import { openEvmSender } from './send';

const { newNode, clock } = useWatchedChain();
const WALLET = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8';
let opened: FakeNode[] = [];
afterEach(async () => {
  await Promise.all(opened.map((node) => node.close()));
  opened = [];
});

/** The wallet's next account nonce from endpoints that report these values; null: the endpoint does not answer. */
async function nonceOf(reported: readonly (number | null)[], needed: number): Promise<number> {
  for (const count of reported) {
    const node = await newNode();
    opened.push(node);
    if (count === null) node.hijack = (request) => (request.socket.destroy(), true);
    node.tamper = ({ method }) => (method === 'eth_getTransactionCount' ? `0x${(count ?? 0).toString(16)}` : undefined);
  }
  const urls = opened.map(({ url }) => url);
  const options = { spec: localEthereum, urls, needed, clock, log: silentLog(), timeoutMs: 3000 };
  return openEvmSender(options).nextNonce(WALLET);
}

it('one endpoint of three that invents a pending transaction does not move the next nonce', async () => {
  expect(await nonceOf([99, 7, 7], 2)).toBe(7);
});

it('a pending transaction that two endpoints know moves the next nonce, although a third one lags', async () => {
  expect(await nonceOf([6, 7, 8], 2)).toBe(7);
});

it('the next nonce is the largest reported one while other endpoints are away or one is enough', async () => {
  expect(await nonceOf([null, null, 8], 2)).toBe(8);
  opened.splice(0).forEach((node) => void node.close());
  expect(await nonceOf([6, 8], 1)).toBe(8);
});
