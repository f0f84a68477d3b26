import { describe, expect, test } from 'vitest';
import { signatureOf } from '@/lib/platform/crypto';
import { ServiceError } from '@/lib/platform/errors/errors';
import type { ApiRequest } from '@/lib/platform/http';
import { TestClock } from '@/testing/fixtures';
import { signMessage } from '@/testing/sign-message';
import { authenticate, authorize, identify } from './authenticate';
import { SCOPES, type MerchantKey, type Scope } from './verify-key';

const clock = new TestClock();
const NOW = clock.now().getTime() / 1000;
const KEYS = { apiKey: `ak_test_${'k'.repeat(32)}`, apiSecret: `as_test_${'s'.repeat(43)}` };
const PATH = '/api/v1/refunds/create';
const BODY = '{"amount":1}';
const key = (over: Partial<MerchantKey> = {}): MerchantKey => ({
  id: 7,
  storeId: 'st_1',
  environment: 'test',
  secret: KEYS.apiSecret,
  scopes: SCOPES,
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
  ...over,
});
const request = (headers: Readonly<Record<string, string>>, address = '192.0.2.1'): ApiRequest => {
  const byName = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), [value]]));
  return {
    method: 'POST',
    path: PATH,
    query: '',
    header: (name) => byName.get(name) ?? [],
    body: Buffer.from(BODY),
    address,
  };
};
type Version1 = { readonly timestamp?: string; readonly nonce?: string; readonly secret?: string };
const version1 = ({ timestamp = String(NOW), nonce = 'n-1', secret = KEYS.apiSecret }: Version1 = {}) => ({
  Authorization: `Bearer ${KEYS.apiKey}`,
  'X-Service-Timestamp': timestamp,
  'X-Service-Nonce': nonce,
  'X-Service-Signature': signatureOf(secret, timestamp, nonce, BODY).toString('hex'),
});
const version2 = (apiSecret = KEYS.apiSecret) =>
  signMessage({ ...KEYS, apiSecret }, { method: 'POST', path: PATH, body: BODY, created: NOW, nonce: 'n-2' });
const codeOf = (work: () => unknown): string | null => {
  try {
    work();
  } catch (error) {
    if (error instanceof ServiceError) return error.code;
    throw error;
  }
  return null;
};
const judge = (headers: Readonly<Record<string, string>>, by = key(), address?: string) =>
  codeOf(() => authenticate(request(headers, address), by, { clock }));

describe('the key of a request', () => {
  test('is looked up by the Authorization header', async () => {
    const lookedUp: string[] = [];
    const found = await identify(request(version1()), (apiKey) => {
      lookedUp.push(apiKey);
      return key();
    });
    expect([found.id, lookedUp]).toEqual([7, [KEYS.apiKey]]);
  });

  test('that is unknown is refused', async () => {
    await expect(identify(request(version1()), () => null)).rejects.toMatchObject({ code: 'invalid_api_key' });
    await expect(identify(request({}), () => key())).rejects.toMatchObject({ code: 'invalid_api_key' });
  });
});

describe('a signed request', () => {
  test('of either version names its key and its nonce', () => {
    const by = key();
    expect(authenticate(request(version1()), by, { clock })).toEqual({ key: by, nonce: 'n-1' });
    expect(authenticate(request(version2()), by, { clock })).toEqual({
      key: by,
      nonce: 'n-2',
      nonceHeader: 'Signature-Input',
    });
  });

  test.each([
    ['another secret', version1({ secret: 'as_test_other' }), 'invalid_signature'],
    ['another secret in version 2', version2('as_test_other'), 'invalid_signature'],
    ['an old timestamp', version1({ timestamp: String(NOW - 301) }), 'timestamp_out_of_range'],
    ['an unreadable timestamp', version1({ timestamp: 'now' }), 'invalid_timestamp'],
    ['a nonce that could be the beginning of a body', version1({ nonce: 'n{' }), 'invalid_nonce'],
    ['no signature', { Authorization: `Bearer ${KEYS.apiKey}` }, 'missing_header'],
  ])('with %s is refused', (_, headers, code) => {
    expect(judge(headers)).toBe(code);
  });

  test('of version 1 is refused by a key that requires version 2', () => {
    expect(judge(version1(), key({ requiresSignatureV2: true }))).toBe('signature_version_required');
    expect(judge(version2(), key({ requiresSignatureV2: true }))).toBeNull();
  });

  test('from an address that the key does not allow is refused before any other check', () => {
    const limited = key({ allowedAddresses: ['192.0.2.0/24'] });
    expect(judge(version1(), limited, '192.0.2.255')).toBeNull();
    expect(judge(version1(), limited, '192.0.3.1')).toBe('invalid_api_key');
    expect(judge({}, limited, '192.0.3.1')).toBe('invalid_api_key');
  });
});

describe('a caller', () => {
  const may = (scope: Scope, over: Partial<MerchantKey>, orScopes?: readonly Scope[]): string | null =>
    codeOf(() => authorize({ key: key(over), nonce: 'n-1' }, scope, orScopes));

  test('needs the scope of the call, or the other one that allows it', () => {
    for (const scope of SCOPES) {
      expect(may(scope, { scopes: [scope] })).toBeNull();
      expect(may(scope, { scopes: SCOPES.filter((one) => one !== scope) })).toBe('insufficient_scope');
    }
    expect(may('refunds:read', { scopes: ['refunds:write'] }, ['refunds:write'])).toBeNull();
    expect(may('refunds:read', { scopes: ['refunds:read'] }, ['refunds:write'])).toBeNull();
    expect(may('refunds:read', { scopes: ['sessions:read'] }, ['refunds:write'])).toBe('insufficient_scope');
  });

  test('of a store that is not active may do nothing', () => {
    expect(may('sessions:read', { storeActive: false })).toBe('store_not_active');
    expect(may('sessions:read', { storeActive: false, scopes: [] })).toBe('insufficient_scope');
  });
});
