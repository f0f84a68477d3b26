// Sweeps on a local EVM chain as an installation runs them: the watcher, the step that sends sweeps, the step that books them, and the
// real signer on a journal of its own.

import path from 'node:path';
import { Wallet } from 'ethers';
import { readWalletBalances } from '@/lib/ledger/balances';
import { outflowStep } from '@/lib/ledger/reconciliation/outflows';
import { openEvmAdapter } from '@/lib/networks/families/evm/adapter';
import { openEvmSender } from '@/lib/networks/families/evm/sending/send';
import { openSweepChain } from '@/lib/networks/families/evm/sweeping/chain';
import type { EvmSpec } from '@/lib/networks/networks';
import type { FollowedChain } from '@/lib/networks/registry';
import { watchStep } from '@/lib/payments/watcher/step';
import { systemClock, unixSeconds } from '@/lib/platform/clock';
import { readConfig } from '@/lib/platform/config/config';
import type { Context } from '@/lib/platform/context';
import { RefundSigner } from '@/lib/signer/refund-signer';
import { SignerJournal } from '@/lib/signer/journal/signer-journal';
import { withBudgets } from '@/lib/signer/sweeps/policy';
import { SweepSigner } from '@/lib/signer/sweeps/sweep-signer';
import type { Sweeping, SweepSigning } from '@/lib/sweeps/context';
import { evmSweeps, type Evm } from '@/lib/sweeps/evm/family';
import { rulesOf } from '@/lib/sweeps/rules';
import { runSweeps } from '@/lib/sweeps/step';
import { keysFromSeed } from '@/lib/treasury/wallets/derivation';
import { sweepKeys } from '@/lib/treasury/wallets/derivation-sweep';
import type { LocalNetwork } from '@/sandbox/chains/local-network';
import { openRpc } from '@/sandbox/chains/evm/rpc';
import { silentLog } from '@/testing/chain-clock';
import type { TestDatabase } from '@/testing/database/database';
import { partsOf, seed, temporaryDirectory } from '@/testing/signer/signer-scene';
import { watchedSession } from '@/testing/watching/watched-session';

const FINAL = 6;
const COIN = 10n ** 18n;
const keys = keysFromSeed(seed);
/** Scenes of one database share it, so each session has an address of its own. */
let index = 0;

export type SweepScene = Awaited<ReturnType<typeof openSweepScene>>;

/** `feesPerHour` in wei. `urls`: other endpoints than the chain's own. */
export async function openSweepScene(given: {
  readonly db: TestDatabase;
  readonly chain: LocalNetwork;
  readonly feesPerHour?: bigint;
  readonly urls?: readonly string[];
  readonly changes?: Partial<Evm>;
}) {
  const { db, chain } = given;
  const spec = chain.spec as EvmSpec;
  const rpc = openRpc(chain.rpcUrl);
  const treasury = Wallet.createRandom().address.toLowerCase();
  const signer = openSigner(spec, treasury, given.feesPerHour);
  const log = silentLog();
  const reading = { spec, urls: given.urls ?? [chain.rpcUrl], clock: systemClock, log, timeoutMs: 5000 };
  const adapter = openEvmAdapter({ ...reading, urls: [chain.rpcUrl] });
  const context: Context = {
    pool: db.pool,
    clock: systemClock,
    log,
    config: readConfig({
      DATABASE_URL: db.url,
      MASTER_KEYS: `1:${Buffer.from([...Array(32).keys()]).toString('base64')}`,
      EVIDENCE_KEY: Buffer.alloc(32, 9).toString('base64'),
    }),
  };
  const evm: Evm = {
    spec,
    adapter,
    chain: openSweepChain({ ...reading, needed: 1 }),
    sender: openEvmSender({ ...reading, needed: 1 }),
    replaceAfter: 20_000,
    fallback: { until: 0 },
    ...given.changes,
  };
  const sweeping: Sweeping = {
    spec,
    genesis: () => adapter.genesis(),
    family: evmSweeps(evm),
    signer: signer.calls,
    treasury,
    rules: { ...rulesOf(spec), wait: 0 },
    delaySeconds: 0,
  };
  const followed: FollowedChain = { environment: 'test', network: spec.network, spec, adapter };
  const watch = watchStep(followed);
  const frozen: string[] = [];
  const book = outflowStep(
    { TREASURY_WALLETS: [`${spec.network}@local=${treasury}`], TEST_CHAINS: 'local' },
    { freeze: async (reason) => void frozen.push(reason) },
  );
  const sponsor = signer.sweeps.state()[0]!.active;
  const setCoin = (amount: bigint) => rpc('anvil_setBalance', sponsor, `0x${amount.toString(16)}`);
  await setCoin(COIN);

  const scene = {
    context,
    evm,
    sweeping,
    signer,
    spec,
    rpc,
    treasury,
    sponsor,
    delegate: signer.sweeps.state()[0]!.delegate,
    frozen,
    setCoin,
    /** A deposit address of the wallet with an open session. */
    async session() {
      const deposit = keys.addressesAt(index++);
      const networks = [spec.network];
      return watchedSession(db.pool, { createdAt: unixSeconds(new Date()) - 5, networks, deposit });
    },
    /** Sessions whose price was paid, final and credited. */
    async paid(count: number, currency = 'USDT') {
      await scene.watch();
      const sessions = [];
      for (let n = 0; n < count; n++) sessions.push(await scene.session());
      for (const { address } of sessions) {
        await chain.pay({ currency, recipient: address, cents: 12_34n, scenario: 'exact' });
      }
      await chain.mine(FINAL);
      await scene.watch();
      return sessions;
    },
    async watch() {
      while ((await watch(context)).more);
    },
    sweep: () => runSweeps(context, sweeping),
    /** One round of all steps, with blocks that make everything final. */
    async round() {
      await scene.sweep();
      await chain.mine(FINAL);
      await scene.watch();
      await book(context);
    },
    async rounds(count: number) {
      for (let n = 0; n < count; n++) await scene.round();
    },
    book: () => book(context),
    held: (address: string, currency = 'USDT') => chain.balance(address, currency),
    async sweeps() {
      const { rows } = await db.pool.query(
        `SELECT s.kind, s.status, (s.terms->>'nonce')::int AS nonce, cardinality(s.hashes) AS variants, s.message, s.sender, s.fee::text,
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

function openSigner(spec: EvmSpec, treasury: string, feesPerHour?: bigint) {
  const parts = { ...partsOf(path.join(temporaryDirectory(), 'journal')), clock: systemClock };
  const journal = new SignerJournal(parts);
  const refunds = new RefundSigner(parts, journal);
  refunds.giveIndexes({ from: 0, count: 10_000 });
  const budgets = feesPerHour === undefined ? new Map() : new Map([[`${spec.network}@local`, feesPerHour]]);
  const policy = { chains: withBudgets([{ spec, treasury }], budgets), sponsor: 'first' as const };
  const sweeps = new SweepSigner({ journal, keys: sweepKeys(seed), policy, otherWallets: [] });
  const calls: SweepSigning = {
    authorize: async (params) => sweeps.authorize(params),
    sweep: async (params) => sweeps.sweep(params),
    state: async () => ({ ...refunds.state(), sweeps: sweeps.state() }),
    freeze: async (reason) => void refunds.freeze(reason),
  };
  return { calls, sweeps, refunds };
}
