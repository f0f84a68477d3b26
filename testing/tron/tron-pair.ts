// Two programmable TRON nodes with the same chain: sixty solid blocks, with a payment to us in the fifth. Tests falsify
// one; the other stays good.

import { afterEach, beforeEach } from 'vitest';
import { networkSpec } from '@/lib/networks/networks';
import { openTronAdapter, type TronOptions } from '@/lib/networks/families/tron/adapter';
import { openTestClock, silentLog } from '@/testing/chain-clock';
import { startFakeTronNode, type FakeTronNode } from './fake-tron-node';
import { transferLog } from './tron-shapes';
import { watching } from '@/testing/watching/watching';

export const TRON_T0 = 1_760_000_000;
export const TRON_PAYER = 'TL24LCps5FKwp3PoU1MvrYrwhi5LU1tHre';
export const TRON_STRANGER = 'TVy95wrbDgQ8NA3XT8qKqwC6YBsFTPHtFF';
export const TRON_OURS = 'TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH';
export const TRON_OTHER = 'TSeJkUh4Qv67VNFwY8LaAxERygNdy6NQZK';
export const localTron = networkSpec('test', 'tron', 'local')!;
export const tronUsdt = localTron.tokens.USDT!.contract;
export const tronUsdc = localTron.tokens.USDC!.contract;
export const tronDecimals = () =>
  Object.fromEntries(Object.values(localTron.tokens).map(({ contract, decimals }) => [contract, decimals]));

/** The newest solid block of the pair's chain, and the one that pays us twelve base units. */
export const TRON_SOLID = 60;
export const TRON_PAID_IN = 5;
/** The first ten of them, to be credited. */
export const tronWindow = { from: 1, to: 10, parentHash: null, final: true };
export const watchTronOurs = watching([TRON_OURS]);
/** The time of both nodes' newest block. */
const TRON_NOW = TRON_T0 + (TRON_SOLID + 18) * 3;

/** Any result of a node, for tests to falsify. */
export type TronAnswer = Record<string, never> & {
  blockID: string;
  block_header: { raw_data: { number: number; timestamp: number; parentHash: string } };
  transactions: TronAnswer[];
  txID: string;
  ret: { contractRet?: string }[];
  id: string;
  blockNumber: number;
  blockTimeStamp: number;
  receipt: { result?: string };
  log: TronAnswer[];
  data: string;
};

export type TronPair = ReturnType<typeof useTronPair>;

/** Registers a file's hooks and returns the test helpers. `jsonRpc`: the nodes list logs as TronGrid does. */
export function useTronPair({ jsonRpc = false } = {}) {
  const clock = openTestClock(TRON_NOW);
  /** Milliseconds that the adapter wanted to wait; tests do not really wait. */
  const waits: number[] = [];
  let faulty: FakeTronNode;
  let good: FakeTronNode;
  const start = () => startFakeTronNode({ decimals: tronDecimals(), time: TRON_T0, jsonRpc });
  beforeEach(async () => {
    clock.set(TRON_NOW);
    waits.length = 0;
    [faulty, good] = [await start(), await start()];
    for (let number = 1; number <= TRON_SOLID + 18; number++) {
      const pay = (to: string, amount: bigint) => ({ logs: [transferLog(tronUsdt, TRON_PAYER, to, amount)] });
      const others = [{ result: null }, pay(TRON_STRANGER, 3n)];
      good.mine(number === TRON_PAID_IN ? [...others, pay(TRON_OURS, 12n)] : others);
    }
    faulty.blocks.splice(0, 1, ...good.blocks);
  });
  afterEach(async () => {
    await Promise.all([faulty.close(), good.close()]);
  });

  return {
    clock,
    waits,
    faulty: () => faulty,
    good: () => good,
    open: (urls: readonly string[], over: Partial<TronOptions> = {}) =>
      openTronAdapter({
        spec: localTron,
        urls,
        clock,
        log: silentLog(),
        timeoutMs: 3000,
        wait: async (milliseconds) => void waits.push(milliseconds),
        ...over,
      }),
    /** Falsifies the responses of one API, on both sides; undefined keeps one. */
    on: (api: string, change: (answer: TronAnswer & TronAnswer[], body: Record<string, unknown>) => unknown) => {
      faulty.tamper = (request, answer) =>
        request.api === api ? change(structuredClone(answer) as never, request.body) : undefined;
    },
    /** Sends the same response to every request. */
    answer: (status: number, body: string, headers: Record<string, string> = {}) => {
      faulty.hijack = (_request, response) => (response.writeHead(status, headers).end(body), true);
    },
  };
}
