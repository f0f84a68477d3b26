// The step that watches outflows near the tip on programmable Solana nodes: a block every five seconds, a run with each, and a signer that
// freezes once until the test resumes it.

import { afterEach, beforeEach } from 'vitest';
import type { FreezingSigner } from '@/lib/ledger/reconciliation/tip/freeze';
import { tipOutflowStep } from '@/lib/ledger/reconciliation/tip/step';
import { openSolanaAdapter } from '@/lib/networks/families/solana/adapter';
import type { Step } from '@/lib/platform/context';
import { unixSeconds } from '@/lib/platform/clock';
import type { SignerState } from '@/lib/signer/client';
import { AddressSourceError } from '@/lib/treasury/wallets/address-source';
import { silentLog } from '@/testing/chain-clock';
import { payment, type FakeSolanaNode } from './fake-solana-node';
import { accountData, fakeKey, fakeSignature, TOKEN_PROGRAM, type FakeTransaction } from './solana-ledger';
import { ata, becomes, localSolana, PAYER, side, startSolana, usdt } from './solana-scene';
import { DUE, useWatchedSolana } from './solana-watched';

export const [TREASURY, PINNED, THIEF] = ['treasury', 'treasury of the signer', 'thief'].map(fakeKey) as [
  string,
  string,
  string,
];
export const [SPONSOR, SPARE, REFUND_WALLET] = ['sponsor', 'spare', 'refund wallet'].map(fakeKey) as [
  string,
  string,
  string,
];
/** How often the worker runs the step, and how often the chain has a block. */
export const TICK_SECONDS = 5;

/** The watcher scans even an idle network within this time. */
const WATCHED_AGAIN_MILLISECONDS = 120_000;

type Holder = { readonly account: string; readonly owner: string };

export function useSolanaTip() {
  const watched = useWatchedSolana();
  const { clock, context, node, pay, run, session } = watched;
  const others: FakeSolanaNode[] = [];
  const held = {
    ...{ reason: null as string | null, reasons: [] as string[] },
    /** What the signer has signed for sweeps; null for a signer of an older version. */
    signed: [] as string[] | null,
  };
  beforeEach(() => void Object.assign(held, { reason: null, reasons: [], signed: [] }));
  afterEach(async () => {
    await Promise.all(others.splice(0).map((one) => one.close()));
  });

  const addresses = { evm: '', tron: '', solana: REFUND_WALLET };
  const sponsors = { sponsor: SPONSOR, spareSponsor: SPARE, active: SPONSOR };
  const sweeps = [{ network: 'solana@mainnet', environment: 'test', treasury: PINNED, ...sponsors }];
  const signer = {
    state: async () =>
      ({
        ...{ wallets: { live: addresses, test: addresses }, frozen: held.reason !== null, reason: held.reason },
        ...{ sweeps, journal: { records: 0 } },
      }) as unknown as SignerState,
    freeze: async (reason: string) => {
      if (held.reason !== null) return;
      held.reason = reason;
      held.reasons.push(reason);
    },
    signedSweeps: async (hashes: readonly string[]) => {
      if (held.signed === null) throw new AddressSourceError('refused', 'the signer has no such call');
      return hashes.filter((hash) => held.signed?.includes(hash));
    },
  } as unknown as FreezingSigner;

  const endpointAt = (url: string) =>
    openSolanaAdapter({ spec: localSolana, urls: [url], clock, log: silentLog(), timeoutMs: 3000 });
  /** A worker's step on these nodes of a chain. Two of several must agree. */
  const openOn = (kind: 'mainnet' | 'testnet', ...nodes: FakeSolanaNode[]): Step => {
    const used = nodes.length > 0 ? nodes : [node()];
    const reached = { endpoints: used.map(({ url }) => endpointAt(url)), needed: 2 };
    const settings = { TREASURY_WALLETS: [`solana@mainnet=${TREASURY}`], COLD_WALLETS: [] };
    const chain = { ...watched.chainOf(node().url), spec: { ...localSolana, chain: kind } };
    return tipOutflowStep(chain, reached, settings, signer);
  };
  const mine = (...transactions: FakeTransaction[]) => node().mine(transactions, { time: unixSeconds(clock.now()) });

  return {
    ...watched,
    ...{ held, mine, openOn },
    open: (...nodes: FakeSolanaNode[]) => openOn('mainnet', ...nodes),
    /** Another node of the same chain. */
    async other(): Promise<FakeSolanaNode> {
      const { ledger, genesis, blocks, finalDepth } = node();
      const made = Object.assign(await startSolana(), { ledger, genesis, blocks, finalDepth });
      others.push(made);
      return made;
    },
    /** Deposit addresses whose payments of these amounts are final and stored. */
    async paid(...amounts: readonly bigint[]): Promise<string[]> {
      await run();
      const owners: string[] = [];
      for (const amount of amounts.length > 0 ? amounts : [DUE]) {
        const { owner } = await session();
        pay(owner, amount);
        owners.push(owner);
      }
      watched.mine(node().finalDepth);
      await run();
      return owners;
    },
    /** A payment into another token account of the address, final and stored. The watcher lists accounts of an address that gets a payment. */
    async paidAside(owner: string): Promise<Holder> {
      const aside = { account: fakeKey(`another account of ${owner}`), owner };
      node().mine([payment(node(), { from: side(PAYER), to: aside, mint: usdt, amount: DUE })]);
      pay(owner);
      watched.mine(node().finalDepth);
      clock.advance(WATCHED_AGAIN_MILLISECONDS);
      await run();
      const stored = await watched.marksOf(owner);
      if (!stored.some(({ account }) => account === aside.account)) throw new Error('the account is not stored');
      return aside;
    },
    transfer: (from: string | Holder, to: string, amount = DUE): FakeTransaction =>
      payment(node(), { from: typeof from === 'string' ? side(from) : from, to: side(to), mint: usdt, amount }),
    /** The account is closed by the same transaction. */
    closing: ({ changes = [] }: FakeTransaction, account: string): FakeTransaction => ({
      changes: changes.map((one) => (one.account === account ? becomes(account, null) : one)),
    }),
    /**
     * Runs steps as workers do, at most for this long. Returns the seconds until one froze signing, or null. `mayFail`: whether they may fail
     * meanwhile.
     */
    async secondsUntilFrozen(steps: readonly Step[], most = 120, mayFail = false): Promise<number | null> {
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
  };
}

/** The node shows the account of the address with its payment for ever. */
export function hideLosses(lying: FakeSolanaNode, owner: string): void {
  const data = accountData({ mint: usdt, owner, amount: DUE }).toString('base64');
  lying.tamper = answerFor(owner, () => ({ owner: TOKEN_PROGRAM, data: [data, 'base64'] }));
}

/** The node shows a theft that did not happen: the list, the transaction and the account agree. */
export function forgeTheft(lying: FakeSolanaNode, owner: string): string {
  const signature = fakeSignature(`forged theft from ${owner}`);
  const { slot } = lying.blocks.at(-1)!;
  const balance = (accountIndex: number, holder: string) => ({
    ...{ accountIndex, mint: usdt, owner: holder, programId: TOKEN_PROGRAM },
    uiTokenAmount: { amount: String(DUE), decimals: 6 },
  });
  const accountKeys = [fakeKey('fees'), ata(owner), ata(THIEF)];
  const meta = { err: null, preTokenBalances: [balance(1, owner)], postTokenBalances: [balance(2, THIEF)] };
  const emptied = answerFor(owner, () => null);
  lying.tamper = (call, result) => {
    const [first] = call.params;
    if (call.method === 'getTransaction' && first === signature)
      return { slot, meta, transaction: { signatures: [signature], message: { accountKeys } } };
    if (call.method === 'getSignaturesForAddress' && first === ata(owner))
      return [{ signature, slot, err: null }, ...(result as object[])];
    return emptied(call, result);
  };
  return signature;
}

/** Replaces what a node answers for the address’s account. */
const answerFor =
  (owner: string, account: () => object | null): FakeSolanaNode['tamper'] =>
  ({ method, params }, result) => {
    const at = method === 'getMultipleAccounts' ? (params[0] as string[]).indexOf(ata(owner)) : -1;
    if (at === -1) return undefined;
    const answer = result as { readonly value: unknown[] };
    return { ...answer, value: answer.value.with(at, account()) };
  };
