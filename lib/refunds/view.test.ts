// What the API's refund contains in each of its states, and what it omits.

import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { sealSecret } from '@/lib/platform/crypto';
import { newClaimToken } from '@/lib/platform/ids';
import { HOLD_CODES, holdSentence } from './holds';
import { claimPurpose, createdRefundText, refundText, type RefundFacts } from './view';

const MASTER_KEYS = new Map([[1, randomBytes(32)]]);
const settings = { PUBLIC_URL: 'https://pay.example', MASTER_KEYS };
const at = (seconds: number) => new Date(seconds * 1000 + 999);
const PAYER = '0x52908400098527886e0f7030069857d2e4169ee7';
const refund: RefundFacts = {
  id: 're_1',
  refundId: 'R-1',
  sessionId: 'cs_test_1',
  orderId: 'O-1',
  amount: 9_007_199_254_740_991n,
  currency: 'USDT',
  network: 'ethereum',
  status: 'pending',
  reason: null,
  description: null,
  metadata: null,
  createdAt: at(1_800_000_000),
  processedAt: null,
  destination: null,
  hold: null,
  holdMessage: null,
  holdUntil: null,
  claimCiphertext: null,
  failureReason: null,
  transactionHash: null,
  receiptNumber: null,
  costCharged: null,
};
const writer = { showsClaimLink: true };
const shown = (over: Partial<RefundFacts>) => JSON.parse(refundText({ ...refund, ...over }, settings, writer));
const BASE = {
  refund_id: 'R-1',
  session_id: 'cs_test_1',
  order_id: 'O-1',
  amount: 9_007_199_254_740_991,
  currency: 'USDT',
  created_at: 1_800_000_000,
  network: 'ethereum',
};

test('a waiting refund omits what only comes later', () => {
  expect(shown({})).toEqual({ ...BASE, status: 'pending' });
});

test('only a completed refund has a transaction, a receipt with its page, and a time of processing', () => {
  const done = {
    status: 'completed',
    processedAt: at(1_800_000_100),
    transactionHash: '0xabc',
    receiptNumber: 'rcp_1',
  } as const;
  expect(shown({ ...done, destination: PAYER })).toEqual({
    ...BASE,
    status: 'completed',
    transaction_hash: '0xabc',
    receipt_number: 'rcp_1',
    receipt_url: 'https://pay.example/receipt/rcp_1',
    processed_at: 1_800_000_100,
    destination: '0x52908400098527886E0F7030069857D2E4169EE7',
  });
});

test('a refund that has ended shows the network cost charged to its store, and the response to a create never does', () => {
  const ended = { status: 'canceled', processedAt: at(1_800_000_100), costCharged: 10n } as const;
  expect(shown(ended)).toEqual({ ...BASE, status: 'canceled', network_cost: 10 });
  expect(shown({ ...ended, costCharged: 0n }).network_cost).toBe(0);
  expect(JSON.parse(createdRefundText({ ...refund, ...ended }))).not.toHaveProperty('network_cost');
});

test('only a failed refund has a failure reason', () => {
  const failed = { status: 'failed', processedAt: at(1_800_000_100), failureReason: 'The token refused it.' } as const;
  expect(shown(failed)).toEqual({
    ...BASE,
    status: 'failed',
    failure_reason: 'The token refused it.',
    processed_at: 1_800_000_100,
  });
});

test('a canceled refund was never processed', () => {
  expect(shown({ status: 'canceled', processedAt: at(1_800_000_100) })).toEqual({ ...BASE, status: 'canceled' });
});

test('a refund on hold says why, and how the customer can help, until an address is known', () => {
  const token = newClaimToken();
  const sealed = sealSecret(MASTER_KEYS, token, claimPurpose('re_1'));
  const held = {
    status: 'processing',
    hold: 'destination_needed',
    holdMessage: 'Send the link.',
    claimCiphertext: sealed,
  } as const;
  const hold = { reason: 'destination_needed', message: 'Send the link.' };
  expect(shown(held)).toEqual({
    ...BASE,
    status: 'processing',
    hold: { ...hold, claim_url: `https://pay.example/claim/${token}` },
  });
  expect(shown({ ...held, destination: PAYER }).hold).toEqual(hold);
  const holdUntil = new Date(1_800_000_000_500);
  expect(shown({ ...held, destination: PAYER, holdUntil }).hold).toEqual({ ...hold, until: 1_800_000_000 });
  expect(shown({ ...held, claimCiphertext: null }).hold).toEqual(hold);
  // The customer has named an address, and now something else blocks the refund.
  expect(shown({ ...held, hold: 'no_tokens' }).hold).toEqual({ ...hold, reason: 'no_tokens' });
  expect(shown({ ...held, status: 'canceled' })).not.toHaveProperty('hold');
  expect(() => shown({ ...held, id: 're_2' })).toThrow(/authenticate/);
});

test('metadata is exactly the stored text', () => {
  const text = refundText({ ...refund, metadata: '{"n":1.10,"big":0.12345678901234567890}' }, settings, writer);
  expect(text.endsWith(',"metadata":{"n":1.10,"big":0.12345678901234567890}}')).toBe(true);
});

test('every hold has its own sentence, which names who acts', () => {
  const sentences = HOLD_CODES.map(holdSentence);
  expect(new Set(sentences).size).toBe(HOLD_CODES.length);
  for (const sentence of sentences) expect(sentence).toMatch(/^[A-Z].+\.$/);
});
