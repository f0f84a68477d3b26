// The view of customers: facts in, page and public status out, read from a real database in one round trip.

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from '@/lib/platform/config/config';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { watchedSession } from '@/testing/watching/watched-session';
import { fromUnixSeconds } from '@/lib/platform/clock';
import type { CheckoutFacts } from './facts';
import { chosenMethod, fingerprint, methodName, readableInstead, stageOf, switchedMethod } from './stage';
import { publicStatus, readCheckout, viewCheckout } from './view';
import { judge, objection } from '@/lib/payments/sessions/settle/judge';
import type { PaymentRow } from '@/lib/payments/sessions/payment-rows';

const NOW = 1_800_000_000;
const config = readConfig({
  DATABASE_URL: 'postgresql://nowhere',
  MASTER_KEYS: `1:${Buffer.from(Array.from({ length: 32 }, (_, at) => at)).toString('base64')}`,
  TEST_CHAINS: 'local',
  TEST_ETHEREUM_URLS: 'http://127.0.0.1:1',
  TEST_BSC_URLS: 'http://127.0.0.1:1',
});

const facts = (over: Partial<CheckoutFacts> = {}): CheckoutFacts => ({
  id: 'cs_test_0123456789abcdef',
  environment: 'test',
  status: 'pending',
  accepted_from: null,
  exception: 'none',
  amount_total: '1234',
  currency: 'USD',
  exchange_rate: null,
  coin_prices: null,
  amount_due: '1234',
  amount_received: '0',
  currencies: ['USDT', 'USDC'],
  networks: ['ethereum', 'bsc'],
  offered_pairs: ['ethereum-USDT', 'ethereum-USDC', 'bsc-USDT', 'bsc-USDC'],
  description: null,
  line_items: null,
  tax_amount: null,
  shipping_amount: null,
  success_url: 'https://shop.example/secret-success',
  cancel_url: 'https://shop.example/secret-cancel',
  completed_currency: null,
  created_at: NOW - 1200,
  expires_at: NOW + 600,
  evm_address: '0x9858effd232b4033e47d90003d41ec34ecaeda94',
  tron_address: 'TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH',
  solana_address: 'HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk',
  store_name: 'Shop',
  branding: null,
  payments: [],
  chains: [],
  refunds: [],
  ...over,
});

const payment = (over: Partial<PaymentRow> = {}): PaymentRow => ({
  final: false,
  network: 'ethereum',
  currency: 'USDT',
  contract: '0x',
  transaction_hash: '0xabc',
  ordinal: 0,
  block_number: 100,
  block_time: NOW - 30,
  amount: '5000000',
  orphaned: false,
  returned: '0',
  decision: null,
  tip_number: 103,
  final_lag: 12,
  ...over,
});

const view = (over: Partial<CheckoutFacts> = {}, now = NOW) => viewCheckout(facts(over), config, now);

describe('the payment methods', () => {
  test('are every offered token on every offered network, with checksummed address, exact amount and a payment link', () => {
    const { methods } = view();
    expect(methods.map(methodName)).toEqual(['ethereum-USDT', 'ethereum-USDC', 'bsc-USDT', 'bsc-USDC']);
    expect(methods[2]).toEqual({
      network: 'bsc',
      currency: 'USDT',
      address: '0x9858EfFD232B4033E47d90003D41EC34EcaEda94',
      amount: '12.34',
      token: '0x55d398326f99059ff775485246999027b3197955',
      payment_uri:
        'ethereum:0x55d398326f99059fF775485246999027B3197955@31338/transfer?address=0x9858EfFD232B4033E47d90003D41EC34EcaEda94&uint256=12340000000000000000',
    });
  });

  test('ask for the missing amount, less unconfirmed payments', () => {
    const { methods, missing, underway } = view({ payments: [payment()] });
    expect({ missing, underway, requested: methods[0]?.amount }).toEqual({
      missing: '7.34',
      underway: '5.00',
      requested: '7.34',
    });
  });

  test.each([
    ['a closed session', { status: 'canceled' }, NOW],
    ['a session whose price has been seen whole', { payments: [payment({ amount: '12340000' })] }, NOW],
    ['a session whose time is over', {}, NOW + 600],
    ['a network that no worker watches', { networks: ['tron'] }, NOW],
  ] as const)('is nothing for %s', (_case, over, now) => {
    expect(view(over, now).methods).toEqual([]);
  });
});

describe('a seen payment', () => {
  test.each([
    [payment(), 'counts'],
    [payment({ orphaned: true }), 'orphaned'],
    [payment({ block_time: NOW + 600 }), 'late'],
    [payment({ block_time: NOW + 599 }), 'counts'],
  ] as const)('%# is shown with its verdict', (row, verdict) => {
    expect(view({ payments: [row] }).seen[0]?.verdict).toBe(verdict);
  });

  test('of the wrong token counts only where the store accepts it', () => {
    const payments = [payment({ currency: 'USDC' })];
    const offered_pairs = ['ethereum-USDT', 'bsc-USDT'];
    expect(view({ currencies: ['USDT'], payments, offered_pairs }).missing).toBe('12.34');
    expect(view({ currencies: ['USDT'], payments, offered_pairs: [...offered_pairs, 'ethereum-USDC'] }).missing).toBe(
      '7.34',
    );
  });

  test('on a network that was not offered does not count and is shown', () => {
    const seen = view({
      networks: ['ethereum'],
      payments: [payment({ network: 'bsc', amount: '5000000000000000000' })],
    });
    expect(seen.missing).toBe('12.34');
    expect(seen.seen[0]).toMatchObject({ amount: '5.00', network: 'bsc', verdict: 'wrong_network' });
  });

  test('never shows all confirmations before it is final', () => {
    const confirmations = (over: Partial<PaymentRow>) => view({ payments: [payment(over)] }).seen[0];
    expect(confirmations({})).toMatchObject({ confirmations: 4, confirmations_required: 12, final: false });
    expect(confirmations({ tip_number: 500 })).toMatchObject({ confirmations: 11, confirmations_required: 12 });
    expect(confirmations({ final: true })).toMatchObject({
      confirmations: 12,
      confirmations_required: 12,
      final: true,
    });
  });

  test('counts for the page exactly when it counts for settling', () => {
    const rows = fc.array(
      fc.record({
        final: fc.constant(true),
        network: fc.constantFrom('ethereum', 'bsc'),
        currency: fc.constantFrom('USDT', 'USDC'),
        block_time: fc.integer({ min: NOW - 100, max: NOW + 1200 }),
        // From a cent on: smaller amounts count but are not shown.
        amount: fc.bigInt({ min: 10n ** 16n, max: 10n ** 20n }).map(String),
        decision: fc.constantFrom(null, 'open', 'accepted', 'refund', 'left'),
      }),
      { maxLength: 6 },
    );
    const offers = fc.record({
      networks: fc.constantFrom(['ethereum'], ['bsc'], ['ethereum', 'bsc']),
      offered_pairs: fc.subarray(['ethereum-USDT', 'ethereum-USDC', 'bsc-USDT', 'bsc-USDC']),
      status: fc.constantFrom('pending' as const, 'canceled' as const),
    });
    fc.assert(
      fc.property(rows, offers, (given, offer) => {
        const payments = given.map((row) => payment(row));
        const shown = view({ ...offer, payments });
        const session = {
          ...offer,
          acceptedFrom: null,
          offeredPairs: offer.offered_pairs,
          createdAt: NOW - 1200,
          expiresAt: NOW + 600,
        };
        const transfers = payments.map((row, at) => ({
          ...row,
          id: String(at),
          amount: BigInt(row.amount),
          decimals: row.network === 'bsc' ? 18 : 6,
          blockTime: row.block_time,
          transactionHash: row.transaction_hash,
          ordinal: at,
          returned: 0n,
        }));
        const at = { now: NOW, scannedThrough: {}, seen: [], holdSeconds: 0 };
        const judged = judge({ ...session, amountDue: 1234n }, transfers, at);
        const counting = transfers.filter((transfer) => objection(session, transfer) === null);
        expect(shown.seen.filter(({ verdict }) => verdict === 'counts').length).toBe(counting.length);
        const left = 1234n - judged.received;
        expect(BigInt(shown.missing.replace('.', ''))).toBe(left > 0n ? left : 0n);
      }),
    );
  });
});

describe('the stage of the page', () => {
  test.each([
    ['pay', view()],
    ['confirming', view({ payments: [payment({ amount: '12340000' })] })],
    ['checking', view({}, NOW + 600)],
    ['unavailable', view({ networks: ['tron'] })],
    ['paid', view({ status: 'completed' })],
    ['expired', view({ status: 'expired' })],
    ['canceled', view({ status: 'canceled' })],
    ['failed', view({ status: 'failed' })],
  ] as const)('is %s', (stage, shown) => {
    expect(stageOf(shown)).toBe(stage);
  });

  test('keeps the other part of a choice when one part is switched', () => {
    const shown = view();
    const { methods } = shown;
    const chosen = chosenMethod(shown, 'bsc-USDC');
    if (!chosen) throw new Error('nothing chosen');
    expect(methodName(switchedMethod(methods, chosen, { network: 'ethereum' }) ?? chosen)).toBe('ethereum-USDC');
    expect(methodName(switchedMethod(methods, chosen, { currency: 'USDT' }) ?? chosen)).toBe('bsc-USDT');
    expect(chosenMethod(shown, '../evil')).toBe(methods[0]);
  });

  test('offers the rest by the method of the counted part, unless another is requested', () => {
    const late = payment({ network: 'ethereum', block_time: NOW + 601 });
    const part = payment({ network: 'bsc', currency: 'USDC', amount: `5${'0'.repeat(18)}` });
    const shown = view({ payments: [part, late] });
    expect(chosenMethod(shown, undefined)).toMatchObject({ network: 'bsc', currency: 'USDC', amount: '7.34' });
    expect(chosenMethod(shown, 'ethereum-USDT')).toBe(shown.methods[0]);
    const foreign = view({ payments: [part], currencies: ['USDT'] });
    expect(chosenMethod(foreign, undefined)).toBe(foreign.methods[0]);
    // The choice for another payment has a lower priority than the facts of this one.
    const fresh = view();
    expect(chosenMethod(fresh, undefined, 'bsc-USDC')).toMatchObject({ network: 'bsc', currency: 'USDC' });
    expect(chosenMethod(fresh, 'ethereum-USDT', 'bsc-USDC')).toBe(fresh.methods[0]);
    expect(chosenMethod(shown, undefined, 'ethereum-USDT')).toMatchObject({ network: 'bsc', currency: 'USDC' });
    expect(chosenMethod(fresh, undefined, '__proto__')).toBe(fresh.methods[0]);
  });

  test('is redrawn when anything but the time has changed', () => {
    const [first, later, changed] = [view(), view({}, NOW + 5), view({ payments: [payment()] })].map((one) =>
      fingerprint(publicStatus(one)),
    );
    expect(later).toBe(first);
    expect(changed).not.toBe(first);
  });

  const noFee = { fee: null, fee_read_at: null };
  test('shows a network that was not read for minutes, in whole minutes, and where to pay instead', () => {
    const chains = [
      { network: 'ethereum', scanned_at: NOW - 59, ...noFee },
      { network: 'bsc', scanned_at: NOW - 245, ...noFee },
      { network: 'tron', scanned_at: 0, ...noFee },
    ];
    const lagging = view({ chains });
    expect(lagging.lagging).toEqual([{ network: 'bsc', minutes: 4 }]);
    const method = (name: string) => lagging.methods.find((one) => methodName(one) === name)!;
    expect(readableInstead(lagging, method('bsc-USDT')).map(methodName)).toEqual(['ethereum-USDT']);
    expect(readableInstead(lagging, method('ethereum-USDT'))).toEqual([]);
  });

  test('shows no other network once the whole price is seen and waits for confirmation', () => {
    const chains = ['ethereum', 'bsc'].map((network) => ({ network, scanned_at: NOW - 300, ...noFee }));
    const lagging = (payments: PaymentRow[]) => view({ chains, payments }).lagging.map(({ network }) => network);
    expect(lagging([payment({ amount: '12340000' })])).toEqual(['ethereum']);
    expect(lagging([payment({ amount: '5000000' })])).toEqual(['ethereum', 'bsc']);
  });
});

describe('the public status', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await openTestDatabase();
  });
  afterAll(() => database.close());

  const insertChain = async (network: string) => {
    const { rows } = await database.pool.query<{ id: number }>(
      `INSERT INTO chains (environment, network, genesis, tip_number, tip_hash, final_number, final_hash, final_time, final_lag)
       VALUES ('test', $1, gen_random_uuid()::text, 110, '0x', 100, '0x', now(), 10) RETURNING id`,
      [network],
    );
    return rows[0]?.id as number;
  };
  const insert = (
    table: 'unconfirmed_transfers' | 'transfers',
    chain: number,
    session: string,
    hash: string,
    amount = '5000000',
  ) =>
    database.pool.query(
      `INSERT INTO ${table} (chain_id, session_id, transaction_hash, ordinal, block_number, block_hash, block_time, currency,
         contract, payer, recipient, amount${table === 'transfers' ? ', network, decimals' : ''})
       VALUES ($1, $2, $3, 0, 108, '0x', $4, 'USDT', '0x', '0x', '0x', $5${table === 'transfers' ? `, 'ethereum', 6` : ''})`,
      [chain, session, hash, fromUnixSeconds(NOW + 1), amount],
    );

  test('comes from one statement, shows a payment once when it becomes final, and contains no merchant-only fields', async () => {
    const { id } = await watchedSession(database.pool, { createdAt: NOW });
    await database.pool.query(
      `UPDATE sessions SET order_id = 'secret-order', metadata = '{"a":"secret-note"}', success_url = 'https://secret.example' WHERE id = $1`,
      [id],
    );
    const chain = await insertChain('ethereum');
    await insert('unconfirmed_transfers', chain, id, '0xfinal');
    await insert('transfers', chain, id, '0xfinal');
    await insert('unconfirmed_transfers', chain, id, '0xseen');
    let statements = 0;
    const pool = {
      query: (...given: unknown[]) => (
        (statements += 1),
        (database.pool.query as (...all: unknown[]) => unknown)(...given)
      ),
    };
    const deps = { pool: pool as never, clock: { now: () => fromUnixSeconds(NOW + 10) }, config };
    const shown = await readCheckout(deps, id);
    if (!shown) throw new Error('the session is not found');
    expect(statements).toBe(1);
    const status = publicStatus(shown);
    expect(JSON.stringify(status)).not.toContain('secret');
    expect(status).toMatchObject({
      status: 'PENDING',
      payment_status: 'unpaid',
      expires_at: NOW + 1800,
      amount_due: '12.34',
      amount_received: '0.00',
      server_time: NOW + 10,
    });
    expect(status.seen.map((one) => [one.transaction_hash, one.final])).toEqual([
      ['0xfinal', true],
      ['0xseen', false],
    ]);
    expect(status.methods[0]).toMatchObject({ network: 'ethereum', amount: '2.34' });
  });

  test('shows an unconfirmed transfer on a chain that is no longer followed as orphaned', async () => {
    const { id } = await watchedSession(database.pool, { createdAt: NOW });
    const chain = await insertChain('bsc');
    await insert('unconfirmed_transfers', chain, id, '0xgone', `5${'0'.repeat(18)}`);
    await database.pool.query('UPDATE chains SET retired_at = now() WHERE id = $1', [chain]);
    const shown = await readCheckout({ pool: database.pool, clock: { now: () => fromUnixSeconds(NOW) }, config }, id);
    expect(shown?.seen[0]?.verdict).toBe('orphaned');
  });

  test.each(['cs_test_11111111111111111111111111111111', `'; DROP TABLE sessions`, '', 'cs_test_'])(
    'of %j is not found',
    async (id) => {
      const shown = await readCheckout({ pool: database.pool, clock: { now: () => fromUnixSeconds(NOW) }, config }, id);
      expect(shown).toBeNull();
    },
  );
});
