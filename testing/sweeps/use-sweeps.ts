// Tests of sweeps on a real EVM node: a node for the file or the block, and a database with a scene for each test.

import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { checkBooks } from '@/lib/ledger/invariants/check';
import { EVM_NETWORKS, type EvmRow } from '@/sandbox/chains/evm/start';
import { startTestEvm } from '@/sandbox/chains/evm/test-chain';
import type { LocalNetwork } from '@/sandbox/chains/local-network';
import { backUp } from '@/testing/database/backup';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { openOfflineKeys } from './offline-keys';
import { onChain, type OnChain } from './on-chain';
import { nextSessionIndex, openSweepScene, type SceneGiven, type SweepScene } from './sweep-scene';

const OPEN = ['planned', 'signed', 'mined'];

/** How many deposit addresses of a test have authorizations that were signed in advance, unless it needs more. */
const SIGNED_IN_ADVANCE = 25;

type Sweeping = { readonly name: string; readonly row: EvmRow; readonly isSeedless: boolean };
const withSeed: readonly Sweeping[] = EVM_NETWORKS.map((row) => ({ name: row.network, row, isSeedless: false }));
const [ETHEREUM] = withSeed;
const withoutSeed = (one: Sweeping): Sweeping => ({ ...one, name: `${one.name} without a seed`, isSeedless: true });

/**
 * What a suite of sweeps runs on: each network with a signer that has the keys of the deposit addresses, and Ethereum with one that has no
 * seed of them.
 */
export const SWEEPINGS: readonly Sweeping[] = [...withSeed, withoutSeed(ETHEREUM!)];
/** Each network with both signers, for the suites that show the guarantee itself. */
export const ALL_SWEEPINGS: readonly Sweeping[] = [...withSeed, ...withSeed.map(withoutSeed)];
/** Of a suite that runs on Ethereum alone. */
export const ETHEREUM_SWEEPINGS = SWEEPINGS.filter(({ row }) => row === ETHEREUM!.row);

/** `given`: changes of each scene; `signed`: how many addresses of a test have authorizations. */
type Given = Partial<SceneGiven> & { readonly isSeedless?: boolean; readonly signed?: number };

/** The functions work inside tests. */
export function useSweeps(row: EvmRow, { isSeedless = false, signed = SIGNED_IN_ADVANCE, ...given }: Given = {}) {
  const offline = isSeedless ? openOfflineKeys() : undefined;
  let from: number;
  let db: TestDatabase;
  let chain: LocalNetwork;
  let others: OnChain;
  let scene: SweepScene;
  const backups: TestDatabase[] = [];
  beforeAll(async () => {
    chain = await startTestEvm(row);
    others = onChain(chain, offline?.seed);
  }, 60_000);
  afterAll(() => chain.stop());
  async function open(changes: Partial<SceneGiven> = {}): Promise<SweepScene> {
    const opened = await openSweepScene({ db, chain, ...(offline && { offline }), ...given, ...changes });
    const delegation = { chainId: chain.spec.chainId!, address: opened.delegate };
    offline?.presign(delegation, { from, count: signed });
    return opened;
  }
  beforeEach(async () => {
    db = await openTestDatabase();
    await others.setAutomine(true);
    from = nextSessionIndex();
    scene = await open();
  });
  afterEach(async () => {
    for (const one of backups.splice(0)) await one.close();
    await db.close();
  });

  /** Base units of the price of one session. */
  const price = (currency = 'USDT') => 1234n * 10n ** BigInt(row.spec.tokens[currency]!.decimals - 2);

  /** The reported transfers to the treasury. */
  async function transfersIn(): Promise<number> {
    const text = 'SELECT FROM outgoing_transfers WHERE recipient = $1';
    return (await scene.db.pool.query(text, [scene.treasury])).rowCount ?? 0;
  }

  async function expectBalancedBooks(): Promise<void> {
    expect((await checkBooks(scene.db.pool)).filter(({ count }) => count > 0)).toEqual([]);
  }

  return {
    db: () => scene.db,
    chain: () => chain,
    scene: () => scene,
    others: () => others,
    open,
    /** The other functions go on with this scene. */
    use: (other: SweepScene) => void (scene = other),
    /** Backs the database up. The returned function goes on with it, with the same wallets. */
    async backUp(): Promise<() => Promise<void>> {
      const copy = await backUp(db);
      backups.push(copy);
      return async () => void (scene = await open({ db: copy, treasury: scene.treasury }));
    },
    price,
    transfersIn,
    expectBalancedBooks,
    /** Every address is empty and was emptied by one transfer, the ledger has it, and no sweep is open. */
    async expectSweptOnce(sessions: readonly { readonly address: string }[], currency = 'USDT'): Promise<void> {
      for (const { address } of sessions) expect(await scene.held(address, currency)).toBe(0n);
      const total = BigInt(sessions.length) * price(currency);
      expect(await scene.held(scene.treasury, currency)).toBe(total);
      expect(await transfersIn()).toBe(sessions.length);
      expect(await scene.treasuryInLedger(currency)).toBe(total);
      expect(scene.frozen).toEqual([]);
      expect((await scene.sweeps()).filter(({ status }) => OPEN.includes(status))).toEqual([]);
      await expectBalancedBooks();
    },
    /** Each account nonce of the sponsor since `before` belongs to one sweep that a block has, and none waits in the pool. */
    async expectNoGap(before: number): Promise<void> {
      const sent = (await scene.sweeps()).filter(({ sender }) => sender === scene.sponsor);
      const landed = sent.filter(({ status }) => status === 'final' || status === 'reverted');
      const after = await others.count(scene.sponsor);
      expect(landed.map(({ nonce }) => nonce)).toEqual([...Array(after - before).keys()].map((n) => before + n));
      expect(await others.count(scene.sponsor, 'pending')).toBe(after);
    },
  };
}
