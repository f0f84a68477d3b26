// The step that watches outflows at the tip on programmable EVM nodes: a block every five seconds, a run with each, and a signer that
// freezes once until the test resumes it.

import { beforeEach } from 'vitest';
import { tipOutflowStep } from '@/lib/ledger/reconciliation/tip/step';
import type { FreezingSigner } from '@/lib/ledger/reconciliation/tip/freeze';
import { openEvmAdapter } from '@/lib/networks/families/evm/adapter';
import type { SignerState } from '@/lib/signer/client';
import { AddressSourceError } from '@/lib/treasury/wallets/address-source';
import { silentLog } from '@/testing/chain-clock';
import { transferLog, type FakeLog, type FakeNode, type FakeTransaction } from '@/testing/evm/fake-evm-node';
import { REFUND_WALLET, TREASURY, useOutflows } from './outflows';
import { DUE, localEthereum, usdt } from './watched-chain';

export const [SPONSOR, SPARE, PINNED] = [`0x${'51'.repeat(20)}`, `0x${'52'.repeat(20)}`, `0x${'53'.repeat(20)}`];
/** How often the worker runs the step, and how often the chain has a block. */
export const TICK_SECONDS = 5;
/** With the rhythm of a public chain: a local one is read in each run. */
const tipSpec = { ...localEthereum, chain: 'mainnet' as const, blockMs: 1000 * TICK_SECONDS };

export function useTip() {
  const outflows = useOutflows();
  const { clock, context, node, newNode, row, pool } = outflows;
  const others: FakeNode[] = [];
  const held = {
    ...{ reason: null as string | null, isAway: false, reasons: [] as string[], journal: [] as string[] },
    sponsor: SPONSOR,
    /** What the signer has signed for sweeps; null for a signer of an older version. */
    sweeps: [] as string[] | null,
  };
  beforeEach(() => {
    others.length = 0;
    Object.assign(held, { reason: null, isAway: false, reasons: [], journal: [], sponsor: SPONSOR, sweeps: [] });
  });

  const addresses = { evm: REFUND_WALLET, tron: '', solana: '' };
  const here = { network: 'ethereum@mainnet', environment: 'test', treasury: PINNED };
  const state = () =>
    ({
      ...{ wallets: { live: addresses, test: addresses }, frozen: held.reason !== null, reason: held.reason },
      sweeps: [{ ...here, sponsor: held.sponsor, spareSponsor: SPARE, active: SPARE }],
      journal: { records: held.journal.length },
    }) as unknown as SignerState;
  const answer = async <T>(work: () => T): Promise<T> => {
    if (held.isAway) throw new AddressSourceError('unavailable', 'the signer is away');
    return work();
  };
  const signer = {
    state: () => answer(state),
    freeze: (reason: string) =>
      answer(() => {
        if (held.reason !== null) return;
        held.reason = reason;
        held.reasons.push(reason);
      }),
    signedSweeps: (hashes: readonly string[]) =>
      answer(() => {
        if (held.sweeps === null) throw new AddressSourceError('refused', 'the signer has no such call');
        return hashes.filter((hash) => held.sweeps?.includes(hash));
      }),
    journal: (after: number) =>
      answer(() => ({
        intents: held.journal.slice(after).map((hash) => ({ attempts: [{ hash }] })),
        next: held.journal.length,
      })),
  } as unknown as FreezingSigner;

  const endpointAt = (url: string) =>
    openEvmAdapter({ spec: localEthereum, urls: [url], clock, log: silentLog(), timeoutMs: 3000 });
  /** A worker's step on these nodes, of a network with this time between blocks. Two of several must agree. */
  const openAt = (blockMs: number, ...nodes: FakeNode[]) => {
    const used = nodes.length > 0 ? nodes : [node()];
    const reached = { endpoints: used.map(({ url }) => endpointAt(url)), needed: 2 };
    const settings = { TREASURY_WALLETS: [`ethereum@mainnet=${TREASURY}`], COLD_WALLETS: [] };
    const chain = { ...outflows.chainOf(node().url), spec: { ...tipSpec, blockMs } };
    return tipOutflowStep(chain, reached, settings, signer);
  };
  const open = (...nodes: FakeNode[]) => openAt(tipSpec.blockMs, ...nodes);

  /** A block with a transaction of these logs. `hiddenFrom` have the block without it. */
  const mine = (logs: readonly FakeLog[] = [], hash?: string, hiddenFrom: readonly FakeNode[] = []): void =>
    mineBlock(logs.length > 0 ? [{ logs: [...logs], ...(hash ? { hash } : {}) }] : [], hiddenFrom);

  function mineBlock(transactions: readonly FakeTransaction[], hiddenFrom: readonly FakeNode[] = []): void {
    const time = Math.floor(clock.now().getTime() / 1000);
    const block = node().mine([...transactions], time);
    for (const other of others) other.blocks.push(hiddenFrom.includes(other) ? { ...block, transactions: [] } : block);
    if (hiddenFrom.includes(node())) node().blocks.splice(-1, 1, { ...block, transactions: [] });
  }

  return {
    ...outflows,
    ...{ held, open, openAt, mine, mineBlock },
    /** Another node of the chain. */
    async other(): Promise<FakeNode> {
      const made = await newNode();
      made.finalDepth = 100;
      made.blocks.splice(0, made.blocks.length, ...node().blocks);
      others.push(made);
      return made;
    },
    closeOthers: () => Promise.all(others.map((one) => one.close())),
    transfer: (from: string, to: string, amount = DUE): FakeLog => transferLog(usdt, from, to, amount),
    /**
     * Runs steps as workers do, at most for this long. Returns the seconds until one froze signing, or null. `mayFail`: whether they may fail
     * meanwhile.
     */
    async secondsUntilFrozen(
      steps: readonly ReturnType<typeof open>[],
      most = 120,
      mayFail = false,
    ): Promise<number | null> {
      for (let seconds = TICK_SECONDS; seconds <= most; seconds += TICK_SECONDS) {
        clock.advance(1000 * TICK_SECONDS);
        mine();
        for (const step of steps) await (mayFail ? step(context()).catch(() => null) : step(context()));
        if (held.reason !== null) return seconds;
      }
      return null;
    },
    /** An operator ends the freeze. */
    unfreeze: () => void (held.reason = null),
    async signed(hash: string | null, intent = 'own', item?: number): Promise<void> {
      await pool().query(
        `INSERT INTO refund_attempts (intent_id, number, chain_id, status, draft, hash, bytes, validity, drafted_at, signed_at)
         VALUES ($1, 1, $2, CASE WHEN $3::text IS NULL THEN 'drafted' ELSE 'signed' END::"AttemptStatus", $4, $3,
           CASE WHEN $3::text IS NOT NULL THEN '0x' END, CASE WHEN $3::text IS NOT NULL THEN '{}'::json END, now(),
           CASE WHEN $3::text IS NOT NULL THEN now() END)`,
        [intent, (await row()).id, hash, item === undefined ? '{}' : JSON.stringify({ item: String(item) })],
      );
    },
  };
}
