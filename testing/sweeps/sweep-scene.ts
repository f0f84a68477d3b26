// Sweeps on a local EVM chain as an installation runs them: the watcher, the step that sends sweeps, the step that books them, and the
// real signer on a journal of its own.

import { Wallet } from 'ethers';
import { readWalletBalances } from '@/lib/ledger/balances';
import { outflowStep } from '@/lib/ledger/reconciliation/outflows';
import { openEvmAdapter } from '@/lib/networks/families/evm/adapter';
import { openEvmSender } from '@/lib/networks/families/evm/sending/send';
import { openSweepChain } from '@/lib/networks/families/evm/sweeping/chain';
import type { EvmSpec } from '@/lib/networks/networks';
import type { FollowedChain } from '@/lib/networks/registry';
import { watchStep } from '@/lib/payments/watcher/step';
import { systemClock, unixSeconds, type Clock } from '@/lib/platform/clock';
import { readConfig } from '@/lib/platform/config/config';
import type { Context } from '@/lib/platform/context';
import { armCrashPoint, type SWEEP_CRASH_POINTS } from '@/lib/platform/crash-point';
import type { Sweeping } from '@/lib/sweeps/context';
import { evmSweeps } from '@/lib/sweeps/evm/family';
import { openPresigned } from '@/lib/sweeps/evm/presigned';
import type { Evm } from '@/lib/sweeps/evm/run';
import { rulesOf, type SweepRules } from '@/lib/sweeps/rules';
import { runSweeps } from '@/lib/sweeps/step';
import { keysFromSeed } from '@/lib/treasury/wallets/derivation';
import type { LocalNetwork } from '@/sandbox/chains/local-network';
import { openRpc } from '@/sandbox/chains/evm/rpc';
import { silentLog } from '@/testing/chain-clock';
import type { TestDatabase } from '@/testing/database/database';
import { mortalPool } from '@/testing/database/failing-pool';
import { seed } from '@/testing/signer/signer-scene';
import { watchedSession } from '@/testing/watching/watched-session';
import type { OfflineKeys } from './offline-keys';
import { openSweepSigner, type SignerGiven } from './sweep-signer';

const FINAL = 6;
const COIN = 10n ** 18n;
const keys = keysFromSeed(seed);
/** Scenes of one database share it, so each session has an address of its own. */
let index = 0;
export const nextSessionIndex = (): number => index;

export type SweepScene = Awaited<ReturnType<typeof openSweepScene>>;

type Changes = Partial<Evm> & { readonly rules?: SweepRules };

export type SceneGiven = Pick<SignerGiven, 'feesPerHour' | 'sponsor'> & {
  readonly db: TestDatabase;
  readonly chain: LocalNetwork;
  /** A new one unless given. */
  readonly treasury?: string;
  /** What sweeps take the chain for; a local one unless given. */
  readonly chainKind?: EvmSpec['chain'];
  /** Other endpoints for sweeps than the chain's own. */
  readonly urls?: readonly string[];
  readonly changes?: Partial<Evm>;
  /** The wallet of the deposit addresses, where the signer has no seed of them. */
  readonly offline?: OfflineKeys;
  readonly settings?: Readonly<Record<string, string>>;
};

export async function openSweepScene(given: SceneGiven) {
  const { db, chain, offline } = given;
  const deposits = offline ? keysFromSeed(offline.seed) : keys;
  const spec = chain.spec as EvmSpec;
  const swept = { ...spec, chain: given.chainKind ?? spec.chain };
  const rpc = openRpc(chain.rpcUrl);
  const { treasury = Wallet.createRandom().address.toLowerCase(), feesPerHour, sponsor: which } = given;
  let ahead = 0;
  const clock: Clock = { now: () => new Date(systemClock.now().getTime() + ahead) };
  const signer = openSweepSigner({ spec: swept, treasury, clock, feesPerHour, sponsor: which, isSeedless: !!offline });
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
      ...given.settings,
    }),
  };
  const evm: Evm = {
    spec: swept,
    adapter,
    chain: openSweepChain({ ...reading, needed: 1 }),
    sender: openEvmSender({ ...reading, needed: 1 }),
    replaceAfter: 20_000,
    fallback: { until: 0 },
    presigned: offline ? openPresigned(offline.directory) : null,
    ...given.changes,
  };
  const sweeping: Sweeping = {
    spec: swept,
    genesis: () => adapter.genesis(),
    family: evmSweeps(evm),
    signer: signer.calls,
    treasury: { spec: swept, address: treasury },
    rules: { ...rulesOf(spec), wait: 0 },
    delaySeconds: 0,
  };
  // Sweeps wait for hours. The watcher goes by the time of the chain.
  const sweepContext = { ...context, clock };
  const followed: FollowedChain = { environment: 'test', network: spec.network, spec, adapter };
  const watch = watchStep(followed);
  const frozen: string[] = [];
  const book = outflowStep(
    { TREASURY_WALLETS: [`${spec.network}@local=${treasury}`], TEST_CHAINS: 'local' },
    { ...signer.calls, freeze: async (reason) => void frozen.push(reason) },
  );
  const sponsor = signer.sweeps.state()[0]!.active;
  const setCoin = (amount: bigint) => rpc('anvil_setBalance', sponsor, `0x${amount.toString(16)}`);
  await setCoin(COIN);

  const withChanges = ({ rules = sweeping.rules, ...changes }: Changes): Sweeping => ({
    ...sweeping,
    rules,
    family: evmSweeps({ ...evm, ...changes }),
  });
  const scene = {
    db,
    chain,
    context: sweepContext,
    evm,
    sweeping,
    signer,
    spec,
    rpc,
    treasury,
    sponsor,
    delegate: signer.sweeps.state()[0]!.delegate!,
    frozen,
    setCoin,
    /** A deposit address of the wallet with an open session. */
    async session(at = index++) {
      const deposit = deposits.addressesAt(at);
      const networks = [spec.network];
      const fields = { createdAt: unixSeconds(new Date()) - 5, networks, deposit };
      return { ...(await watchedSession(db.pool, fields)), index: deposit.index };
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
    /** A further payment, final and credited. */
    async pay(recipient: string, cents: bigint, currency = 'USDT') {
      await chain.pay({ currency, recipient, cents, scenario: 'exact' });
      await chain.mine(FINAL);
      await scene.watch();
    },
    async watch() {
      while ((await watch(context)).more);
    },
    /** Lets this much time pass for sweeps and the signer. */
    later: (seconds: number) => void (ahead += seconds * 1000),
    sweep: (changes: Changes = {}) => runSweeps(sweepContext, withChanges(changes)),
    /** One run of a worker that ends at this point, as a killed process does. */
    async crashAt(point: (typeof SWEEP_CRASH_POINTS)[number]) {
      const { pool, die } = mortalPool(db.pool);
      let crashes = 0;
      armCrashPoint(point, () => {
        crashes++;
        die();
        throw new Error('the process ended here');
      });
      await runSweeps({ ...sweepContext, pool }, withChanges({ fallback: { until: 0 } })).catch(() => null);
      armCrashPoint(undefined);
      return crashes;
    },
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
