// Sweeps on the local TRON chain as an installation runs them: the watcher, the step that sends sweeps, the step that books them, and the
// real signer on a journal of its own. One clock moves all of them.

import path from 'node:path';
import { Interface, Wallet } from 'ethers';
import { readWalletBalances } from '@/lib/ledger/balances';
import { outflowStep } from '@/lib/ledger/reconciliation/outflows';
import { openTronAdapter } from '@/lib/networks/families/tron/adapter';
import { openTronSender } from '@/lib/networks/families/tron/sending/send';
import { openTronSweepChain } from '@/lib/networks/families/tron/sweeping/chain';
import { forwarderAddress } from '@/lib/networks/families/tron/sweeping/forwarders';
import type { FollowedChain } from '@/lib/networks/registry';
import { watchStep } from '@/lib/payments/watcher/step';
import { systemClock, unixSeconds, type Clock } from '@/lib/platform/clock';
import { readConfig } from '@/lib/platform/config/config';
import type { Context } from '@/lib/platform/context';
import { armCrashPoint, type SWEEP_CRASH_POINTS } from '@/lib/platform/crash-point';
import { RefundSigner } from '@/lib/signer/refund-signer';
import { SignerJournal } from '@/lib/signer/journal/signer-journal';
import { withBudgets } from '@/lib/signer/sweeps/policy';
import { TronSweeps } from '@/lib/signer/sweeps/tron/tron-sweeps';
import type { Sweeping, SweepSigning } from '@/lib/sweeps/context';
import { rulesOf, type SweepRules } from '@/lib/sweeps/rules';
import { runSweeps } from '@/lib/sweeps/step';
import { NOTHING_KNOWN, tronSweeps } from '@/lib/sweeps/tron/family';
import { openForwarderCheck } from '@/lib/sweeps/tron/forwarders';
import type { Tron } from '@/lib/sweeps/tron/run';
import { areAllOf } from '@/lib/treasury/wallets/address-source';
import { keysFromSeed } from '@/lib/treasury/wallets/derivation';
import { sweepKeys } from '@/lib/treasury/wallets/derivation-sweep';
import { fromEvm, readAddress, toBase58, toEvm } from '@/sandbox/chains/tron/address';
import { delegate, freeze } from '@/sandbox/chains/tron/stakes';
import { startTronNode, type TronNode } from '@/sandbox/chains/tron/start';
import { deployForwarders } from '@/sandbox/chains/tron/sweeping';
import { silentLog } from '@/testing/chain-clock';
import type { TestDatabase } from '@/testing/database/database';
import { mortalPool } from '@/testing/database/failing-pool';
import { partsOf, seed, temporaryDirectory } from '@/testing/signer/signer-scene';
import { watchedSession } from '@/testing/watching/watched-session';
import { sponsorsOf } from './sweep-signer';

/** Blocks until the newest one is final. */
const FINAL = 20;
export const TRX = 1_000_000n;
const PRICE = 12_34n;
const walletKeys = keysFromSeed(seed);
/** Scenes of one chain share it, so each session has an address of its own. */
let index = 0;
let ahead = 0;

/** Of all scenes and of their chain. */
const clock: Clock = { now: () => new Date(systemClock.now().getTime() + ahead) };
export const startSceneChain = (): Promise<TronNode> => startTronNode({ blockMs: null, clock });
const hexOf = (address: string): string => readAddress(address) as string;
const newTronWallet = (): string => toBase58(fromEvm(Wallet.createRandom().address));
const issuer = new Interface(['function addBlackList(address)', 'function setPaused(bool)']);

export type TronScene = Awaited<ReturnType<typeof openTronScene>>;

/** `stake` and `coin` of the sponsor, in sun; `feesPerHour` of the signer. */
export type TronSceneGiven = {
  readonly db: TestDatabase;
  readonly chain: TronNode;
  /** A new one unless given. */
  readonly treasury?: string;
  readonly stake?: bigint;
  readonly coin?: bigint;
  readonly feesPerHour?: bigint;
  readonly changes?: Partial<Tron>;
  readonly rules?: Partial<SweepRules>;
  readonly settings?: Readonly<Record<string, string>>;
  /** Whether new deposit addresses are forwarders of a contract, which is created; or the contract, whatever it is. */
  readonly forwarders?: boolean | string;
  /** The seed of the deposit addresses, where the signer has another one. */
  readonly offlineSeed?: Uint8Array | undefined;
};

export async function openTronScene(given: TronSceneGiven) {
  const {
    db,
    chain: node,
    treasury = newTronWallet(),
    stake = 0n,
    coin = 1000n * TRX,
    feesPerHour = 100_000n * TRX,
  } = given;
  const { spec } = node;
  const { state } = node.chain;
  const keys = given.offlineSeed ? keysFromSeed(given.offlineSeed) : walletKeys;
  const factory = await factoryOf(given, treasury);
  const signer = openSigner(node, { treasury, feesPerHour, factory, isSeedless: !!given.offlineSeed });
  const [wallets] = signer.sweeps.state();
  const sponsor = wallets!.active;
  const log = silentLog();
  const reading = { spec, urls: [node.rpcUrl], clock, log, timeoutMs: 5000 };
  const adapter = openTronAdapter(reading);
  const context: Context = {
    pool: db.pool,
    clock,
    log,
    config: readConfig({
      DATABASE_URL: db.url,
      MASTER_KEYS: `1:${Buffer.from([...Array(32).keys()]).toString('base64')}`,
      EVIDENCE_KEY: Buffer.alloc(32, 9).toString('base64'),
      ...given.settings,
    }),
  };
  const sweepChain = openTronSweepChain({ ...reading, needed: 1 });
  const tron: Tron = {
    spec,
    adapter,
    chain: sweepChain,
    isOurs: openForwarderCheck(sweepChain, clock),
    factory,
    sender: openTronSender({ ...reading, needed: 1 }),
    burnFrom: 0n,
    energyPause: 60,
    renting: null,
    lasts: 0,
    known: { ...NOTHING_KNOWN },
    ...given.changes,
  };
  const sweeping: Sweeping = {
    spec,
    genesis: () => adapter.genesis(),
    family: tronSweeps(tron),
    signer: signer.calls,
    treasury: { spec, address: treasury },
    rules: { ...rulesOf(spec), wait: 0, ...given.rules },
    delaySeconds: 0,
  };
  const followed: FollowedChain = { environment: 'test', network: spec.network, spec, adapter };
  const watch = watchStep(followed);
  const frozen: string[] = [];
  const book = outflowStep(
    { TREASURY_WALLETS: [`${spec.network}@local=${treasury}`], TEST_CHAINS: 'local' },
    { ...signer.calls, freeze: async (reason) => void frozen.push(reason) },
  );
  // The sponsor of the seed is the same in every scene, so it begins with what is given now.
  await node.chain.exclusively(() => {
    const hex = hexOf(sponsor);
    state.update(hex, {
      balance: 0n,
      stakes: noStakes,
      unstaking: [],
      used: state.account(`41${'00'.repeat(20)}`).used,
    });
    state.activate(hex);
    state.addBalance(hex, coin);
    if (stake > 0n) freeze(state, hex, 'ENERGY', stake);
  });
  const account = (address: string) => state.account(hexOf(address));

  const scene = {
    db,
    node,
    context,
    tron,
    sweeping,
    signer,
    spec,
    treasury,
    sponsor,
    frozen,
    account,
    factory,
    /** The address of an index that the keys of the signer have. */
    signerAddress: (at: number): string => walletKeys.addressesAt(at).tron,
    setCoin: (sun: bigint) => node.chain.exclusively(() => state.update(hexOf(sponsor), { balance: sun })),
    /** Somebody sends coin to an address, which activates it. */
    giveCoin: (address: string, sun: bigint) =>
      node.chain.exclusively(() => {
        state.activate(hexOf(address));
        state.addBalance(hexOf(address), sun);
      }),
    /** The sponsor lends energy of its stake to an address, which is not one of ours unless it is given. */
    async lendTo(amount: bigint, address: string = newTronWallet()): Promise<string> {
      await scene.giveCoin(address, TRX);
      const lending = { owner: hexOf(sponsor), receiver: hexOf(address), resource: 'ENERGY' as const, amount };
      await node.chain.exclusively(() => delegate(state, lending));
      return address;
    },
    setEnergyPrice: (sun: bigint) => node.chain.exclusively(() => node.chain.setEnergyPrice(sun)),
    later: (seconds: number) => void (ahead += seconds * 1000),
    /** A deposit address of the wallet with an open session: a forwarder of `from`, or of a key where that is null. */
    async session(cents = PRICE, from: string | null = factory) {
      const deposit = keys.addressesAt(index++);
      const address = from === null ? deposit.tron : forwarderAddress(from, deposit.evm);
      const createdAt = unixSeconds(clock.now()) - 5;
      const amounts = { createdAt, networks: [spec.network], amountDue: cents };
      const { id } = await watchedSession(db.pool, { ...amounts, deposit, tronAddress: address, tronFactory: from });
      return { id, address, index: deposit.index, evm: deposit.evm };
    },
    /** Sessions whose price was paid, final and credited. */
    async paid(count: number, { currency = 'USDT', cents = PRICE, from = factory }: PaidGiven = {}) {
      await scene.watch();
      const sessions = [];
      for (let n = 0; n < count; n++) sessions.push(await scene.session(cents, from));
      for (const { address } of sessions) await node.pay({ currency, recipient: address, cents, scenario: 'exact' });
      await scene.makeFinal();
      return sessions;
    },
    async watch() {
      while ((await watch(context)).more);
    },
    book: () => book(context),
    async makeFinal() {
      await node.mine(FINAL);
      await scene.watch();
      await book(context);
    },
    sweep: (changes: Partial<Tron> = {}) =>
      runSweeps(context, { ...sweeping, family: tronSweeps({ ...tron, ...changes }) }),
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
    /** One round of all steps, with blocks that make everything final. */
    async round() {
      await scene.sweep();
      await scene.makeFinal();
    },
    async rounds(count: number) {
      for (let n = 0; n < count; n++) await scene.round();
    },
    held: (address: string, currency = 'USDT') => node.balance(address, currency),
    async sweeps(): Promise<readonly Record<string, unknown>[]> {
      const { rows } = await db.pool.query(
        `SELECT s.kind, s.status, cardinality(s.hashes) AS variants, s.message, s.sender, s.fee::text, s.request, s.terms,
           array_agg(i.reason) FILTER (WHERE i.sweep_id IS NOT NULL) AS reasons, coalesce(sum(i.moved), 0)::text AS moved
         FROM sweeps s JOIN chains c ON c.id = s.chain_id AND c.retired_at IS NULL LEFT JOIN sweep_items i ON i.sweep_id = s.id
         GROUP BY s.id ORDER BY s.id`,
      );
      return rows;
    },
    async hold(): Promise<string | null> {
      const { rows } = await db.pool.query('SELECT hold FROM sweep_states WHERE network = $1', [spec.network]);
      return rows[0]?.hold ?? null;
    },
    /** What the sponsor had left when the worker read it last; null before. */
    async energy(): Promise<bigint | null> {
      const { rows } = await db.pool.query('SELECT energy FROM sweep_states WHERE network = $1', [spec.network]);
      return rows[0]?.energy ? BigInt(rows[0].energy) : null;
    },
    /** Base units that the ledger has in the treasury. */
    async treasuryInLedger(currency = 'USDT'): Promise<bigint> {
      const found = await readWalletBalances(db.pool, 'test', () => spec.tokens[currency]!.decimals);
      return found.find((row) => row.network === spec.network && row.currency === currency)?.treasury.baseUnits ?? 0n;
    },
    /** A call that the issuer of USDT makes, outside a transaction. */
    issue: (name: 'addBlackList' | 'setPaused', value: string | boolean) =>
      node.chain.exclusively(async () => {
        const to = hexOf(spec.tokens.USDT!.contract);
        const { number, time, witness } = node.chain.head();
        const { origin_address: from } = state.account(to).contract as { origin_address: string };
        const argument = typeof value === 'string' ? toEvm(hexOf(value)) : value;
        const data = Buffer.from(issuer.encodeFunctionData(name, [argument]).slice(2), 'hex');
        const block = { number, time, witness: witness.address };
        const run = { from, to, data, value: 0n, energyLimit: 10_000_000n };
        const { outcome } = await node.chain.engine.machine.call(run, block);
        if (outcome !== 'SUCCESS') throw new Error(`${name} ended in ${outcome}`);
      }),
  };
  return scene;
}

type PaidGiven = { readonly currency?: string; readonly cents?: bigint; readonly from?: string | null };

const noStake = { own: 0n, lent: 0n, borrowed: 0n };
const noStakes = { BANDWIDTH: noStake, ENERGY: noStake };

/** The contract of the wallets of the scene, which the payer creates. */
async function factoryOf(
  { chain: node, forwarders = false }: TronSceneGiven,
  treasury: string,
): Promise<string | null> {
  if (typeof forwarders === 'string') return forwarders;
  if (!forwarders) return null;
  const keys = sweepKeys(seed, 'tron');
  const [sponsor, spareSponsor] = [keys.sponsor('test', 'first').address, keys.sponsor('test', 'spare').address];
  const payer = { address: hexOf(node.payer.address), key: `0x${node.payer.privateKey}` };
  return deployForwarders(node, payer, { treasury, sponsor, spareSponsor });
}

type SignerGiven = {
  readonly treasury: string;
  readonly feesPerHour: bigint;
  readonly factory: string | null;
  readonly isSeedless: boolean;
};

function openSigner({ spec }: TronNode, { treasury, feesPerHour, factory, isSeedless }: SignerGiven) {
  const parts = { ...partsOf(path.join(temporaryDirectory(), 'journal')), clock };
  const journal = new SignerJournal(parts);
  const refunds = new RefundSigner(parts, journal);
  refunds.giveIndexes({ from: 0, count: 10_000 });
  const chains = withBudgets([{ spec, treasury }], new Map([[`${spec.network}@local`, feesPerHour]]));
  const policy = { chains, sponsor: 'first' as const };
  const factories = factory === null ? [] : [{ spec, factory }];
  const keys = isSeedless ? sponsorsOf(sweepKeys(seed, 'tron')) : sweepKeys(seed, 'tron');
  const sweeps = new TronSweeps({ journal, keys, policy, refundWallets: {}, factories });
  const calls: SweepSigning = {
    authorize: () => Promise.reject(new Error('TRON has no authorizations')),
    owns: async (at, addresses) => areAllOf(walletKeys.addressesAt(at), addresses, factory === null ? [] : [factory]),
    sweep: async (params) => {
      if (!('refBlockHash' in params)) throw new Error('not a sweep on TRON');
      return sweeps.sweep(params);
    },
    state: async () => ({ ...refunds.state(), sweeps: sweeps.state() }),
    freeze: async (reason) => void refunds.freeze(reason),
  };
  return { calls, sweeps, refunds };
}
