// Whether a payment lapsed, as reported by a full node that keeps the newest states only. On Base and Arbitrum it has forgotten the state
// of its final block.

import { beforeEach, expect, it } from 'vitest';
import { silentLog } from '@/testing/chain-clock';
import { localEthereum, useWatchedChain } from '@/testing/watching/watched-chain';
import { openEvmSender } from './send';

const chain = useWatchedChain();
const NONCE = 7;
const attempt = {
  hash: `0x${'ab'.repeat(32)}`,
  validity: { kind: 'nonce', nonce: NONCE },
  from: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
  order: {
    intentId: 'x',
    currency: 'USDT',
    contract: localEthereum.tokens.USDT?.contract ?? '',
    to: `0x${'11'.repeat(20)}`,
    amount: 1n,
  },
} as const;
const outcome = () =>
  openEvmSender({
    spec: localEthereum,
    urls: [chain.node().url],
    needed: 1,
    clock: chain.clock,
    log: silentLog(),
    timeoutMs: 3000,
  }).outcome(attempt);

/** The wallet's transactions in the newest block; the node refuses older states. */
const forgetful = (made: number) =>
  void (chain.node().tamper = ({ method, params }) => {
    if (method !== 'eth_getTransactionCount') return undefined;
    if (params[1] === 'latest') return `0x${made.toString(16)}`;
    return { error: { code: -32000, message: 'missing trie node 1f2e (path ) state is not available' } };
  });
beforeEach(() => chain.mine(10));

it('a payment of a free account nonce waits, so that the same bytes are broadcast again', async () => {
  forgetful(NONCE);
  expect(await outcome()).toEqual({ kind: 'waiting' });
  chain.node().pending.add(attempt.hash);
  expect(await outcome()).toEqual({ kind: 'seen', hash: attempt.hash, confirmations: 0 });
});

it('a payment whose account nonce another transaction has used is pruned, so that an operator can decide', async () => {
  forgetful(NONCE + 1);
  expect(await outcome()).toMatchObject({ kind: 'pruned' });
});

it('proves nothing from a node that only limits its rate', async () => {
  chain.node().tamper = ({ method }) =>
    method === 'eth_getTransactionCount' ? { error: { code: -32005, message: 'too many requests' } } : undefined;
  await expect(outcome()).rejects.toMatchObject({ throttled: true });
});
