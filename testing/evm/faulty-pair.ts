// Two programmable nodes with the same chain of ten blocks and a payment to us in the fifth. Tests falsify one; the
// other stays good.

import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { openEvmAdapter } from '@/lib/networks/families/evm/adapter';
import { localChainId } from '@/testing/local-chain-id';
import { type NetworkSpec } from '@/lib/networks/networks';
import { openTestClock, silentLog } from '@/testing/chain-clock';
import { startFakeNode, transferLog, type FakeNode } from './fake-evm-node';
import { localEthereum, T0, usdt } from '@/testing/watching/watched-chain';
import { watching } from '@/testing/watching/watching';

const PAYER = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8';
const STRANGER = '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc';
const OURS = '0x9858effd232b4033e47d90003d41ec34ecaeda94';
const decimals = Object.fromEntries(
  Object.values(localEthereum.tokens).map((token) => [token.contract, token.decimals]),
);

export const OTHER_HASH = `0x${'77'.repeat(32)}`;
/** All ten blocks, to be credited. */
export const wholeWindow = { from: 1, to: 10, parentHash: null, final: true };
export const watchOurs = watching([OURS]);

/** Any result of a node, for tests to falsify. */
export type Result = {
  logIndex: string;
  data: string;
  blockHash: string;
  status: string;
  logs: Result[];
  hash: string;
};

/** Registers a file's hooks and returns the test helpers. */
export function useFaultyPair() {
  const clock = openTestClock(T0 + 10);
  let faulty: FakeNode;
  let good: FakeNode;
  const start = () => startFakeNode({ chainId: localChainId('ethereum'), decimals: { ...decimals }, time: T0 });
  beforeAll(async () => {
    good = await start();
    for (let number = 1; number <= 10; number++) {
      good.mine([{ logs: [transferLog(usdt, PAYER, number === 5 ? OURS : STRANGER, 12n)] }]);
    }
  });
  afterAll(() => good.close());
  beforeEach(async () => {
    clock.set(T0 + 10);
    faulty = await start();
    faulty.blocks.splice(0, 1, ...good.blocks);
  });
  afterEach(() => faulty.close());

  return {
    clock,
    faulty: () => faulty,
    good: () => good,
    open: (urls: readonly string[], spec: NetworkSpec = localEthereum) =>
      openEvmAdapter({ spec, urls, clock, log: silentLog(), timeoutMs: 3000 }),
    /** Falsifies the results of one method; undefined keeps one. */
    on: (method: string, change: (result: Result & Result[]) => unknown) => {
      faulty.tamper = (call, result) => (call.method === method ? change(structuredClone(result) as never) : undefined);
    },
    /** Sends the same response to every request. */
    answer: (status: number, body: string, headers: Record<string, string> = {}) => {
      faulty.hijack = (_request, response) => (response.writeHead(status, headers).end(body), true);
    },
    /** Passes every request on to the good node and changes the text of its response. */
    relay: (change: (text: string) => string) => {
      faulty.hijack = (_request, response, body) => {
        void fetch(good.url, { method: 'POST', body })
          .then((reply) => reply.text())
          .then((text) => response.end(change(text)));
        return true;
      };
    },
  };
}
