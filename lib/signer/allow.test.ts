// What the signer's settings allow, without signing. policy.test.ts has every token of the networks table.

import { describe, expect, test } from 'vitest';
import { networkSpec, type NetworkSpec } from '@/lib/networks/networks';
import { makeEvidence, type Evidence } from '@/lib/signer/attestations/refund-evidence';
import type { RefundAccounts } from '@/lib/treasury/wallets/derivation-refund';
import { allowedOrder, ethereum, KEY, refusalOf, rules, TO } from '@/testing/signer/rules-scene';
import type { RefundOrder } from './orders';
import { allow, chainsOf, type Policy } from './policy';

const WALLET = '0x90f79bf6eb2c4f870365e785982e1f101e93b906';
const accounts = { of: () => ({ address: WALLET }) } as unknown as RefundAccounts;
const honest = allowedOrder({ cents: 100n, mostCents: 100n }).order;
const order = (over: Partial<RefundOrder> = {}, evidence: Partial<Evidence> = {}, key = KEY): RefundOrder => {
  const given = { ...honest, ...over };
  const { mac: _, ...facts } = { ...honest.evidence, address: given.to, network: given.network, ...evidence };
  return { ...given, evidence: makeEvidence(key, given.environment, facts) };
};
const check = (given: RefundOrder, over: Partial<Policy> = {}) => refusalOf(() => allow(given, rules(over), accounts));

test('an honest order is allowed, with its network, its token, its cents and the fee cap of the network', () => {
  expect(allow(order(), rules(), accounts)).toEqual({
    ...{ order: order(), spec: ethereum, token: ethereum.tokens.USDT, cents: 100n, feeCap: ethereum.feeCap },
  });
});

describe('an order is refused', () => {
  const usdc = ethereum.tokens.USDC?.contract ?? '';
  const notAllowed = 'not_allowed: the settings of the signer do not allow this network';
  const wrongToken = 'not_allowed: the contract is not the token of this currency on this network';
  const ownAddress = 'not_allowed: the destination is a token or the refund wallet itself';
  const fraction = 'not_allowed: the amount is not a whole number of cents';

  test.each<[string, RefundOrder, string]>([
    ['in an environment without this network', order({ environment: 'live' }), notAllowed],
    ['on a network that is not in the settings', order({ network: 'bsc' }), notAllowed],
    ['in a token under the name of another', order({ currency: 'USDC' }), wrongToken],
    ['in the contract of another token', order({ contract: usdc }), wrongToken],
    ['in a currency that every object has', order({ currency: 'toString' as 'USDT' }), wrongToken],
    [
      'to no address',
      order({ to: 'TSeJkUh4Qv67VNFwY8LaAxERygNdy6NQZK' }),
      'not_allowed: the destination is not an address of this network',
    ],
    ['to a token', order({ to: usdc }), ownAddress],
    ['to the refund wallet', order({ to: WALLET }), ownAddress],
    ['of nothing', order({ amount: '0' }), fraction],
    ['of a fraction of a cent', order({ amount: '1009999' }), fraction],
    ['of a negative amount', order({ amount: '-10000' }), fraction],
    ['of more than the session paid', order({ amount: '1010000' }), 'limit: the amount is above what the session paid'],
    [
      'with evidence of another watcher',
      order({}, {}, [Buffer.alloc(32, 4)]),
      'evidence: the watcher did not attest this destination',
    ],
    [
      'with evidence for another address',
      order({}, { address: WALLET }),
      'evidence: the evidence is for another destination',
    ],
    [
      'with evidence for another network',
      order({}, { network: 'bsc' }),
      'evidence: the evidence is for another destination',
    ],
    [
      'with altered evidence',
      { ...honest, evidence: { ...honest.evidence, mostCents: '101' } },
      'evidence: the watcher did not attest this destination',
    ],
  ])('%s', (_, given, refusal) => {
    expect(check(given)).toBe(refusal);
  });

  test('without the evidence key, whatever its evidence', () => {
    expect(check(order(), { evidenceKey: null })).toBe(
      'evidence: the signer has no EVIDENCE_KEY, so it pays no refunds',
    );
  });

  test('above the limit per refund, not at it', () => {
    const limits = (perRefund: bigint) => ({ limits: { perRefund, perHour: 1n, perDay: 1n } });
    expect(check(order(), limits(100n))).toBeNull();
    expect(check(order(), limits(99n))).toBe('limit: the amount is above the limit per refund');
  });
});

test('a payment goes to the customer’s address exactly as the evidence names it', () => {
  expect(check(order({ to: TO }))).toBeNull();
  expect(check(order({ to: TO.toUpperCase().replace('0X', '0x') }))).toMatch(/^not_allowed: the destination is not/);
});

describe('the setting of chains', () => {
  const spec = (network: string, chains: 'public' | 'local') => networkSpec('test', network, chains) as NetworkSpec;

  test('names one chain of each network and environment, with any space around', () => {
    expect(chainsOf(' ethereum@local , tron@testnet,,')).toEqual([spec('ethereum', 'local'), spec('tron', 'public')]);
    expect(chainsOf('ethereum@local,ethereum@mainnet').map(({ environment }) => environment)).toEqual(['test', 'live']);
    expect(chainsOf('')).toEqual([]);
    expect(chainsOf('ethereum@local', [ethereum])).toEqual([ethereum]);
  });

  test.each(['ethereum', 'ethereum@', 'ethereum@local2', 'x@local', '@'])('refuses the unknown name %j', (setting) => {
    expect(() => chainsOf(setting)).toThrow('names no network, such as ethereum@mainnet');
  });

  test.each(['ethereum@local,ethereum@testnet', 'tron@local,tron@local'])(
    'refuses two chains for one: %s',
    (setting) => {
      expect(() => chainsOf(setting)).toThrow('names two chains of one network for one environment');
    },
  );
});
