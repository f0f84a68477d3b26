import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Context } from '@/lib/platform/context';
import { transaction } from '@/lib/platform/database/db';
import { recordHeartbeats } from '@/testing/heartbeat';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { makeAddresses, makeChain, makeStore, TestClock, testConfig, testContext } from '@/testing/fixtures';
import { proveBalances } from '@/testing/payments/proven-balances';
import { createSession } from '@/lib/payments/sessions/create/create';
import { expireSessions } from '@/lib/payments/sessions/expire/expire';
import { createSessionSchema } from '@/lib/payments/sessions/create/schema';
import { settleSessions } from './settle';

const START = 1_800_000_000;
const USDT = '0xdac17f958d2ee523a2206206994597c13d831ec7';
const config = testConfig();
let db: TestDatabase;
let clock: TestClock;
let context: Context;
let storeId: string;
let keyId: number;
let chains: Record<string, number>;

beforeAll(async () => {
  db = await openTestDatabase();
  chains = { ethereum: await makeChain(db, 'ethereum', START), bsc: await makeChain(db, 'bsc', START) };
});
afterAll(() => db.close());
beforeEach(async () => {
  clock = new TestClock(START);
  context = testContext(db, clock, config);
  ({ storeId, keyId } = await makeStore(db, config));
  await makeAddresses(db, 5);
  await scannedThrough(START);
});

const scannedThrough = (time: number) => db.prisma.chain.updateMany({ data: { finalTime: new Date(time * 1000) } });

async function makeSession(over: object = {}): Promise<string> {
  const key = {
    id: keyId,
    storeId,
    environment: 'test' as const,
    secret: '',
    scopes: [],
    allowedAddresses: [],
    requiresSignatureV2: false,
    storeActive: true,
    usdCurrencies: ['USDT'],
    networks: [],
    allowedPairs: [],
    countryRules: '',
    acceptsOtherToken: false,
    settlementCurrency: 'USDT',
    spreadBasisPoints: 0,
  };
  const request = createSessionSchema.parse({ amount: 1250, currency: 'USDT', order_id: randomUUID(), ...over });
  return JSON.parse(await createSession(context, { key, nonce: randomUUID() }, request, { idempotency: null })).id;
}

async function transfer(
  sessionId: string,
  cents: number,
  over: { network?: string; currency?: string; time?: number } = {},
): Promise<void> {
  const { network = 'ethereum', currency = 'USDT', time = START + 5 } = over;
  await db.prisma.transfer.create({
    data: {
      chainId: chains[network] as number,
      network,
      sessionId,
      transactionHash: `0x${randomUUID()}`,
      ordinal: 0,
      blockNumber: 91,
      blockHash: '0xb',
      blockTime: new Date(time * 1000),
      currency,
      contract: USDT,
      payer: '0xp',
      recipient: '0xr',
      amount: cents * 10_000,
      decimals: 6,
    },
  });
}

const settle = (id: string) =>
  transaction(db.pool, (tx) => settleSessions(tx, [id], { now: clock.now(), log: context.log }));
const read = (id: string) => db.prisma.session.findUniqueOrThrow({ where: { id } });
const eventsOf = async (id: string) =>
  (await db.prisma.event.findMany({ where: { objectId: id } })).map(({ type, body }) => ({
    type,
    ...JSON.parse(body).data.object,
  }));

describe('settling', () => {
  test('a full payment completes the session, posts the ledger and records one event, however often it is settled', async () => {
    const id = await makeSession();
    await transfer(id, 1250);
    for (let n = 0; n < 3; n++) await settle(id);
    expect(await read(id)).toMatchObject({
      status: 'completed',
      amountReceived: 1250n,
      completedNetwork: 'ethereum',
      exception: 'none',
    });
    expect(await eventsOf(id)).toMatchObject([
      { type: 'payment.completed', status: 'completed', amount: 1250, currency: 'USDT', amount_received: 1250 },
    ]);
    const entries = await db.prisma.ledgerEntry.findMany({ where: { sessionId: id } });
    expect(entries).toHaveLength(1);
    const postings = await db.prisma.ledgerPosting.findMany({ where: { entryId: entries[0]!.id } });
    expect(postings.map(({ account, amount }) => `${account} ${amount.toString()}`).toSorted()).toEqual([
      'received 12500000',
      `store:${storeId} -12500000`,
    ]);
  });

  test('two concurrent settlings complete a session once', async () => {
    const id = await makeSession();
    await transfer(id, 1250);
    await Promise.all(Array.from({ length: 6 }, () => settle(id)));
    expect(await eventsOf(id)).toHaveLength(1);
    expect(await db.prisma.sessionStatusChange.count({ where: { sessionId: id } })).toBe(1);
    expect(await db.prisma.ledgerEntry.count({ where: { sessionId: id } })).toBe(1);
  });

  test('an uncounted payment is posted separately from the store’s available balance', async () => {
    const id = await makeSession();
    await transfer(id, 1250, { currency: 'USDC' });
    await settle(id);
    expect(await read(id)).toMatchObject({ status: 'pending', amountReceived: 0n, exception: 'wrong_token' });
    expect(await db.prisma.ledgerPosting.count({ where: { account: `unresolved:${storeId}` } })).toBe(1);
    expect(await db.prisma.ledgerPosting.count({ where: { account: `store:${storeId}` } })).toBe(0);
  });

  test('a second payment of a paid session is recorded and causes no event', async () => {
    const id = await makeSession();
    await transfer(id, 1250);
    await settle(id);
    await transfer(id, 1250, { time: START + 60 });
    await settle(id);
    expect(await read(id)).toMatchObject({ status: 'completed', amountReceived: 2500n, exception: 'over' });
    expect(await eventsOf(id)).toHaveLength(1);
  });
});

describe('expiring', () => {
  test('waits until every offered network was read past the expiry', async () => {
    const id = await makeSession({ expires_in: 60 });
    clock.advance(61);
    await proveBalances(db.pool);
    await expireSessions(context);
    expect((await read(id)).status).toBe('pending');
    await db.prisma.chain.update({
      where: { id: chains.bsc as number },
      data: { finalTime: new Date((START + 61) * 1000) },
    });
    await expireSessions(context);
    expect((await read(id)).status).toBe('pending');
    await scannedThrough(START + 61);
    await proveBalances(db.pool);
    await expireSessions(context);
    expect((await read(id)).status).toBe('expired');
    expect(await eventsOf(id)).toMatchObject([{ type: 'payment.expired', status: 'expired' }]);
  });

  test('fails a partially paid session, and the event reports the amount received', async () => {
    const id = await makeSession({ expires_in: 60 });
    await transfer(id, 150);
    clock.advance(61);
    await scannedThrough(START + 61);
    await proveBalances(db.pool);
    await expireSessions(context);
    expect((await read(id)).status).toBe('failed');
    expect(await eventsOf(id)).toMatchObject([{ type: 'payment.failed', status: 'failed', amount_received: 150 }]);
  });

  const sight = (sessionId: string, amount: number) =>
    db.prisma.unconfirmedTransfer.create({
      data: {
        chainId: chains.ethereum as number,
        sessionId,
        transactionHash: randomUUID(),
        ordinal: 0,
        blockNumber: 95,
        blockHash: '0xb',
        blockTime: new Date((START + 5) * 1000),
        currency: 'USDT',
        contract: USDT,
        payer: '0xp',
        recipient: '0xr',
        amount,
      },
    });

  test('stops waiting for a network after the configured time, but not while a full payment is unconfirmed', async () => {
    const [plain, dust, seen] = [
      await makeSession({ expires_in: 60 }),
      await makeSession({ expires_in: 60 }),
      await makeSession({ expires_in: 60 }),
    ];
    await sight(dust, 1);
    await sight(seen, 12_500_000);
    clock.advance(60 + 3600);
    await recordHeartbeats(db.pool, clock.now());
    await expireSessions(context);
    expect([(await read(plain)).status, (await read(dust)).status, (await read(seen)).status]).toEqual([
      'expired',
      'expired',
      'pending',
    ]);
  });

  test('a payment found after the expiry is posted separately and shown as late', async () => {
    const id = await makeSession({ expires_in: 60 });
    clock.advance(60 + 3600);
    await recordHeartbeats(db.pool, clock.now());
    await expireSessions(context);
    await transfer(id, 1250);
    await settle(id);
    expect(await read(id)).toMatchObject({ status: 'expired', amountReceived: 0n, exception: 'late' });
    expect(await db.prisma.ledgerPosting.count({ where: { account: `unresolved:${storeId}` } })).toBe(1);
    expect(await eventsOf(id)).toHaveLength(1);
  });
});

test('the database rejects leaving a terminal status, changing a fact, and an unbalanced posting', async () => {
  const id = await makeSession();
  await transfer(id, 1250);
  await settle(id);
  await expect(
    db.pool.query(`UPDATE sessions SET status = 'pending', closed_at = NULL WHERE id = $1`, [id]),
  ).rejects.toThrow(/no move leads from completed to pending/);
  await expect(db.pool.query(`UPDATE transfers SET amount = 1 WHERE session_id = $1`, [id])).rejects.toThrow(
    /append-only/,
  );
  await expect(db.pool.query(`DELETE FROM events WHERE object_id = $1`, [id])).rejects.toThrow(/append-only/);
  const lopsided = `WITH e AS (INSERT INTO ledger_entries (kind, store_id, environment) VALUES ('x', 'y', 'test') RETURNING id)
    INSERT INTO ledger_postings (entry_id, account, network, currency, amount) SELECT id, 'a', 'bsc', 'USDT', 1 FROM e`;
  await expect(db.pool.query(lopsided)).rejects.toThrow(/sum to zero/);
});
