// The drill of a restored backup (docs/failure-model.md#refunds-and-the-signer): fifty refunds are signed and sent after the backup. The worker of the
// restored database stops, the operator recovers and unfreezes, and no payer is paid twice. Everything is real: two
// chains, PostgreSQL, the signer with socket and journal, and the worker's steps.

import fs from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { openChains, sendingOptions } from '@/lib/networks/registry';
import { systemClock } from '@/lib/platform/clock';
import type { Context } from '@/lib/platform/context';
import { openPool, type Pool } from '@/lib/platform/database/db';
import { newSessionId } from '@/lib/platform/ids';
import { createRefund } from '@/lib/refunds/request/create';
import { reconcileStep } from '@/lib/ledger/reconciliation/step';
import { recover } from '@/lib/refunds/recovery/recover';
import { recoveredName } from '@/lib/refunds/recovery/adopt';
import type { CreateRefundRequest } from '@/lib/refunds/request/schema';
import { COLD_RULES } from '@/lib/cold-storage/rules';
import { PAYOUT_RULES } from '@/lib/payouts/rules';
import { REFUND_RULES } from '@/lib/refunds/sending/refund-rules';
import { paymentSteps } from '@/lib/refunds/sending/step';
import { SignerClient } from '@/lib/signer/client';
import { silentLog } from '@/testing/chain-clock';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { depositKeys } from '@/testing/refunds/deposit-keys';
import { testConfig } from '@/testing/fixtures';
import { makeMerchant, refundRequest } from '@/testing/refunds/refund-caller';
import { serveSigner, type ServedSigner } from '@/testing/signer/served-signer';
import { accounts, evidenceKey, temporaryDirectory } from '@/testing/signer/signer-scene';
import { watchStep } from '@/lib/payments/watcher/step';
import { EVM_NETWORKS, startEvm } from './evm/start';
import type { LocalNetwork, StartOptions } from './local-network';
import { startTron } from './tron/start';

const NETWORKS = ['bsc', 'tron'] as const;
/** Per network; each refund adds different cents, so that every amount is unique. */
const SESSIONS = 5;
const EACH = 5;
const BEFORE_BACKUP = 3;
const PRICE = 100_00;
const REFUNDS = NETWORKS.length * SESSIONS * EACH;

let directory: string;
let chains: LocalNetwork[];
let database: TestDatabase;
let restored: { pool: Pool; name: string };
let signer: ServedSigner;
const stops: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  directory = temporaryDirectory();
  const wallet = (family: 'evm' | 'tron' | 'solana') => accounts.of('test', family).address;
  const refundWallet = { evm: wallet('evm'), tron: wallet('tron'), solana: wallet('solana'), nextNonces: {} };
  const onFault = (error: Error): never => {
    throw error;
  };
  const options: StartOptions = { directory, refundWallet, onFault };
  const bsc = EVM_NETWORKS.find(({ network }) => network === 'bsc')!;
  chains = await Promise.all([startEvm({ ...bsc, blockMs: 300 }, options), startTron(options)]);
  stops.push(...chains.map((chain) => () => chain.stop()));
  database = await openTestDatabase(8);

  signer = await serveSigner(directory);
}, 120_000);
afterAll(async () => {
  await signer.close();
  for (const stop of stops) await stop();
  await restored?.pool.end();
  await onServer(`DROP DATABASE IF EXISTS ${restored?.name} WITH (FORCE)`);
  await database.close();
  fs.rmSync(directory, { recursive: true, force: true });
});

async function onServer(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: inject('databaseServer') });
  await client.connect();
  await client.query(statement).finally(() => client.end());
}

/** Copies the current database. The server closes its connections first, because it cannot copy a database in use. */
async function backUp(): Promise<{ pool: Pool; name: string }> {
  const source = new URL(database.url).pathname.slice(1);
  const name = `${source}_restored`;
  await onServer(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${source}'`);
  await onServer(`CREATE DATABASE ${name} TEMPLATE ${source}`);
  const url = new URL(database.url);
  url.pathname = `/${name}`;
  return { pool: openPool(url.href, 8), name };
}

/** The worker of a database: every call runs each of its steps once. */
function openWorker(context: Context): () => Promise<void> {
  const followed = openChains(context.config, context);
  const { config } = context;
  const steps = [
    ...followed.map((chain) => watchStep(chain)),
    ...paymentSteps(context, followed, {
      refunds: REFUND_RULES,
      payouts: PAYOUT_RULES,
      cold_transfers: COLD_RULES,
    }).map(({ run }) => run),
    ...followed.map((chain) => reconcileStep(chain, sendingOptions(config, context, chain), config.SIGNER_SOCKET)),
  ];
  return async () => {
    for (const step of steps) await step(context);
  };
}

async function until(work: () => Promise<unknown>, isDone: () => Promise<boolean>, what: string): Promise<void> {
  for (const end = Date.now() + 90_000; !(await isDone()); await sleep(100)) {
    if (Date.now() > end) throw new Error(`this did not happen in time: ${what}`);
    await work();
  }
}

let index = 0;
async function makeSession(pool: Pool, storeId: string, network: string): Promise<{ id: string; address: string }> {
  const [id, at] = [newSessionId('test'), depositKeys.addressesAt(++index)];
  await pool.query(
    `INSERT INTO sessions (id, store_id, environment, order_id, amount_total, currency, amount_due, currencies, networks,
       created_at, expires_at, address_index, evm_address, tron_address, solana_address)
     VALUES ($1, $2, 'test', $1, $3, 'USDT', $3, '{USDT}', ARRAY[$4], now() - interval '1 minute',
       now() + interval '1 hour', $5, $6, $7, $1)`,
    [id, storeId, PRICE, network, at.index, at.evm, at.tron],
  );
  return { id, address: network === 'tron' ? at.tron : at.evm };
}

test(
  'a database restored from a backup made fifty refunds ago pays none of them twice',
  { timeout: 300_000 },
  async () => {
    const urls = Object.fromEntries(
      chains.map(({ network, rpcUrl }) => [`TEST_${network.toUpperCase()}_URLS`, rpcUrl] as const),
    );
    const config = testConfig({
      TEST_ETHEREUM_URLS: '',
      ...urls,
      SIGNER_SOCKET: signer.socket,
      EVIDENCE_KEY: evidenceKey[0].toString('base64'),
      REFUND_HOLD_SECONDS_TEST: '0',
    });
    const context: Context = { pool: database.pool, clock: systemClock, log: silentLog(), config };
    const merchant = await makeMerchant(database, context);
    const work = openWorker(context);
    await work();

    // All customers pay.
    const sessions: { id: string; chain: LocalNetwork }[] = [];
    for (const chain of chains) {
      for (let count = 0; count < SESSIONS; count++) {
        const { id, address } = await makeSession(database.pool, merchant.storeId, chain.network);
        await chain.pay({ currency: 'USDT', recipient: address, cents: BigInt(PRICE), scenario: 'exact' });
        sessions.push({ id, chain });
      }
    }
    const count = async (pool: Pool, text: string): Promise<number> => Number((await pool.query(text)).rows[0].count);
    const paid = `SELECT count(*) FROM sessions WHERE status = 'completed'`;
    await until(work, async () => (await count(database.pool, paid)) === sessions.length, 'every session is paid');
    const paidOut = (await Promise.all(chains.map((chain) => chain.balance(chain.payer.address, 'USDT')))).map(
      (before, at) => async () => (await chains[at]!.balance(chains[at]!.payer.address, 'USDT')) - before,
    );

    // Some refunds are requested before the backup, and all of them are paid after it.
    const asked: { request: CreateRefundRequest; chain: LocalNetwork }[] = sessions.flatMap(({ id, chain }, at) =>
      Array.from({ length: EACH }, (_, part) => ({
        request: refundRequest({ session_id: id, refund_id: `r-${at}-${part}`, amount: 100 + at * EACH + part }),
        chain,
      })),
    );
    const [early, late] = [asked.slice(0, BEFORE_BACKUP), asked.slice(BEFORE_BACKUP)];
    const create = (on: Context, { request }: (typeof asked)[number]) => createRefund(on, merchant.caller(), request);
    for (const one of early) await create(context, one);
    restored = await backUp();
    for (const one of late) await create(context, one);
    await until(work, async () => signer.state().journal.attempts === REFUNDS, 'every refund is signed');
    const completed = `SELECT count(*) FROM refunds WHERE status = 'completed'`;
    await until(work, async () => (await count(database.pool, completed)) >= REFUNDS / 2, 'half of them are final');
    const journal = signer.state().journal;

    // The worker of the restored database starts, and merchants repeat their requests.
    const again: Context = { ...context, pool: restored.pool };
    const workAgain = openWorker(again);
    const repeated = late.slice(10, 15);
    for (const one of repeated) expect((await create(again, one)).status).toBe('pending');
    for (let pass = 0; pass < 5; pass++) await workAgain();
    expect(signer.state()).toMatchObject({
      frozen: true,
      reason: `the database is older than the journal: ${REFUNDS} refunds unknown to it`,
      journal: { attempts: REFUNDS },
    });
    expect(await count(restored.pool, 'SELECT count(*) FROM refund_attempts')).toBe(0);

    // The operator recovers, twice to prove that it is idempotent.
    const client = new SignerClient(signer.socket);
    const recovery = await recover(again, client, false);
    expect(recovery.isLevel).toBe(true);
    const done = recovery.refunds.map(({ recovered }) =>
      'done' in recovered ? recovered.done : recovered.notRecovered,
    );
    const known = early.length + repeated.length;
    expect(done.filter((one) => one === 'imported')).toHaveLength(known);
    expect(done.filter((one) => one === 'recreated')).toHaveLength(REFUNDS - known);
    expect(await recover(again, client, false)).toMatchObject({ refunds: [], isLevel: true });
    for (let pass = 0; pass < 3; pass++) await workAgain();
    expect(signer.state()).toMatchObject({ frozen: true, journal: { attempts: REFUNDS } });

    // A repeated request gets the original refund; no second refund has its name.
    const adopted = late.slice(20, 25);
    for (const one of adopted) expect(await create(again, one)).toMatchObject({ refundId: one.request.refund_id });
    for (const one of [...adopted, ...repeated]) await create(again, one);
    const other = { ...late[26]!.request, amount: late[26]!.request.amount + 1 };
    await expect(create(again, { ...late[26]!, request: other })).rejects.toMatchObject({ code: 'REFUND_ID_CONFLICT' });

    // The operator lets the signer sign again, as `unfreeze` at a terminal does.
    signer.unfreeze();
    await until(
      workAgain,
      async () => (await count(restored.pool, completed)) === REFUNDS,
      'every refund is completed',
    );

    // The signer signed nothing new, every transaction is the original, and the chains have each payment once.
    expect(signer.state()).toMatchObject({ frozen: false, journal: { attempts: REFUNDS, intents: journal.intents } });
    await until(work, async () => (await count(database.pool, completed)) === REFUNDS, 'the other database agrees');
    const facts = (pool: Pool) =>
      pool
        .query(
          `SELECT id, session_id, amount, currency, network, destination, transaction_hash FROM refunds ORDER BY id`,
        )
        .then(({ rows }) => rows);
    expect(await facts(restored.pool)).toEqual(await facts(database.pool));
    for (const [at, chain] of chains.entries()) {
      const cents = asked.filter((one) => one.chain === chain).reduce((sum, { request }) => sum + request.amount, 0);
      const { decimals } = chain.spec.tokens.USDT!;
      expect(await paidOut[at]!()).toBe(BigInt(cents) * 10n ** BigInt(decimals - 2));
    }

    // The ledger equals that of the database that was never restored.
    const books = async (pool: Pool) => ({
      sessions: (await pool.query('SELECT id, amount_refunded FROM sessions ORDER BY id')).rows,
      days: (await pool.query('SELECT store_id, day, amount FROM refund_days ORDER BY day')).rows,
      ledger: (await pool.query('SELECT account, network, currency, amount FROM ledger_balances ORDER BY 1, 2, 3'))
        .rows,
      events: await count(pool, `SELECT count(*) FROM events WHERE type = 'refund.succeeded'`),
      receipts: await count(pool, 'SELECT count(DISTINCT receipt_number) FROM refunds'),
    });
    const expected = await books(database.pool);
    expect(await books(restored.pool)).toEqual(expected);
    expect(expected).toMatchObject({ events: REFUNDS, receipts: REFUNDS });
    const unnamed = `SELECT id, refund_id FROM refunds WHERE refund_id LIKE 'recovered_%'`;
    const nameless = (await restored.pool.query(unnamed)).rows;
    expect(nameless).toHaveLength(REFUNDS - known - adopted.length);
    expect(nameless.every(({ id, refund_id }) => refund_id === recoveredName(id))).toBe(true);
  },
);
