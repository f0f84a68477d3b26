// Sweeps on a local Solana chain as an installation runs them: the watcher, the step that sends sweeps, the step that books them, and the
// real signer on a journal of its own. Blocks are made by hand.

import path from 'node:path';
import type { Address } from '@solana/kit';
import { Keypair } from '@solana/web3.js';
import { readWalletBalances } from '@/lib/ledger/balances';
import { outflowStep } from '@/lib/ledger/reconciliation/outflows';
import { openSolanaAdapter } from '@/lib/networks/families/solana/adapter';
import type { FollowedChain } from '@/lib/networks/registry';
import { watchStep } from '@/lib/payments/watcher/step';
import { systemClock, unixSeconds, type Clock } from '@/lib/platform/clock';
import { readConfig } from '@/lib/platform/config/config';
import type { Context } from '@/lib/platform/context';
import { armCrashPoint, type SWEEP_CRASH_POINTS } from '@/lib/platform/crash-point';
import { SignerJournal } from '@/lib/signer/journal/signer-journal';
import { RefundSigner } from '@/lib/signer/refund-signer';
import { withBudgets } from '@/lib/signer/sweeps/policy';
import { SolanaSweeps } from '@/lib/signer/sweeps/solana/solana-sweeps';
import { SweepSigner } from '@/lib/signer/sweeps/sweep-signer';
import type { Sweeping, SweepSigning } from '@/lib/sweeps/context';
import { openSolana, solanaSweeps } from '@/lib/sweeps/solana/family';
import { rulesOf } from '@/lib/sweeps/rules';
import { runSweeps } from '@/lib/sweeps/step';
import { areAllOf } from '@/lib/treasury/wallets/address-source';
import { keysFromSeed, type DepositAddresses } from '@/lib/treasury/wallets/derivation';
import { sweepKeys, type Sponsor } from '@/lib/treasury/wallets/derivation-sweep';
import { solanaSweepKeys } from '@/lib/treasury/wallets/derivation-sweep-solana';
import { FINALITY_LAG } from '@/sandbox/chains/solana/blocks';
import type { SolanaNode } from '@/sandbox/chains/solana/node';
import { silentLog } from '@/testing/chain-clock';
import type { TestDatabase } from '@/testing/database/database';
import { mortalPool } from '@/testing/database/failing-pool';
import { partsOf, seed, temporaryDirectory } from '@/testing/signer/signer-scene';
import { watchedSession } from '@/testing/watching/watched-session';

/** Milliseconds. */
const DEADLINE = 3_000_000;
const COIN = 1_000_000_000n;
const keys = keysFromSeed(seed);
/** Scenes of one database share it, so each session has an address of its own. */
let index = 0;

export type SolanaSweepScene = Awaited<ReturnType<typeof openSolanaSweepScene>>;

/** `feesPerHour` and the sponsor's new `coin` in lamports. */
export async function openSolanaSweepScene(given: {
  readonly db: TestDatabase;
  readonly node: SolanaNode;
  /** A new one unless given. */
  readonly treasury?: string;
  readonly feesPerHour?: bigint;
  readonly sponsor?: Sponsor;
  readonly coin?: bigint;
  /** More settings of the worker. */
  readonly settings?: Readonly<Record<string, string>>;
}) {
  const { db, node, coin = COIN, treasury = Keypair.generate().publicKey.toBase58() } = given;
  const { spec, bank } = node;
  let ahead = 0;
  // Sweeps wait for minutes and hours. The watcher goes by the time of the chain.
  const clock: Clock = { now: () => new Date(systemClock.now().getTime() + ahead) };
  const signer = openSigner({ ...given, spec, treasury, clock });
  const log = silentLog();
  const reading = { spec, urls: [node.rpcUrl], clock: systemClock, log, timeoutMs: 5000 };
  const adapter = openSolanaAdapter(reading);
  const config = readConfig({
    DATABASE_URL: db.url,
    MASTER_KEYS: `1:${Buffer.from([...Array(32).keys()]).toString('base64')}`,
    EVIDENCE_KEY: Buffer.alloc(32, 9).toString('base64'),
    ...given.settings,
  });
  const context: Context = { pool: db.pool, clock, log, config };
  const solana = openSolana(adapter, { ...reading, needed: 1 });
  const sweeping: Sweeping = {
    spec,
    genesis: () => adapter.genesis(),
    family: solanaSweeps(solana),
    signer: signer.calls,
    treasury: { spec, address: treasury },
    rules: { ...rulesOf(spec), wait: 0, deadline: DEADLINE },
    delaySeconds: 0,
  };
  const followed: FollowedChain = { environment: 'test', network: spec.network, spec, adapter };
  const watch = watchStep(followed);
  const frozen: string[] = [];
  const book = outflowStep(
    { TREASURY_WALLETS: [`solana@local=${treasury}`], TEST_CHAINS: 'local' },
    { ...signer.calls, freeze: async (reason) => void frozen.push(reason) },
  );
  const sponsor = signer.sweeps.state()[0]!.active;
  if (coin > 0n) await bank.airdrop(sponsor as Address, coin);

  const scene = {
    context,
    /** Tests replace parts of it. */
    solana,
    sweeping,
    signer,
    treasury,
    sponsor,
    frozen,
    mint: (currency = 'USDT') => node.mints.genuine[currency] as Address,
    coin: () => solana.chain.coin(sponsor),
    /** A deposit address of the wallet with an open session. */
    session: async () => scene.sessionOf(keys.addressesAt(index++)),
    async sessionOf(deposit: DepositAddresses) {
      const networks = [spec.network];
      const createdAt = unixSeconds(new Date()) - 5;
      const { id } = await watchedSession(db.pool, { createdAt, networks, deposit, solanaAddress: deposit.solana });
      return { id, address: deposit.solana, index: deposit.index };
    },
    /** A payment of base units. It is in a block when this resolves. */
    async pay(address: string, amount = 12_340_000n, currency = 'USDT') {
      await bank.mint({ to: address as Address, mint: scene.mint(currency), amount });
      node.tick();
    },
    /** Sessions whose price was paid, final and credited. */
    async paid(count: number, currency = 'USDT', others: readonly DepositAddresses[] = []) {
      await scene.watch();
      const sessions = [];
      for (const one of others) sessions.push(await scene.sessionOf(one));
      for (let n = 0; n < count; n++) sessions.push(await scene.session());
      for (const { address } of sessions) await scene.pay(address, undefined, currency);
      node.tick(FINALITY_LAG + 1);
      await scene.watch();
      return sessions;
    },
    async watch() {
      await db.pool.query('UPDATE chains SET next_scan_at = NULL, lease_until = NULL WHERE retired_at IS NULL');
      while ((await watch({ ...context, clock: systemClock })).more);
    },
    /** Lets this much time pass for sweeps and the signer. */
    later: (seconds: number) => void (ahead += seconds * 1000),
    sweep: () => runSweeps(context, { ...sweeping, family: solanaSweeps(scene.solana) }),
    /** One run of a worker that ends at this point, as a killed process does. */
    async crashAt(point: (typeof SWEEP_CRASH_POINTS)[number]) {
      const { pool, die } = mortalPool(db.pool);
      let crashes = 0;
      armCrashPoint(point, () => {
        crashes++;
        die();
        throw new Error('the process ended here');
      });
      await runSweeps({ ...context, pool }, sweeping).catch(() => null);
      armCrashPoint(undefined);
      return crashes;
    },
    book: () => book({ ...context, clock: systemClock }),
    finalize: () => node.tick(FINALITY_LAG + 1),
    /** One round of all steps, with blocks that make everything final. */
    async round() {
      await scene.sweep();
      scene.finalize();
      await scene.watch();
      await scene.book();
    },
    async rounds(count: number) {
      for (let n = 0; n < count; n++) await scene.round();
    },
    held: (address: string, currency = 'USDT') => bank.balanceOf(address as Address, scene.mint(currency)),
    /** Lamports of the associated account of an address; null where there is none. */
    async rent(address: string, currency = 'USDT'): Promise<bigint | null> {
      const account = await bank.associatedAccount(address as Address, scene.mint(currency));
      return node.ledger.accounts.now(account)?.lamports ?? null;
    },
    async sweeps() {
      const { rows } = await db.pool.query(
        `SELECT s.kind, s.status, s.message, s.fee::text, (s.request->>'close')::boolean AS close, s.hashes,
           array_agg(i.reason ORDER BY i.address_index) FILTER (WHERE i.sweep_id IS NOT NULL) AS reasons,
           count(i.moved) FILTER (WHERE i.moved > 0)::int AS moved
         FROM sweeps s JOIN chains c ON c.id = s.chain_id AND c.retired_at IS NULL LEFT JOIN sweep_items i ON i.sweep_id = s.id
         GROUP BY s.id ORDER BY s.id`,
      );
      return rows;
    },
    async hold(): Promise<string | null> {
      const { rows } = await db.pool.query('SELECT hold FROM sweep_states WHERE network = $1', [spec.network]);
      return rows[0]?.hold ?? null;
    },
    /** Base units that the ledger has in the treasury. */
    async treasuryInLedger(currency = 'USDT'): Promise<bigint> {
      const found = await readWalletBalances(db.pool, 'test', () => spec.tokens[currency]!.decimals);
      const one = found.find((row) => row.network === spec.network && row.currency === currency);
      return one?.treasury.baseUnits ?? 0n;
    },
  };
  return scene;
}

function openSigner(given: {
  readonly spec: SolanaNode['spec'];
  readonly treasury: string;
  readonly clock: Clock;
  readonly feesPerHour?: bigint;
  readonly sponsor?: Sponsor;
}) {
  const { spec, treasury, clock, feesPerHour, sponsor = 'first' } = given;
  const parts = { ...partsOf(path.join(temporaryDirectory(), 'journal')), clock };
  const journal = new SignerJournal(parts);
  const refunds = new RefundSigner(parts, journal);
  refunds.giveIndexes({ from: 0, count: 10_000 });
  const budgets = feesPerHour === undefined ? new Map() : new Map([['solana@local', feesPerHour]]);
  const policy = { chains: withBudgets([{ spec, treasury }], budgets), sponsor };
  const solana = new SolanaSweeps({ journal, keys: solanaSweepKeys(seed), policy, refundWallets: {} });
  const sweeps = new SweepSigner({ journal, keys: sweepKeys(seed), policy, refundWallets: {}, solana });
  const calls: SweepSigning = {
    authorize: async (params) => sweeps.authorize(params),
    owns: async (at, addresses) => areAllOf(keysFromSeed(seed).addressesAt(at), addresses),
    sweep: async (params) => sweeps.sweep(params),
    state: async () => ({ ...refunds.state(), sweeps: sweeps.state() }),
    freeze: async (reason) => void refunds.freeze(reason),
  };
  return { calls, sweeps, refunds };
}
