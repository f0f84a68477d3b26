// The payments export and the year by payer: every final transfer once, exact, from the ledger's period, and only for those who may
// export payments.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { browserRequest, cookieOf, openAccounts, type Accounts } from '@/testing/accounts';
import { makeChain, makeStore } from '@/testing/fixtures';
import { EXPIRES, openSettledSessions } from '@/testing/payments/settled-session';
import { postAt } from '@/testing/ledger/statement-scene';
import { transaction } from '@/lib/platform/database/db';
import { answerDashboard } from '@/lib/dashboard/adapter';
import { ROUTES } from '@/lib/dashboard/routes';
import { postEntry } from '@/lib/ledger/post-entry';
import { fundingPostings, paidPostings, reservationPostings } from '@/lib/ledger/postings';
import { closeMonths } from '@/lib/ledger/statements/close';
import type { StatementScope } from '@/lib/ledger/statements/parts';
import { issueReceipt } from '@/lib/payments/receipts/number';
import { fiatValueSql } from './fiat-value';
import { readPayments } from './payments';

const ALICE = '0x00000000000000000000000000000000000a11ce';
const BOB = '0x0000000000000000000000000000000000000b0b';
const BASIS = {
  spread_basis_points: 50,
  observations: [
    {
      source: 'kraken',
      currency: 'EUR',
      price: '1.25',
      per: 'unit',
      source_time: '2026-09-10T09:59:00.000Z',
      fetched_at: '2026-09-10T09:59:01.000Z',
    },
  ],
};

let accounts: Accounts;
let sessions: ReturnType<typeof openSettledSessions>;
let of: StatementScope;
let cookie = '';
let euro = '';
let plain = '';

beforeAll(async () => {
  accounts = await openAccounts();
  const { database, config, context, clock } = accounts;
  of = { storeId: (await makeStore(database, config)).storeId, environment: 'test' };
  const user = await accounts.user({ hasTotp: true });
  await accounts.member(of.storeId, user.id, 'support');
  cookie = await cookieOf(context, await accounts.login(user.id, { hasFactor: true }));
  sessions = openSettledSessions(database, clock, {
    ethereum: await makeChain(database, 'ethereum', EXPIRES - 100),
    bsc: await makeChain(database, 'bsc', EXPIRES - 100),
  });
  // 10.00 EUR at 1.25 are 12.50 USDT. Two wallets pay, and the second one a surplus.
  euro = await sessions.make(of.storeId);
  await unguarded(
    `UPDATE sessions SET currency = 'EUR', amount_total = 1000, exchange_rate = '1.25', rate_basis = $2, order_id = '=1+1',
       description = '@SUM(A1)', tax_amount = 160, shipping_amount = 300, metadata = $3 WHERE id = $1`,
    [euro, JSON.stringify(BASIS), JSON.stringify({ customer_name: 'Ann', customer_email: 'ann@example.com' })],
  );
  await sessions.transfer(euro, { cents: 250, payer: ALICE, network: 'bsc', hash: '0xone' });
  await sessions.transfer(euro, { cents: 1100, payer: BOB, hash: '0xtwo' });
  await sessions.settle(euro);
  plain = await sessions.make(of.storeId);
  await sessions.transfer(plain, { cents: 1250, payer: ALICE, network: 'bsc', hash: '0xthree' });
  await sessions.settle(plain);
  // Another store's payment in the same month.
  const other = (await makeStore(database, config)).storeId;
  const theirs = await sessions.make(other);
  await sessions.transfer(theirs, { cents: 1250, payer: ALICE, network: 'bsc', hash: '0xtheirs' });
  await sessions.settle(theirs);
  await refund(euro, 'order', { cents: 200, to: ALICE, cost: 7 });
  const [exception] = await sessions.casesOf(euro);
  await refund(euro, 'surplus', { cents: 100, to: BOB, cost: 3, caseId: exception?.id });
  await inSeptember();
});
afterAll(() => accounts.close());

/** A refund that was paid, with the ledger entry that books its arrival. */
async function refund(
  sessionId: string,
  name: string,
  given: { cents: number; to: string; cost: number; caseId?: bigint | undefined },
): Promise<void> {
  const { pool } = accounts.database;
  await pool.query(
    `INSERT INTO refunds (id, store_id, environment, refund_id, session_id, order_id, status, amount, currency, network, request_hash, day,
       created_at, sign_after, processed_at, transaction_hash, receipt_number, destination, destination_kind, destination_reference, case_id, cost_charged, cost_quoted, cost_bearer, cost_price)
     VALUES ($1, $2, 'test', $1, $3, 'o', 'completed', $4, 'USDT', 'bsc', '\\x00', '2026-09-20', now(), now(), now(), '0x' || $1,
       'rcp_' || $1, $5, 'payer', '1', $6, $7, $7, 'store', 1)`,
    [name, of.storeId, sessionId, given.cents, given.to, given.caseId ?? null, given.cost],
  );
  const paid = { network: 'bsc', currency: 'USDT', amount: BigInt(given.cents) * 10n ** 16n };
  const about = { ...of, sessionId, intentId: name };
  await transaction(pool, async (tx) => {
    await postEntry(tx, 'funding', { ...about, storeId: null, intentId: null }, fundingPostings(paid));
    await postEntry(tx, 'refund_reserved', about, reservationPostings(of.storeId, [paid]));
    await postEntry(tx, 'refund_paid', about, paidPostings({ storeId: of.storeId, paid }));
  });
}

/** For a price that is locked and entries that never change: the triggers that keep them are off. */
async function unguarded(text: string, values: unknown[] = []): Promise<void> {
  const client = await accounts.database.pool.connect();
  await client.query('BEGIN');
  await client.query('SET LOCAL session_replication_role = replica');
  await client.query(text, values);
  await client.query('COMMIT');
  client.release();
}

/** Entries are booked at the database's time. */
const inSeptember = (): Promise<void> => unguarded(`UPDATE ledger_entries SET created_at = '2026-09-10T12:00:00Z'`);

async function get(path: string, as = cookie) {
  const request = browserRequest(accounts.context, {
    method: 'GET',
    path: `/api/dashboard/stores/${of.storeId}/test/${path}`,
    cookie: as,
  });
  const answered = await answerDashboard(accounts.context, request, ROUTES);
  if (!(answered instanceof Response)) return { ...answered, text: answered.body, headers: new Headers() };
  return { status: answered.status, text: await answered.text(), headers: answered.headers };
}

/** Rows by column names. */
function rowsOf(text: string): Record<string, string>[] {
  const [head = [], ...rows] = text
    .replace('\uFEFF', '')
    .trim()
    .split('\r\n')
    .map((line) => line.slice(1, -1).split('","'));
  return rows.map((row) => Object.fromEntries(head.map((name, at) => [name, row[at] ?? ''])));
}
/** Entries of one moment have no order that a test may rely on. */
const byHash = <Row extends { readonly transaction_hash?: string }>(rows: readonly Row[]): Row[] =>
  rows.toSorted((one, other) => ((one.transaction_hash ?? '') < (other.transaction_hash ?? '') ? -1 : 1));
const csv = async (path: string): Promise<Record<string, string>[]> => rowsOf((await get(path)).text);

describe('the payments export', () => {
  test('has each final transfer of the period once, with its value, its rate and what became of it', async () => {
    const { text, headers } = await get('reports/payments/csv?month=2026-09');
    expect(headers.get('content-disposition')).toBe('attachment; filename="payments-test-2026-09.csv"');
    const rows = byHash(rowsOf(text));
    expect(rows.map(({ row, transaction_hash: hash }) => [row, hash])).toEqual([
      ['complete', ''],
      ['payment', '0xone'],
      ['payment', '0xthree'],
      ['payment', '0xtwo'],
    ]);
    expect(rows[1]).toMatchObject({
      time: '2026-09-10T12:00:00.000Z',
      block_time: new Date((EXPIRES - 300) * 1000).toISOString(),
      session_id: euro,
      status: 'completed',
      exception: 'over',
      payment_exception: '',
      network: 'bsc',
      token: 'USDT',
      amount: '2.50',
      amount_cents: '250',
      sender: ALICE,
      fiat_currency: 'EUR',
      fiat_value: '2.00',
      exchange_rate: '1.25',
      rate_spread: '50',
      rate_sources: 'kraken EUR 1.25 per unit 2026-09-10T09:59:00.000Z',
      rate_fixed_at: new Date((EXPIRES - 1800) * 1000).toISOString(),
      credited: '2.50',
      refunded: '2.00',
      network_cost: '0.07',
      order_total: '10.00',
      order_tax: '1.60',
      order_shipping: '3.00',
    });
    expect(rows[3]).toMatchObject({
      payment_exception: 'over',
      amount: '11.00',
      fiat_value: '8.80',
      credited: '10.00',
      refunded: '1.00',
      network_cost: '0.03',
      order_total: '',
      order_tax: '',
    });
    expect(rows[2]).toMatchObject({ fiat_currency: 'USDT', fiat_value: '12.50', exchange_rate: '', rate_sources: '' });
    expect(rows[0]).toMatchObject({ payments: '3' });
  });

  test('O-01: holds no formula, whatever an order is named', async () => {
    const [first] = await csv('reports/payments/csv?month=2026-09');
    expect([first?.order_id, first?.description]).toEqual([`'=1+1`, `'@SUM(A1)`]);
  });

  test('as JSON has the whole basis of the rate and the merchant’s metadata', async () => {
    const file = JSON.parse((await get('reports/payments/json?month=2026-09')).text);
    expect(file).toMatchObject({ store_id: of.storeId, month: '2026-09', number: 3, month_hash: null });
    expect(byHash(file.payments)[0]).toMatchObject({
      order_id: '=1+1',
      base_units: (25n * 10n ** 17n).toString(),
      fiat_value: '2.00',
      rate_basis: BASIS,
      metadata: { customer_name: 'Ann', customer_email: 'ann@example.com' },
    });
  });

  test('of days has only payments that were booked on them, and an empty one is complete', async () => {
    expect(await csv('reports/payments/csv?from=2026-09-10&to=2026-09-10')).toHaveLength(4);
    expect(await csv('reports/payments/csv?from=2026-09-11&to=2026-09-30')).toMatchObject([
      { row: 'complete', payments: '0' },
    ]);
    const empty = JSON.parse((await get('reports/payments/json?from=2026-09-11&to=2026-09-30')).text) as object;
    expect(empty).toMatchObject({ payments: [], number: 0 });
  });

  test.each(['', '?month=2026-13', '?month=2026-09&store=x', '?year=2026'])('refuses the period %s', async (query) => {
    const { status, text } = await get(`reports/payments/csv${query}`);
    expect([status, JSON.parse(text).error.code]).toEqual([400, 'INVALID_PARAMETER']);
  });

  test('breaks off before its last row at an entry without a transfer', async () => {
    await postAt(accounts.database.pool, of, { at: '2026-07-01T00:00:00Z', moves: [], sessionId: plain });
    const period = { from: new Date('2026-07-01'), to: new Date('2026-08-01'), month: null };
    await expect(readPayments(accounts.context, of, period).next()).rejects.toThrow('has no transfer');
  });
});

test.each([
  // Price in minor units, amount due in cents, cents paid, value.
  ['an exact payment is worth the price', 150_000, 99_000, 99_000, '150000'],
  ['a price that was rounded up to a cent is worth no more than it was', 1, 2, 2, '1'],
  ['a third is rounded down', 100, 300, 100, '33'],
  ['a half is rounded up', 1, 2, 1, '1'],
  ['two thirds are rounded up', 100, 300, 200, '67'],
  ['a surplus is worth more than the price', 1000, 1250, 2500, '2000'],
])('value in the currency of the order: %s', async (_, total, due, cents, value) => {
  for (const decimals of [2, 6, 18]) {
    const { rows } = await accounts.database.pool.query<{ value: string }>(
      `SELECT ${fiatValueSql('$3::numeric', '$4::int')}::text AS value FROM (SELECT $1::bigint AS amount_total, $2::bigint AS amount_due) s`,
      [total, due, (BigInt(cents) * 10n ** BigInt(decimals - 2)).toString(), decimals],
    );
    expect(rows[0]?.value).toBe(value);
  }
});

test('a payment whose receipt was issued has its number, on the order’s first transfer and the others', async () => {
  await accounts.database.pool.query(`UPDATE stores SET legal_name = 'a', legal_address = 'b' WHERE id = $1`, [
    of.storeId,
  ]);
  await issueReceipt(accounts.context, euro);
  const numbers = (await csv('reports/payments/csv?month=2026-09')).map((row) => [row.session_id, row.receipt_number]);
  expect(numbers.filter(([id]) => id === euro)).toEqual([
    [euro, 'T1-000001'],
    [euro, 'T1-000001'],
  ]);
  expect(numbers.filter(([id]) => id === plain)).toEqual([[plain, '']]);
});

describe('the year by payer', () => {
  test('adds up by wallet, customer, token and currency, and keeps refunds in rows of their own', async () => {
    const shown = (await csv('reports/payers/csv?year=2026')).map((row) =>
      ['row', 'payer', 'customer_name', 'network', 'transfers', 'units', 'fiat_value', 'fiat_currency']
        .map((name) => row[name])
        .join(' '),
    );
    expect(shown).toEqual([
      `refund ${BOB} Ann bsc 1 1.00 0.80 EUR`,
      `payment ${BOB} Ann ethereum 1 11.00 8.80 EUR`,
      `payment ${ALICE} Ann bsc 1 2.50 2.00 EUR`,
      `refund ${ALICE} Ann bsc 1 2.00 1.60 EUR`,
      `payment ${ALICE}  bsc 1 12.50 12.50 USDT`,
      'complete       ',
    ]);
  });

  test('is worth what the payments of its months are worth', async () => {
    const sum = (rows: Record<string, string>[], row: string): number =>
      rows
        .filter((one) => one.row === row && one.fiat_currency === 'EUR')
        .reduce((all, one) => all + Number(one.fiat_value), 0);
    const payments = await csv('reports/payments/csv?from=2026-08-01&to=2026-12-31');
    expect(sum(await csv('reports/payers/csv?year=2026'), 'payment')).toBe(sum(payments, 'payment'));
  });

  test('as JSON says the same, and another year is empty', async () => {
    const file = JSON.parse((await get('reports/payers/json?year=2026')).text);
    expect(file).toMatchObject({ year: '2026', number: 5 });
    expect(file.payers[1]).toMatchObject({ customer_email: 'ann@example.com', base_units: '11000000' });
    expect(JSON.parse((await get('reports/payers/json?year=2025')).text)).toMatchObject({ payers: [], number: 0 });
  });

  test.each(['', '?year=26', '?month=2026-09'])('refuses the period %s', async (query) => {
    expect((await get(`reports/payers/csv${query}`)).status).toBe(400);
  });
});

test('an export of a closed month repeats the hash of its statement', async () => {
  while ((await closeMonths(accounts.context)).more);
  const statement = JSON.parse((await get('statements/json?month=2026-09')).text);
  expect(statement.month_hash).toMatch(/^[0-9a-f]{64}$/);
  const hashes = (rows: Record<string, string>[]) =>
    rows.filter(({ hash }) => hash).map(({ row, hash }) => [row, hash]);
  expect(hashes(await csv('reports/payments/csv?month=2026-09'))).toContainEqual(['month_hash', statement.month_hash]);
  expect(JSON.parse((await get('reports/payments/json?month=2026-09')).text)).toMatchObject({
    month_hash: statement.month_hash,
    previous_month_hash: statement.previous_month_hash,
  });
  expect(hashes(await csv('reports/payments/csv?from=2026-09-01&to=2026-09-29'))).toEqual([]);
});

test('only roles that may export payments get a file, which the audit log records', async () => {
  expect((await get('reports/payments/journal?month=2026-09')).status).toBe(404);
  expect((await get('reports/constructor/csv?month=2026-09')).status).toBe(404);
  const viewer = await accounts.user({ hasTotp: true });
  await accounts.member(of.storeId, viewer.id, 'viewer');
  const theirs = await cookieOf(accounts.context, await accounts.login(viewer.id, { hasFactor: true }));
  for (const path of ['payments/csv?month=2026-09', 'payers/csv?year=2026'])
    expect(JSON.parse((await get(`reports/${path}`, theirs)).text).error.code).toBe('permission_denied');
  const { rows } = await accounts.database.pool.query<{ target: string }>(
    `SELECT DISTINCT target FROM audit_entries WHERE store_id = $1 AND action = 'export' ORDER BY 1`,
    [of.storeId],
  );
  expect(rows.map(({ target }) => target)).toEqual(['payers', 'payments', 'statement']);
});

test('a second file of the store is refused while one is read, not broken off', async () => {
  const other = readPayments(accounts.context, of, {
    from: new Date('2026-09-01'),
    to: new Date('2026-10-01'),
    month: null,
  });
  await other.next();
  for (const path of [
    'reports/payments/csv?month=2026-09',
    'reports/payers/csv?year=2026',
    'statements/csv?month=2026-09',
  ])
    expect((await get(path)).status).toBe(429);
  await other.return();
  expect((await get('reports/payments/csv?month=2026-09')).status).toBe(200);
});
