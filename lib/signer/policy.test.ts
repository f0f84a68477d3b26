import { expect, test } from 'vitest';
import { NETWORKS } from '@/lib/networks/networks';
import { makeEvidence } from '@/lib/signer/attestations/refund-evidence';
import { accounts, evidenceKey, orderOn, PAYERS, policy } from '@/testing/signer/signer-scene';
import { refundOrder, type RefundOrder } from './orders';
import { allow, chainsOf } from './policy';

const SETTING = NETWORKS.map(({ network, chain }) => `${network}@${chain}`).filter((name) => name.endsWith('@mainnet'));

test('every watched token can be refunded, even one that is no longer offered', () => {
  const chains = chainsOf(SETTING.join(','));
  const tokens = chains.flatMap((spec) =>
    Object.entries(spec.tokens).map(([currency, token]) => ({ spec, currency, token })),
  );
  expect(tokens.some(({ token }) => token.offByDefault !== undefined)).toBe(true);
  for (const { spec, currency, token } of tokens) {
    const [to, { environment, network }] = [PAYERS[spec.family], spec];
    const said = {
      kind: 'payer',
      session: 'case:1',
      network,
      address: to,
      reference: 'transfer/1',
      mostCents: '100',
    } as const;
    const order: RefundOrder = {
      intentId: 're_1',
      environment,
      network,
      currency: currency as RefundOrder['currency'],
      contract: token.contract,
      to,
      amount: String(10n ** BigInt(token.decimals)),
      evidence: makeEvidence(evidenceKey, environment, said),
    };
    expect(allow(order, { ...policy(), chains }, accounts)).toMatchObject({ cents: 100n, token });
  }
});

test('the most expensive possible session, and an overpayment of it, can be refunded in parts', () => {
  for (const mostCents of [10n ** 15n, 10n ** 30n]) {
    expect(allow(refundOrder.parse(orderOn('solana', { mostCents })), policy(), accounts).cents).toBe(1234n);
  }
});
