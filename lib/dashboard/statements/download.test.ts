// The three files of a statement say the same, are exact, and are only for those who may export payments.

import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { browserRequest, cookieOf, openAccounts, type Accounts } from '@/testing/accounts';
import { makeChain, makeStore } from '@/testing/fixtures';
import { postAt } from '@/testing/ledger/statement-scene';
import { makePaidSession } from '@/testing/payments/paid-session';
import { answerDashboard } from '@/lib/dashboard/adapter';
import { ROUTES } from '@/lib/dashboard/routes';
import { closeMonths } from '@/lib/ledger/statements/close';
import type { PartAmount, StatementScope } from '@/lib/ledger/statements/parts';
import { monthPeriod, type Period } from '@/lib/ledger/statements/period';
import { readStatement } from '@/lib/ledger/statements/statement';

let accounts: Accounts;
let of: StatementScope;
let cookie = '';
const ORDER = 'order 1,\n;x\u2028"é"';
let sessionId = '';

beforeAll(async () => {
  accounts = await openAccounts();
  const { database, config, context } = accounts;
  of = { storeId: (await makeStore(database, config)).storeId, environment: 'test' };
  const user = await accounts.user({ hasTotp: true });
  await accounts.member(of.storeId, user.id, 'support');
  cookie = await cookieOf(context, await accounts.login(user.id, { hasFactor: true }));
  await makeEntries();
});
afterAll(() => accounts.close());

const asset = (network: string, currency: string, part: PartAmount['part'], amount: bigint): PartAmount => ({
  ...{ network, currency, part, amount },
});
const BSC = 10n ** 18n;
const ETHEREUM = 10n ** 6n;

/** A payment before the period; then a payment with a surplus, its refund in another token, and a network cost. */
async function makeEntries(): Promise<void> {
  const { pool } = accounts.database;
  sessionId = await makePaidSession(accounts.database, {
    ...of,
    closedAt: accounts.clock.now(),
    cents: 100,
    status: 'canceled',
  });
  await pool.query('UPDATE sessions SET order_id = $2 WHERE id = $1', [sessionId, ORDER]);
  const chainId = await makeChain(accounts.database, 'bsc', 1_800_000_000);
  const { rows } = await pool.query<{ id: string }>(
    `INSERT INTO transfers (chain_id, network, session_id, transaction_hash, ordinal, block_number, block_hash, block_time, currency,
       contract, payer, recipient, amount, decimals)
     VALUES ($1, 'bsc', $2, '0xpaid', 0, 1, '0xb', now(), 'USDT', '0xc', '0xp', '0xr', $3, 18) RETURNING id::text`,
    [chainId, sessionId, (3n * BSC + 1n).toString()],
  );
  const transferId = rows[0]?.id as string;
  const intentId = `re_${of.storeId}`;
  const post = (at: string, kind: string, moves: PartAmount[], about: object = { intentId }) =>
    postAt(pool, of, { at, kind, moves, sessionId, ...about });
  await postAt(pool, of, {
    at: '2026-08-31T23:59:59.999Z',
    moves: [asset('ethereum', 'USDC', 'available', 5n * ETHEREUM)],
  });
  await post(
    '2026-09-01T00:00:00Z',
    'transfer',
    [asset('bsc', 'USDT', 'available', 2n * BSC), asset('bsc', 'USDT', 'unresolved', BSC + 1n)],
    { transferId },
  );
  await post('2026-09-02T00:00:00Z', 'kept', [
    asset('bsc', 'USDT', 'unresolved', -BSC - 1n),
    asset('bsc', 'USDT', 'available', BSC + 1n),
  ]);
  await post('2026-09-03T00:00:00Z', 'refund_reserved', [
    asset('bsc', 'USDT', 'available', -BSC),
    asset('bsc', 'USDT', 'reserved', BSC),
  ]);
  await post('2026-09-04T00:00:00Z', 'refund_converted', [
    asset('bsc', 'USDT', 'reserved', -BSC),
    asset('ethereum', 'USDC', 'reserved', ETHEREUM),
  ]);
  await post('2026-09-05T00:00:00Z', 'refund_paid', [asset('ethereum', 'USDC', 'reserved', -ETHEREUM)]);
  await post('2026-09-30T23:59:59.999Z', 'refund_cost_settled', [asset('ethereum', 'USDC', 'available', -70_000n)]);
  await postAt(pool, of, { at: '2026-10-01T00:00:00Z', moves: [asset('bsc', 'USDT', 'available', BSC)] });
}

async function get(path: string, as = cookie) {
  const request = browserRequest(accounts.context, {
    method: 'GET',
    path: `/api/dashboard/stores/${of.storeId}/test/statements/${path}`,
    cookie: as,
  });
  const answered = await answerDashboard(accounts.context, request, ROUTES);
  if (!(answered instanceof Response)) return { ...answered, text: answered.body, headers: new Headers() };
  return { status: answered.status, text: await answered.text(), headers: answered.headers };
}
const csvRows = (text: string): string[][] =>
  text
    .trim()
    .split('\r\n')
    .map((line) => line.slice(1, -1).split('","'));

describe('a statement', () => {
  test('as CSV has opening balances, lines with exact amounts, and closing balances', async () => {
    const { text, headers } = await get('csv?month=2026-09');
    expect(headers.get('content-disposition')).toBe('attachment; filename="statement-test-2026-09.csv"');
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
    const rows = csvRows(text.replace(/order 1[^"]*""é""/g, 'ORDER'));
    const column = (name: string) => rows[0]?.findIndex((one) => one.replace('\uFEFF"', '') === name) ?? -1;
    const shown = rows
      .slice(1)
      .map((row) =>
        ['row', 'kind', 'network', 'part', 'in', 'out', 'balance', 'order_id', 'transaction_hash']
          .map((name) => row[column(name)])
          .join(' '),
      );
    expect(shown).toEqual([
      'opening  ethereum available   5.00  ',
      'line transfer bsc available 2.00  2.00 ORDER 0xpaid',
      'line transfer bsc unresolved 1.000000000000000001  1.000000000000000001 ORDER 0xpaid',
      'line kept bsc available 1.000000000000000001  3.000000000000000001 ORDER ',
      'line kept bsc unresolved  1.000000000000000001 0.00 ORDER ',
      'line refund_reserved bsc available  1.00 2.000000000000000001 ORDER ',
      'line refund_reserved bsc reserved 1.00  1.00 ORDER ',
      'line refund_converted bsc reserved  1.00 0.00 ORDER ',
      'line refund_converted ethereum reserved 1.00  1.00 ORDER ',
      'line refund_paid ethereum reserved  1.00 0.00 ORDER ',
      'line refund_cost_settled ethereum available  0.07 4.93 ORDER ',
      'closing  bsc available   2.000000000000000001  ',
      'closing  bsc unresolved   0.00  ',
      'closing  bsc reserved   0.00  ',
      'closing  ethereum available   4.93  ',
      'closing  ethereum reserved   0.00  ',
    ]);
    expect(rows[2]?.[column('description')]).toBe('Payment received');
  });

  test('as a journal has balanced transactions, and no text of an order leaves its comment', async () => {
    const { text, headers } = await get('journal?month=2026-09');
    expect(headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(text).toContain('2026-09-01 * Opening balance\n    Assets:Stabletill:Ethereum:Available  = 5.00 USDC\n');
    expect(text).toContain(
      '    Assets:Stabletill:Bsc:Available  2.00 USDT\n    Assets:Stabletill:Bsc:Unresolved  1.000000000000000001 USDT\n' +
        '    Income:Stabletill:Payments  -3.000000000000000001 USDT\n',
    );
    expect(text).toContain(`session:${sessionId}, order:order 1 ;x "é", transaction:0xpaid\n`);
    expect(text).toContain('    Assets:Stabletill:Ethereum:Available  0 USDC = 4.93 USDC\n');
    const outside = text
      .split('\n')
      .filter((line) => !/^( {4}[AEI]|; |$|2026-\d\d-\d\d \* |decimal-mark \.$)/.test(line));
    expect(outside).toEqual([]);
    for (const entry of text.split('\n\n').filter((one) => one.includes('* ('))) {
      const sums = new Map<string, bigint>();
      for (const [, sign, whole, part = '', currency = ''] of entry.matchAll(/ {2}(-?)(\d+)\.(\d+) (\w+)$/gm))
        sums.set(currency, (sums.get(currency) ?? 0n) + BigInt(`${sign}${whole}${part.padEnd(18, '0')}`));
      expect({ entry, off: [...sums.values()].filter((sum) => sum !== 0n) }).toEqual({ entry, off: [] });
    }
  });

  test('as JSON has what its hash is made of, which every later export repeats', async () => {
    const open = JSON.parse((await get('json?month=2026-09')).text);
    expect(open).toMatchObject({ month_hash: null, previous_month_hash: null, from: '2026-09-01', to: '2026-09-30' });
    expect(open.as_of).toBe('2026-10-01T00:00:00.000Z');
    while ((await closeMonths(accounts.context)).more);
    const { text } = await get('json?month=2026-09');
    const statement = JSON.parse(text);
    expect(statement).toMatchObject({ ...open, month_hash: /^/, previous_month_hash: expect.any(String) as string });
    // As the guide /docs/statements describes it.
    const hash = createHash('sha256');
    hash.update(`statement/1 ${statement.store_id} test 2026-09 ${statement.previous_month_hash}\n`);
    const balances = (word: string, list: Record<string, string>[]) =>
      list
        .filter((one) => one.base_units !== '0')
        .forEach((one) => hash.update(`${word} ${one.network} ${one.currency} ${one.part} ${one.base_units}\n`));
    balances('opening', statement.opening);
    for (const line of statement.lines)
      hash.update(
        `line ${line.entry} ${line.time} ${line.kind} ${line.session_id ?? '-'} ${line.refund?.id ?? '-'}` +
          ` ${line.network} ${line.currency} ${line.part} ${line.base_units}\n`,
      );
    balances('closing', statement.closing);
    expect(statement.month_hash).toBe(hash.digest('hex'));
    expect((await get('csv?from=2026-09-01&to=2026-09-30')).text).toContain(`"${statement.month_hash}"`);
    expect((await get('journal?month=2026-09')).text).toContain(`; month_hash:${statement.month_hash}\n`);
    // The next month begins with this one.
    const next = JSON.parse((await get('json?month=2026-10')).text);
    expect(next.previous_month_hash).toBe(statement.month_hash);
    expect(next.opening).toEqual(statement.closing.filter((one: { base_units: string }) => one.base_units !== '0'));
  });

  test('of any days has their lines and no hash', async () => {
    const { text, headers } = await get('json?from=2026-09-02&to=2026-09-03');
    const { lines, month_hash: hash } = JSON.parse(text) as { lines: { kind: string }[]; month_hash: null };
    expect([lines.map(({ kind }) => kind), hash]).toEqual([
      ['kept', 'kept', 'refund_reserved', 'refund_reserved'],
      null,
    ]);
    expect(headers.get('content-disposition')).toContain('statement-test-2026-09-02-2026-09-03.json');
    const empty = JSON.parse((await get('json?from=2026-05-01&to=2026-05-02')).text) as object;
    expect(empty).toMatchObject({ opening: [], lines: [], closing: [] });
  });

  test.each([
    '',
    '?month=2026-13',
    '?month=2026-09&from=2026-09-01',
    '?from=2026-09-02&to=2026-09-01',
    '?to=2026-09-01',
    '?month=2026-09&store=other',
  ])('of a wrong period is refused: %s', async (query) => {
    const { status, text } = await get(`csv${query}`);
    expect([status, JSON.parse(text).error.code]).toEqual([400, 'INVALID_PARAMETER']);
  });

  test.each(['csv', 'json', 'journal'])(
    'as %s is refused while another one of the store is read, not broken off',
    async (format) => {
      const other = readStatement(accounts.context, of, monthPeriod('2026-09') as Period);
      await other.next();
      expect(await get(`${format}?month=2026-09`)).toMatchObject({
        status: 429,
        text: expect.stringContaining('RATE_LIMITED'),
      });
      await other.return();
      expect((await get(`${format}?month=2026-09`)).status).toBe(200);
    },
  );

  test('is not for viewers, has no other format, and is recorded in the audit log', async () => {
    expect((await get('pdf?month=2026-09')).status).toBe(404);
    const viewer = await accounts.user({ hasTotp: true });
    await accounts.member(of.storeId, viewer.id, 'viewer');
    const theirs = await cookieOf(accounts.context, await accounts.login(viewer.id, { hasFactor: true }));
    expect(JSON.parse((await get('csv?month=2026-09', theirs)).text).error.code).toBe('permission_denied');
    const { rows } = await accounts.database.pool.query<{ details: object }>(
      `SELECT details FROM audit_entries WHERE store_id = $1 AND action = 'export' AND target = 'statement' ORDER BY number LIMIT 1`,
      [of.storeId],
    );
    expect(rows[0]?.details).toMatchObject({ format: 'csv', filters: 'month=2026-09' });
  });
});
