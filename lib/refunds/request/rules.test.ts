import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ServiceError } from '@/lib/platform/errors/errors';
import {
  checkPaid,
  checkRefundable,
  payableNetworks,
  refundableCents,
  refundDay,
  requestHash,
  secondsToMidnight,
  type RefundedSession,
} from './rules';
import { createRefundSchema } from './schema';

const PAID_AT = new Date('2026-11-21T10:00:00Z');
const DAYS = 30;
const later = (seconds: number): Date => new Date(PAID_AT.getTime() + seconds * 1000);
const IN_TIME = { now: later(DAYS * 86_400), windowDays: DAYS };
const TOO_LATE = { now: later(DAYS * 86_400 + 1), windowDays: DAYS };
const paid = (over: Partial<RefundedSession> = {}): RefundedSession => ({
  status: 'completed',
  amountDue: 1_250n,
  amountRefunded: 250n,
  closedAt: PAID_AT,
  ...over,
});
/** The code, the parameter and the message of the refusal. */
const refusalOf = (work: () => unknown): string[] => {
  try {
    work();
  } catch (error) {
    if (error instanceof ServiceError) return [error.code, error.param ?? '', error.message];
    throw error;
  }
  return [];
};
const codeOf = (work: () => unknown): string | undefined => refusalOf(work)[0];

describe('a session', () => {
  test.each(['pending', 'expired', 'failed', 'canceled'] as const)('that is %s was not paid', (status) => {
    expect(refusalOf(() => checkPaid(paid({ status }))).slice(0, 2)).toEqual(['INVALID_SESSION_STATUS', 'session_id']);
    expect(codeOf(() => checkRefundable(paid({ status }), { ...IN_TIME, amount: 1n }))).toBe('INVALID_SESSION_STATUS');
    expect(refundableCents(paid({ status }), IN_TIME)).toBe(0n);
  });

  test('that is completed without a time was not paid', () => {
    expect(codeOf(() => checkPaid(paid({ closedAt: null })))).toBe('INVALID_SESSION_STATUS');
    expect(refundableCents(paid({ closedAt: null }), IN_TIME)).toBe(0n);
  });

  test('that is completed was paid when it was closed', () => {
    expect(checkPaid(paid())).toBe(PAID_AT);
  });
});

describe('a refund', () => {
  test('may use up what earlier refunds left of the price, and not a cent more', () => {
    expect(codeOf(() => checkRefundable(paid(), { ...IN_TIME, amount: 1_000n }))).toBeUndefined();
    expect(refusalOf(() => checkRefundable(paid(), { ...IN_TIME, amount: 1_001n }))).toEqual([
      'REFUND_AMOUNT_EXCEEDED',
      'amount',
      "Of the session's 12.50 10.00 are left to be refunded.",
    ]);
  });

  test('is possible in the last second of the window, and not in the next one', () => {
    expect(codeOf(() => checkRefundable(paid(), { ...IN_TIME, amount: 1n }))).toBeUndefined();
    expect(refusalOf(() => checkRefundable(paid(), { ...TOO_LATE, amount: 1n }))).toEqual([
      'REFUND_TIME_EXPIRED',
      'session_id',
      'The session was paid more than 30 days ago and can no longer be refunded.',
    ]);
    expect([refundableCents(paid(), IN_TIME), refundableCents(paid(), TOO_LATE)]).toEqual([1_000n, 0n]);
  });

  test('of the reported refundable amount is accepted, and of a cent more refused, for any session', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 1n, max: 10n ** 9n }),
        fc.bigInt({ min: 0n, max: 10n ** 9n }),
        fc.integer({ min: 0, max: 60 * 86_400 }),
        (amountDue, refunded, age) => {
          const session = paid({ amountDue, amountRefunded: refunded < amountDue ? refunded : amountDue });
          const at = { now: later(age), windowDays: DAYS };
          const most = refundableCents(session, at);
          if (most > 0n) expect(codeOf(() => checkRefundable(session, { ...at, amount: most }))).toBeUndefined();
          expect(codeOf(() => checkRefundable(session, { ...at, amount: most + 1n }))).toBeDefined();
        },
      ),
    );
  });
});

describe('the networks of a refund', () => {
  const fund = (network: string, currency: string) => ({ network, currency, amount: 1n });
  const tokensOn = (network: string) => (network === 'tron' ? ['USDT'] : ['USDT', 'USDC']);
  const payable = (over: Partial<Parameters<typeof payableNetworks>[0]> = {}) =>
    payableNetworks({ currency: 'USDT', network: 'bsc', funds: [], tokensOn, ...over });

  test('begin with the one that completed the session, and name each network once', () => {
    const funds = [fund('ethereum', 'USDT'), fund('bsc', 'USDT'), fund('ethereum', 'USDC')];
    expect(payable({ funds })).toEqual(['bsc', 'ethereum']);
  });

  test('are only those that pay out the currency', () => {
    expect(payable({ currency: 'USDC', network: 'tron', funds: [fund('bsc', 'USDT')] })).toEqual(['bsc']);
  });

  test('include one where the token arrived although it is not offered', () => {
    const funds = [fund('tron', 'USDC'), fund('ethereum', 'USDC')];
    expect(payable({ currency: 'USDC', network: 'tron', funds })).toEqual(['tron', 'ethereum']);
    // What arrived on another network does not count on this one.
    expect(payable({ currency: 'USDC', network: 'tron', funds: [fund('ethereum', 'USDC')] })).toEqual(['ethereum']);
    expect(codeOf(() => payable({ currency: 'DAI', network: 'tron', funds: [fund('ethereum', 'USDC')] }))).toBe(
      'INVALID_CURRENCY',
    );
  });

  test('that pay out no such token: the refusal names the tokens that are paid out', () => {
    expect(refusalOf(() => payable({ currency: 'DAI' }))).toEqual([
      'INVALID_CURRENCY',
      'currency',
      'The session was paid on bsc, where DAI is not paid out. Refund it in USDT or USDC.',
    ]);
    expect(refusalOf(() => payable({ tokensOn: () => [] }))[2]).toBe(
      'The session was paid on bsc, where USDT is not paid out.',
    );
  });
});

describe('the hash of a request', () => {
  const request = (over: object = {}) =>
    createRefundSchema.parse({ session_id: 'cs_1', refund_id: 'r-1', amount: 100, currency: 'USDT', ...over });
  const hash = (over: object = {}, payer?: Parameters<typeof requestHash>[1]): string =>
    requestHash(request(over), payer).toString('hex');
  const full = { reason: 'duplicate', description: 'twice', metadata: { a: 1, b: 'x' } };

  test('is the same for the same request, whatever the order of keys and the case of the currency', () => {
    expect(hash({ ...full, currency: 'usdt', metadata: { b: 'x', a: 1 } })).toBe(hash(full));
    // The name of the refund is the key under which requests are compared.
    expect(hash({ refund_id: 'r-2' })).toBe(hash());
  });

  test.each([
    ['session', { session_id: 'cs_2' }],
    ['amount', { amount: 101 }],
    ['currency', { currency: 'USDC' }],
    ['reason', { reason: 'fraudulent' }],
    ['description', { description: 'once' }],
    ['metadata', { metadata: { a: 1 } }],
  ])('differs for another %s', (_, over) => {
    expect(hash({ ...full, ...over })).not.toBe(hash(full));
  });

  test('never changes, because stored refunds are compared with it', () => {
    const text = (...more: string[]) =>
      JSON.stringify(['cs_1', 100, 'USDT', 'duplicate', 'twice', { a: 1, b: 'x' }, ...more]);
    const digestOf = (json: string) => createHash('sha256').update(json).digest('hex');
    expect(hash(full)).toBe(digestOf(text()));
    expect(hash(full, { network: 'bsc', address: '0xa' })).toBe(digestOf(text('bsc', '0xa')));
    expect(hash()).toBe(digestOf('["cs_1",100,"USDT",null,null,null]'));
  });

  test('differs when a text moves to another field, and for each payer and network', () => {
    expect(hash({ description: 'duplicate' })).not.toBe(hash({ reason: 'duplicate' }));
    const payers = [
      undefined,
      { network: 'bsc', address: '0xa' },
      { network: 'bsc', address: '0xb' },
      { network: 'ethereum', address: '0xa' },
    ];
    expect(new Set(payers.map((one) => hash({}, one))).size).toBe(payers.length);
  });
});

test.each([
  ['2026-11-21T00:00:00Z', 86_400, '2026-11-21'],
  ['2026-11-21T23:59:59Z', 1, '2026-11-21'],
  ['2026-11-22T12:00:00Z', 43_200, '2026-11-22'],
])('at %s the daily limit begins anew in %i seconds', (time, seconds, day) => {
  expect([secondsToMidnight(new Date(time)), refundDay(new Date(time))]).toEqual([seconds, day]);
});
