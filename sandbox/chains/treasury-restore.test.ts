// The drill of a restored backup for the treasury (docs/treasury-failures.md, row 39): fifty deposits are swept and twenty payouts are paid after
// the backup. The worker of the restored database stops, the operator recovers and unfreezes, and nothing is swept or paid twice. Everything
// is real: a chain, PostgreSQL, the signer with socket and journal, and the worker's steps.

import fs from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Wallet } from 'ethers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { COLD_RULES } from '@/lib/cold-storage/rules';
import { readWalletBalances } from '@/lib/ledger/balances';
import { checkBooks } from '@/lib/ledger/invariants/check';
import { readDiscrepancies } from '@/lib/ledger/reconciliation/discrepancies';
import { outflowStep } from '@/lib/ledger/reconciliation/outflows';
import { reconcileStep } from '@/lib/ledger/reconciliation/step';
import { openChains, sendingOptions } from '@/lib/networks/registry';
import { watchStep } from '@/lib/payments/watcher/step';
import { requestPayout } from '@/lib/payouts/request';
import { PAYOUT_RULES } from '@/lib/payouts/rules';
import { systemClock, unixSeconds } from '@/lib/platform/clock';
import type { Context } from '@/lib/platform/context';
import { recoveredName } from '@/lib/refunds/recovery/adopt';
import { recover } from '@/lib/refunds/recovery/recover';
import { REFUND_RULES } from '@/lib/refunds/sending/refund-rules';
import { paymentSteps } from '@/lib/refunds/sending/step';
import { SignerClient } from '@/lib/signer/client';
import { sweepSteps } from '@/lib/sweeps/step';
import { silentLog } from '@/testing/chain-clock';
import { backUp } from '@/testing/database/backup';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { testConfig } from '@/testing/fixtures';
import { announcedAddress } from '@/testing/payouts/announced-address';
import { serveSigner, type ServedSigner } from '@/testing/signer/served-signer';
import { accounts, evidenceKey, temporaryDirectory } from '@/testing/signer/signer-scene';
import { TREASURY, wallets } from '@/testing/signer/sweep-scene';
import { onChain, type OnChain } from '@/testing/sweeps/on-chain';
import { watchedSession, watchedStore } from '@/testing/watching/watched-session';
import { EVM_NETWORKS } from './evm/start';
import { startTestEvm } from './evm/test-chain';
import type { LocalNetwork } from './local-network';

const [DEPOSITS, PAYOUTS] = [50, 20];
/** Payouts that the backup has, and those of the others that the merchant requests again before the recovery. */
const [BEFORE_BACKUP, REPEATED] = [3, 4];
const PRICE = 1234n;
/** Cents in the refund wallet at first. */
const FUNDED = 1000_00n;
/** Base units of a cent. */
const CENT = 10_000n;
const FINAL = 6;
const NETWORK = 'ethereum';
const REFUND_WALLET = accounts.of('test', 'evm').address;
const RECIPIENT = Wallet.createRandom().address.toLowerCase();

let directory: string;
let chain: LocalNetwork;
let others: OnChain;
let signer: ServedSigner;
let client: SignerClient;
let database: TestDatabase;
let restored: TestDatabase | undefined;
let context: Context;
let storeId: string;
beforeAll(async () => {
  directory = temporaryDirectory();
  chain = await startTestEvm(EVM_NETWORKS.find(({ network }) => network === NETWORK));
  others = onChain(chain);
  database = await openTestDatabase(8);
  signer = await serveSigner(directory);
  client = new SignerClient(signer.socket);
  storeId = await watchedStore(database.pool);
  const config = testConfig({
    TEST_ETHEREUM_URLS: chain.rpcUrl,
    TEST_BSC_URLS: '',
    SIGNER_SOCKET: signer.socket,
    EVIDENCE_KEY: evidenceKey[0].toString('base64'),
    TREASURY_WALLETS: `${NETWORK}@local=${TREASURY}`,
    SWEEP_DELAY_SECONDS: '0',
  });
  context = { pool: database.pool, clock: systemClock, log: silentLog(), config };
  for (const wallet of [REFUND_WALLET, wallets.sponsor]) await others.addCoin(wallet);
}, 120_000);
afterAll(async () => {
  await signer.close();
  await chain.stop();
  await restored?.close();
  await database.close();
  fs.rmSync(directory, { recursive: true, force: true });
});

/** The worker of a database: each call runs each of its steps once. Without `sweeps` it moves no deposit. */
function openWorker(on: Context, { sweeps }: { readonly sweeps: boolean }) {
  const followed = openChains(on.config, on);
  const steps = [
    ...followed.map((one) => watchStep(one)),
    outflowStep(on.config, client),
    ...paymentSteps(on, followed, { refunds: REFUND_RULES, payouts: PAYOUT_RULES, cold_transfers: COLD_RULES }).map(
      ({ run }) => run,
    ),
    ...(sweeps ? sweepSteps(on, followed).map(({ run }) => run) : []),
  ];
  const comparisons = followed.map((one) =>
    reconcileStep(one, sendingOptions(on.config, on, one), on.config.SIGNER_SOCKET),
  );
  return {
    async work(): Promise<void> {
      for (const step of steps) await step(on);
      await chain.mine(FINAL);
    },
    /** Compares the refund wallet with the chain a few times, each later than the pause between two comparisons. */
    async compare(): Promise<void> {
      for (let times = 0; times < 4; times++) {
        ahead += 400_000;
        const clock = { now: () => new Date(systemClock.now().getTime() + ahead) };
        await chain.mine(FINAL);
        for (const step of comparisons) await step({ ...on, clock });
      }
    },
  };
}
let ahead = 0;

async function until(work: () => Promise<unknown>, isDone: () => Promise<boolean>, what: string): Promise<void> {
  for (const end = Date.now() + 120_000; !(await isDone()); await sleep(50)) {
    if (Date.now() > end) throw new Error(`this did not happen in time: ${what}`);
    await work();
  }
}

const count = async (on: Pick<Context, 'pool'>, text: string): Promise<number> =>
  Number((await on.pool.query<{ count: string }>(`SELECT count(*) FROM ${text}`)).rows[0]?.count);
const COMPLETED = `payouts WHERE status = 'completed'`;

/** Customers pay sessions at addresses that the signer gives. */
async function pay(on: Context, work: () => Promise<void>, many: number): Promise<void> {
  const before = await count(on, `sessions WHERE status = 'completed'`);
  const { addresses } = await client.addresses((await client.highestIndex()) + 1, many);
  for (const deposit of addresses) {
    const fields = { createdAt: unixSeconds(new Date()) - 5, networks: [NETWORK], deposit, storeId };
    const { address } = await watchedSession(on.pool, { ...fields, amountDue: PRICE });
    await chain.pay({ currency: 'USDT', recipient: address, cents: PRICE, scenario: 'exact' });
  }
  const done = async () => (await count(on, `sessions WHERE status = 'completed'`)) === before + many;
  await until(work, done, 'every session is paid');
}

/** Each has an amount of its own. */
const amountOf = (number: number): bigint => 5_00n + BigInt(number);
const sumOf = (many: number): bigint => Array.from({ length: many }, (_, at) => amountOf(at)).reduce((a, b) => a + b);
/** The merchant requests the payout of this number, or repeats the request. */
async function request(on: Context, number: number): Promise<string> {
  const maker = { storeId, environment: 'test', record: async () => {} } as const;
  const made = await requestPayout(on, maker, {
    ...{
      payoutId: `payout-${number}`,
      amount: amountOf(number),
      currency: 'USDT',
      network: NETWORK,
      description: null,
    },
  });
  if ('id' in made) return made.id;
  throw new Error(`the payout was refused: ${made.refused.code}`);
}
async function requestAll(on: Context, from: number, to: number): Promise<string[]> {
  const ids = [];
  for (let number = from; number < to; number++) ids.push(await request(on, number));
  return ids;
}

/** What the chain has, in cents, and how many transactions our accounts have sent. */
const onTheChain = async () => ({
  treasury: (await chain.balance(TREASURY, 'USDT')) / CENT,
  recipient: (await chain.balance(RECIPIENT, 'USDT')) / CENT,
  refundWallet: (await chain.balance(REFUND_WALLET, 'USDT')) / CENT,
  sweeps: await others.count(wallets.sponsor, 'pending'),
  payouts: await others.count(REFUND_WALLET, 'pending'),
});

/** What the ledger has, in cents. */
async function inTheBooks(on: Context) {
  const found = await readWalletBalances(on.pool, 'test', () => 6);
  const usdt = found.find(({ network, currency }) => network === NETWORK && currency === 'USDT')!;
  const { rows } = await on.pool.query<{ account: string; amount: string }>(
    `SELECT account, (-amount)::text AS amount FROM ledger_balances WHERE currency = 'USDT' AND account = ANY($1)`,
    [[`store:${storeId}`, `payout:${storeId}`]],
  );
  const owed = (kind: string) =>
    BigInt(rows.find(({ account }) => account === `${kind}:${storeId}`)?.amount ?? 0) / CENT;
  return {
    received: usdt.received.baseUnits / CENT,
    treasury: usdt.treasury.baseUnits / CENT,
    refundWallet: usdt.refundWallet.baseUnits / CENT,
    store: owed('store'),
    openPayouts: owed('payout'),
  };
}
const ledger = async ({ pool }: Context) =>
  (
    await pool.query(
      'SELECT account, network, currency, amount::text FROM ledger_balances WHERE amount <> 0 ORDER BY 1, 2, 3',
    )
  ).rows;
const broken = async ({ pool }: Context) => (await checkBooks(pool)).filter((found) => found.count > 0);

test(
  'a database restored to before fifty sweeps and twenty payouts repeats none of them, agrees with the chain, and goes on',
  { timeout: 600_000 },
  async () => {
    await chain.pay({ currency: 'USDT', recipient: REFUND_WALLET, cents: FUNDED, scenario: 'exact' });
    await announcedAddress(database.pool, { storeId, network: NETWORK, address: RECIPIENT, payAfter: new Date() });
    const calm = openWorker(context, { sweeps: false });
    await calm.work();
    await calm.compare();
    await pay(context, () => calm.work(), DEPOSITS);
    // Some payouts are requested before the backup; everything is signed after it.
    const ids = await requestAll(context, 0, BEFORE_BACKUP);
    restored = await backUp(database, 8);
    expect(signer.state().journal).toMatchObject({ attempts: 0 });
    const first = openWorker(context, { sweeps: true });
    ids.push(...(await requestAll(context, BEFORE_BACKUP, PAYOUTS)));
    const areDone = async () =>
      (await count(context, COMPLETED)) === PAYOUTS &&
      (await inTheBooks(context)).treasury === BigInt(DEPOSITS) * PRICE;
    await until(() => first.work(), areDone, 'everything is swept and paid');
    const after = await onTheChain();
    const [swept, paid] = [BigInt(DEPOSITS) * PRICE, sumOf(PAYOUTS)];
    expect(after).toMatchObject({ treasury: swept, recipient: paid, refundWallet: FUNDED - paid, payouts: PAYOUTS });

    // The worker of the restored database stops everything, whatever the merchant requests again.
    const again: Context = { ...context, pool: restored.pool };
    const second = openWorker(again, { sweeps: true });
    expect(await requestAll(again, BEFORE_BACKUP, BEFORE_BACKUP + REPEATED)).toEqual(
      ids.slice(BEFORE_BACKUP, BEFORE_BACKUP + REPEATED),
    );
    for (let pass = 0; pass < 5; pass++) await second.work();
    expect(signer.state()).toMatchObject({
      frozen: true,
      reason: `the database is older than the journal: ${PAYOUTS} refunds unknown to it`,
      journal: { attempts: PAYOUTS },
    });
    expect(await onTheChain()).toEqual(after);

    // The operator recovers, twice to prove that it is idempotent, and lets the signer sign again.
    const { refunds: recovered, isLevel } = await recover(again, client, false);
    expect([isLevel, recovered.length]).toEqual([true, PAYOUTS]);
    const known = BEFORE_BACKUP + REPEATED;
    const done = recovered.map((one) => ('done' in one.recovered ? one.recovered.done : one.recovered.notRecovered));
    expect(done.toSorted()).toEqual([...Array(known).fill('imported'), ...Array(PAYOUTS - known).fill('recreated')]);
    expect(await recover(again, client, false)).toMatchObject({ refunds: [], isLevel: true });
    await second.work();
    expect(await onTheChain()).toEqual(after);
    signer.unfreeze();
    const isLevelAgain = async () =>
      (await count(again, COMPLETED)) === PAYOUTS && (await inTheBooks(again)).treasury === swept;
    await until(() => second.work(), isLevelAgain, 'every payout is completed and every sweep booked');
    for (let pass = 0; pass < 3; pass++) await second.work();

    // No transaction is new, and the books are those of the database that was never restored, to the unit.
    expect(await onTheChain()).toEqual(after);
    expect(signer.state()).toMatchObject({ frozen: false, journal: { attempts: PAYOUTS } });
    await second.compare();
    const books = { received: 0n, treasury: swept, refundWallet: FUNDED - paid, store: swept - paid, openPayouts: 0n };
    expect(await inTheBooks(again)).toEqual(books);
    await first.work();
    expect(await ledger(again)).toEqual(await ledger(context));
    expect(await readDiscrepancies(again, { isOpenOnly: true })).toEqual([]);
    expect(await broken(again)).toEqual([]);

    // A repeated request gets the original payout, which has its name from then on.
    const nameless = async () =>
      (await again.pool.query(`SELECT id FROM payouts WHERE payout_id = ANY($1)`, [ids.map(recoveredName)])).rowCount;
    expect(await nameless()).toBe(PAYOUTS - known);
    expect(await requestAll(again, 0, PAYOUTS)).toEqual(ids);
    expect(await nameless()).toBe(0);

    // New deposits are swept and new payouts paid.
    await pay(again, () => second.work(), 3);
    await requestAll(again, PAYOUTS, PAYOUTS + 2);
    const total = { swept: swept + 3n * PRICE, paid: sumOf(PAYOUTS + 2) };
    const goesOn = async () =>
      (await count(again, COMPLETED)) === PAYOUTS + 2 && (await inTheBooks(again)).treasury === total.swept;
    await until(() => second.work(), goesOn, 'new deposits are swept and new payouts paid');
    expect(await onTheChain()).toMatchObject({
      ...{ treasury: total.swept, recipient: total.paid, refundWallet: FUNDED - total.paid, payouts: PAYOUTS + 2 },
    });
    await second.compare();
    expect(await inTheBooks(again)).toEqual({
      ...{ received: 0n, treasury: total.swept, refundWallet: FUNDED - total.paid, store: total.swept - total.paid },
      openPayouts: 0n,
    });
    expect(await broken(again)).toEqual([]);
    expect(signer.state()).toMatchObject({ frozen: false });
  },
);
