// Two programmable Solana nodes with the same chain of ten blocks and payments to us in the fifth and the seventh.
// Tests falsify one; the other stays good.

import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { openSolanaAdapter } from '@/lib/networks/families/solana/adapter';
import type { NetworkSpec } from '@/lib/networks/networks';
import { openTestClock, silentLog } from '@/testing/chain-clock';
import type { FakeSolanaNode } from './fake-solana-node';
import { ata, localSolana, OURS, pay, startSolana, STRANGER, T0 } from './solana-scene';
import { watching } from '@/testing/watching/watching';

/** The whole history, to be credited; block 1 is before it. */
export const wholeWindow = (good: FakeSolanaNode) => ({
  from: 2,
  to: 10,
  parentHash: good.blocks[1]!.hash,
  final: true,
});
export const watchOurs = watching([OURS]);

/** Any result of a node, for tests to falsify. */
export type Result = {
  context: { slot: number };
  value: Result & Result[];
  data: [string, string];
  signature: string;
  slot: number;
  err: unknown;
  blockhash: string;
  blockTime: number | null;
  parentSlot: number;
  owner: string;
  meta: { err: unknown; preTokenBalances: Balance[]; postTokenBalances: Balance[] };
};
export type SolanaPair = ReturnType<typeof useFaultySolana>;

type Balance = { owner: string; programId: string; mint: string; uiTokenAmount: { amount: string } };

/** Registers a file's hooks and returns the test helpers. `amount`: base units of each payment. */
export function useFaultySolana(amount = 12n) {
  const clock = openTestClock(T0 + 10);
  let faulty: FakeSolanaNode;
  let good: FakeSolanaNode;
  beforeAll(async () => {
    good = await startSolana();
    for (let slot = 2; slot <= 10; slot++) {
      const mentioned = { mentions: [ata(OURS)], err: { InstructionError: [0, 'Custom'] } };
      good.mine([pay(good, amount, slot === 5 || slot === 7 ? OURS : STRANGER), ...(slot === 6 ? [mentioned] : [])]);
    }
  });
  afterAll(() => good.close());
  beforeEach(async () => {
    clock.set(T0 + 10);
    faulty = await startSolana();
    faulty.blocks.splice(0, faulty.blocks.length, ...good.blocks);
    Object.assign(faulty, { ledger: good.ledger, genesis: good.genesis });
  });
  afterEach(() => faulty.close());

  return {
    amount,
    clock,
    faulty: () => faulty,
    good: () => good,
    open: (urls: readonly string[], spec: NetworkSpec = localSolana) =>
      openSolanaAdapter({ spec, urls, clock, log: silentLog(), timeoutMs: 3000 }),
    /** Falsifies the results of one method; undefined keeps one. */
    on: (method: string, change: (result: Result & Result[], params: unknown[]) => unknown) => {
      faulty.tamper = (call, result) =>
        call.method === method ? change(structuredClone(result) as never, call.params) : undefined;
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
