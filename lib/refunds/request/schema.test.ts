import { merchantIdIn } from '@/lib/platform/request-text';
import { describe, expect, test } from 'vitest';
import { JsonNumber } from '@/lib/platform/json/json';
import { createRefundSchema, REASONS } from './schema';

const valid = { session_id: 'cs_1', refund_id: 'r-1', amount: 100, currency: 'USDT' };
const parsed = (over: object) => createRefundSchema.parse({ ...valid, ...over });
/** The code of the first refusal; null for a request that is accepted. */
const codeOf = (over: object): string | null => {
  const read = createRefundSchema.safeParse({ ...valid, ...over });
  return read.success ? null : (read.error.issues[0]?.message ?? '');
};

test('a request is read field by field, and unknown fields are dropped', () => {
  const full = { ...valid, reason: 'duplicate', description: 'a\nb', metadata: { key: [1, 'x', null] } };
  expect(parsed({ ...full, currency: 'usdc', more: 1 })).toEqual({ ...full, currency: 'USDC' });
  expect(parsed({})).toEqual(valid);
});

describe('each rule has its code', () => {
  test.each<[string, object, string]>([
    ['no session', { session_id: undefined }, 'MISSING_CHARGE'],
    ['an empty session', { session_id: '' }, 'MISSING_CHARGE'],
    ['a session that is no text', { session_id: 7 }, 'INVALID_PARAMETER'],
    ['a session of 129 characters', { session_id: 'c'.repeat(129) }, 'INVALID_PARAMETER'],
    ['no name', { refund_id: null }, 'MISSING_REFUND_ID'],
    ['a name of 129 characters', { refund_id: 'r'.repeat(129) }, 'INVALID_PARAMETER'],
    ['a name with a control character', { refund_id: 'r\u0000' }, 'INVALID_PARAMETER'],
    ['no amount', { amount: undefined }, 'INVALID_AMOUNT'],
    ['nothing to refund', { amount: 0 }, 'INVALID_AMOUNT'],
    ['a negative amount', { amount: -1 }, 'INVALID_AMOUNT'],
    ['a fraction of a cent', { amount: 1.5 }, 'INVALID_AMOUNT'],
    ['an amount beyond exact integers', { amount: 2 ** 53 }, 'INVALID_AMOUNT'],
    ['an amount as text', { amount: '100' }, 'INVALID_AMOUNT'],
    ['no currency', { currency: undefined }, 'INVALID_CURRENCY'],
    ['another currency', { currency: 'DAI' }, 'INVALID_CURRENCY'],
    ['a currency with more around it', { currency: 'xUSDT' }, 'INVALID_CURRENCY'],
    ['a currency with more after it', { currency: 'USDTx' }, 'INVALID_CURRENCY'],
    ['another reason', { reason: 'because' }, 'INVALID_PARAMETER'],
    ['a description of 1001 characters', { description: 'd'.repeat(1001) }, 'INVALID_PARAMETER'],
    ['metadata that is no object', { metadata: ['x'] }, 'INVALID_PARAMETER'],
  ])('%s', (_, over, code) => {
    expect(codeOf(over)).toBe(code);
  });

  test('and everything at its limit is accepted', () => {
    const longest = { session_id: 'c'.repeat(128), refund_id: 'r'.repeat(128), description: 'd'.repeat(1000) };
    expect(codeOf({ ...longest, amount: Number.MAX_SAFE_INTEGER })).toBeNull();
    expect(codeOf({ session_id: 'c', refund_id: 'r', amount: 1 })).toBeNull();
    for (const reason of REASONS) expect(codeOf({ reason })).toBeNull();
    expect(REASONS).toEqual(['requested_by_customer', 'duplicate', 'fraudulent', 'expired_uncaptured']);
  });
});

describe('the name of a refund', () => {
  test('is stored composed, so that names that look the same are the same', () => {
    expect(parsed({ refund_id: 'cafe\u0301' }).refund_id).toBe('caf\u00e9');
    expect(merchantIdIn('cafe\u0301')).toBe('caf\u00e9');
  });

  test.each([' r', 'r ', '.', '..', 'create'])('cannot be %j, which no path could name', (refund_id) => {
    expect(codeOf({ refund_id })).toBe('INVALID_PARAMETER');
  });

  test.each(['...', '.r', 'created', 'Create', 'r 1', 'a/b'])('can be %j', (refund_id) => {
    expect(codeOf({ refund_id })).toBeNull();
  });

  test('in a path has no control character', () => {
    expect([merchantIdIn('r-1'), merchantIdIn('r\u0000'), merchantIdIn('r\u202e')]).toEqual(['r-1', null, null]);
  });
});

describe('metadata', () => {
  const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, n]));

  test('has at most 50 keys of 1 to 40 characters', () => {
    expect([codeOf({ metadata: keys(50) }), codeOf({ metadata: keys(51) })]).toEqual([null, 'INVALID_PARAMETER']);
    expect(codeOf({ metadata: { ['k'.repeat(40)]: 1 } })).toBeNull();
    for (const key of ['', 'k'.repeat(41)]) expect(codeOf({ metadata: { [key]: 1 } })).not.toBeNull();
  });

  test('has at most 8 KiB as compact JSON, counted in bytes', () => {
    const around = '{"k":""}'.length;
    const text = (bytes: number) => ({ metadata: { k: 'x'.repeat(bytes - around) } });
    expect([codeOf(text(8192)), codeOf(text(8193))]).toEqual([null, 'INVALID_PARAMETER']);
    expect(codeOf({ metadata: { k: 'é'.repeat(4097 - around) } })).toBeNull();
    expect(codeOf({ metadata: { k: 'é'.repeat(4096) } })).toBe('INVALID_PARAMETER');
  });

  test('has no number that another reader would round', () => {
    expect(codeOf({ metadata: { deep: [{ n: new JsonNumber('9007199254740991.5') }] } })).toBe('INVALID_PARAMETER');
    expect(codeOf({ metadata: { n: new JsonNumber('0.1') } })).toBeNull();
  });
});
