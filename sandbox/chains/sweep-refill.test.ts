// Sweeps into the refund wallet on the local chains of all families. The ledger has each once, from the transfer out of its deposit
// address, and never as funding of the operator: not while the watcher is behind, and not in a database restored to before the sweep.

import type { Address } from '@solana/kit';
import { afterAll, afterEach, beforeAll, expect, describe, it } from 'vitest';
import { checkBooks } from '@/lib/ledger/invariants/check';
import { backUp } from '@/testing/database/backup';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { accounts } from '@/testing/signer/signer-scene';
import { openReconciling } from '@/testing/sweeps/reconciling';
import { openSolanaSweepScene } from '@/testing/sweeps/solana-sweep-scene';
import { openSweepScene } from '@/testing/sweeps/sweep-scene';
import { openTronScene, startSceneChain, TRX } from '@/testing/sweeps/tron-scene';
import { EVM_NETWORKS } from './evm/start';
import { startTestEvm } from './evm/test-chain';
import { startSolanaNode } from './solana/node';

/** Blocks until finality on each local chain. */
const FINAL = 24;
/** Base units of a cent where the token has six decimals. */
const CENT = 10_000n;
const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

async function database(): Promise<TestDatabase> {
  const db = await openTestDatabase();
  closing.push(() => db.close());
  return db;
}
async function copyOf(db: TestDatabase): Promise<TestDatabase> {
  const copy = await backUp(db);
  closing.push(() => copy.close());
  return copy;
}

type Paid = { readonly address: string };
type Refilling = {
  readonly scene: {
    readonly context: { readonly pool: TestDatabase['pool'] };
    readonly frozen: string[];
    readonly paid: (count: number) => Promise<readonly Paid[]>;
    readonly sweep: () => Promise<unknown>;
    readonly watch: () => Promise<void>;
    readonly book: () => Promise<unknown>;
  };
  readonly wallet: ReturnType<typeof openReconciling>;
  readonly mine: () => Promise<unknown> | void;
  /** Base units in the refund wallet on the chain. */
  readonly held: () => Promise<bigint> | bigint;
  /** Base units at a deposit address on the chain. */
  readonly at: (address: string) => Promise<bigint> | bigint;
  /** Base units of a cent. */
  readonly cent: bigint;
  /** Cents of the operator's own arrive in the refund wallet. */
  readonly fund: (cents: bigint) => Promise<unknown>;
};
type Family = {
  readonly name: string;
  readonly start: () => Promise<{
    readonly open: (db: TestDatabase) => Promise<Refilling>;
    readonly stop: () => Promise<unknown>;
  }>;
};

const evm = (row: (typeof EVM_NETWORKS)[number]): Family => ({
  name: row.network,
  async start() {
    const chain = await startTestEvm(row);
    const treasury = accounts.of('test', 'evm').address;
    const cent = 10n ** BigInt(chain.spec.tokens.USDT!.decimals - 2);
    return {
      stop: () => chain.stop(),
      async open(db) {
        const scene = await openSweepScene({ db, chain, treasury });
        const mine = () => chain.mine(FINAL);
        const wallet = openReconciling({ ...scene, signer: scene.signer.calls, url: chain.rpcUrl, mine });
        return {
          ...{ scene, wallet, mine, held: () => scene.held(treasury), at: (address) => scene.held(address) },
          cent,
          fund: (cents) => chain.pay({ currency: 'USDT', recipient: treasury, cents, scenario: 'exact' }),
        };
      },
    };
  },
});

const tron: Family = {
  name: 'tron',
  async start() {
    const chain = await startSceneChain();
    const treasury = accounts.of('test', 'tron').address;
    return {
      stop: () => chain.stop(),
      async open(db) {
        const scene = await openTronScene({ db, chain, treasury, coin: 10_000n * TRX });
        const mine = () => chain.mine(FINAL);
        const wallet = openReconciling({ ...scene, signer: scene.signer.calls, url: chain.rpcUrl, mine });
        return {
          ...{ scene, wallet, mine, held: () => scene.held(treasury), at: (address) => scene.held(address) },
          cent: CENT,
          fund: (cents) => chain.pay({ currency: 'USDT', recipient: treasury, cents, scenario: 'exact' }),
        };
      },
    };
  },
};

const solana: Family = {
  name: 'solana',
  async start() {
    const node = await startSolanaNode({ tick: 'manual' });
    const treasury = accounts.of('test', 'solana').address;
    return {
      stop: () => node.stop(),
      async open(db) {
        const scene = await openSolanaSweepScene({ db, node, treasury });
        const mine = () => scene.finalize();
        const wallet = openReconciling({ ...scene, signer: scene.signer.calls, url: node.rpcUrl, mine });
        return {
          ...{ scene, wallet, mine, held: () => scene.held(treasury), at: (address) => scene.held(address) },
          cent: CENT,
          fund: (cents) => node.bank.mint({ to: treasury as Address, mint: scene.mint(), amount: cents * CENT }),
        };
      },
    };
  },
};

describe.each([...EVM_NETWORKS.map(evm), tron, solana])('$name', ({ start }) => {
  let network: Awaited<ReturnType<Family['start']>>;
  beforeAll(async () => void (network = await start()), 60_000);
  afterAll(() => network.stop());

  const SESSIONS = 3;
  /** Until every deposit address is empty. The watcher reads what the sweeps need, and the wallet is compared in between. */
  async function sweepAll({ scene, mine, at }: Refilling, sessions: readonly Paid[]): Promise<void> {
    for (let rounds = 0; rounds < 12; rounds++) {
      await scene.sweep();
      await mine();
      let left = 0n;
      for (const { address } of sessions) left += await at(address);
      if (left === 0n) return;
      await scene.watch();
    }
    throw new Error('the deposit addresses were not swept');
  }

  /** What arrived is booked as refills, the operator's part is as given, and the ledger equals the chain. */
  async function expectRefilled({ scene, wallet, held }: Refilling, operator: bigint): Promise<void> {
    const total = await held();
    const books = await wallet.books();
    expect(books).toMatchObject({ received: 0n, treasury: 0n, refundWallet: total });
    expect(books.operator).toBe(operator);
    expect([await wallet.open(), scene.frozen]).toEqual([[], []]);
    expect((await checkBooks(scene.context.pool)).filter(({ count }) => count > 0)).toEqual([]);
  }

  it('books a sweep into the refund wallet once, and what else arrives there as funding', async () => {
    const one = await network.open(await database());
    const { scene, wallet, mine } = one;
    const sessions = await scene.paid(SESSIONS);
    await wallet.reconcile(1);
    const { operator } = await wallet.books();
    const before = await one.held();
    await sweepAll(one, sessions);
    // The wallet has the money, and the watcher has not read it yet.
    await wallet.reconcile();
    expect((await wallet.books()).operator).toBe(operator);
    await mine();
    await scene.watch();
    await wallet.reconcile();
    for (let times = 0; times < 2; times++) await scene.book();
    await wallet.reconcile();
    expect((await one.held()) - before).toBeGreaterThan(0n);
    await expectRefilled(one, operator);

    await one.fund(700n);
    for (let times = 0; times < 2; times++) {
      await wallet.reconcile(1);
      await scene.watch();
    }
    await wallet.reconcile();
    expect((await wallet.books()).operator).toBe(operator + 700n * one.cent);
    await expectRefilled(one, operator + 700n * one.cent);
  });

  it('books it once in a database that was restored to before the sweep', async () => {
    const db = await database();
    const first = await network.open(db);
    const sessions = await first.scene.paid(SESSIONS);
    await first.wallet.reconcile(1);
    const { operator } = await first.wallet.books();
    const copy = await copyOf(db);
    await sweepAll(first, sessions);
    const restored = await network.open(copy);
    await restored.wallet.reconcile();
    expect((await restored.wallet.books()).operator).toBe(operator);
    for (let times = 0; times < 3; times++) {
      await restored.mine();
      await restored.scene.watch();
      await restored.scene.book();
      await restored.wallet.reconcile(1);
    }
    await restored.wallet.reconcile();
    await expectRefilled(restored, operator);
  });
});
