// The audit of chains and events is silent when everything adds up, and reports each thing that does not.

import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { networkSpec } from '@/lib/networks/networks';
import { openEvmChain } from '@/simulation/chain/evm-chain';
import type { Received } from '@/testing/receivers/receiver';
import { audit, type Audited, type AuditedSession } from './audit';

const [WALLET, DEPOSIT, OTHER_DEPOSIT] = ['11', 'd1', 'd2'].map((byte) => `0x${byte.repeat(20)}`) as [
  string,
  string,
  string,
];
const [ALICE, SECRET, EXPIRES] = [`0x${'a1'.repeat(20)}`, 'whsec_test', 2000];
const SPEC = networkSpec('test', 'ethereum', 'local')!;
const TOKEN = SPEC.tokens.USDT!.contract;
const CENT = 10_000n;

type Told = { readonly type: string; readonly object: object; readonly secret?: string; readonly id?: string };
type Scene = {
  /** Cents to a deposit address. */
  readonly paid?: number;
  /** The block time of the payment. */
  readonly at?: number;
  readonly isFinal?: boolean;
  /** Base units that the wallet pays. */
  readonly sentRefunds?: readonly bigint[];
  readonly events?: (hashes: readonly string[]) => readonly Told[];
  readonly requests?: Audited['requests'];
  readonly payouts?: Audited['payouts'];
  readonly hasFailed?: boolean;
  readonly session?: Partial<AuditedSession>;
  readonly isRestored?: boolean;
  readonly forgotten?: (hashes: readonly string[]) => readonly string[];
};

/** One store and one session over 12.50; the first hash is the payment's. */
function scene({
  paid = 1250,
  at = 1500,
  isFinal = true,
  sentRefunds = [],
  events,
  requests = [],
  payouts = [],
  hasFailed = false,
  session,
  isRestored = false,
  forgotten = () => [],
}: Scene) {
  const chain = openEvmChain({ spec: SPEC, finalDepth: 2, wallet: WALLET, unixSeconds: 1000 });
  const payment = { token: TOKEN, payer: ALICE, recipient: DEPOSIT, amount: BigInt(paid) * CENT };
  const hashes = paid > 0 ? [chain.pay(payment)] : [''];
  chain.mine(at);
  for (const amount of sentRefunds) hashes.push(chain.pay({ token: TOKEN, payer: WALLET, recipient: ALICE, amount }));
  chain.mine(at + 1);
  if (isFinal) for (let block = 0; block < 3; block++) chain.mine(at + 2);
  const received = (events?.(hashes) ?? []).map(signed);
  const audited: Audited = {
    ...{
      chains: [chain],
      wallets: [WALLET],
      coldWallets: [],
      requests,
      payouts,
      isRestored,
      forgotten: new Set(forgotten(hashes)),
    },
    stores: [
      { name: 'store 1', secrets: [SECRET], receiver: { received, hasFailed } },
      { name: 'store 2', secrets: ['whsec_other'], receiver: { received: [], hasFailed: false } },
    ],
    sessions: [
      {
        ...{ id: 'cs_1', store: 'store 1', addresses: [DEPOSIT], dueCents: 1250n, networks: ['ethereum'] },
        ...{ tokens: ['USDT'], createdAt: 0, expiresAt: EXPIRES, isDecided: false, ...session },
      },
      {
        ...{ id: 'cs_2', store: 'store 2', addresses: [OTHER_DEPOSIT], dueCents: 99n, networks: ['ethereum'] },
        ...{ tokens: ['USDT'], createdAt: 0, expiresAt: EXPIRES, isDecided: false },
      },
    ],
  };
  return audit(audited);
}

let nonces = 0;
function signed({ type, object, secret = SECRET, id = `evt_${++nonces}` }: Told): Received {
  const body = Buffer.from(JSON.stringify({ id, type, created_at: 1600, data: { object } }));
  const signature = createHmac('sha256', secret).update(`1600.n.`).update(body).digest('hex');
  const headers = { 'x-service-timestamp': '1600', 'x-service-nonce': 'n', 'x-service-signature': signature };
  return { at: 0, method: 'POST', path: '/', headers, rawHeaders: [], body };
}

const completed = (hash: string, changes: object = {}): Told => ({
  type: 'payment.completed',
  object: {
    ...{ session_id: 'cs_1', amount: 1250, amount_received: 1250, currency: 'USDT', network: 'ethereum' },
    ...{ transaction_hash: hash, ...changes },
  },
});
const refunded = (hash: string, cents: number, changes: object = {}): Told => ({
  type: 'refund.succeeded',
  object: {
    ...{ session_id: 'cs_1', refund_id: 'refund-1', refund_amount: cents, refund_currency: 'USDT' },
    ...{ network: 'ethereum', transaction_hash: hash, ...changes },
  },
});
const request = (cents: bigint) => [{ store: 'store 1', refundId: 'refund-1', cents }];
/** The wallet of the scene pays Alice, who is the owner then. */
const payout = (cents: bigint, addresses = [ALICE]) => [
  { store: 'store 1', network: 'ethereum', currency: 'USDT', cents, addresses },
];

describe('is silent', () => {
  it.each<[string, Scene]>([
    ['about a payment that is announced', { events: ([one]) => [completed(one!)] }],
    ['about an event that came twice', { events: ([one]) => [1, 2].map(() => ({ ...completed(one!), id: 'evt_1' })) }],
    ['about a refund', { sentRefunds: [500n * CENT], events: ([one, two]) => [completed(one!), refunded(two!, 500)] }],
    ['about a payout', { sentRefunds: [500n * CENT], payouts: payout(500n), events: ([one]) => [completed(one!)] }],
    ['about a late payment', { at: EXPIRES }],
    ['about a payment that is not final', { isFinal: false }],
    ['about a canceled session that was paid', { session: { isDecided: true } }],
    ['about an event with a wrong signature', { at: EXPIRES, events: () => [{ ...completed('0x'), secret: 'other' }] }],
    ['where a receiver failed', { hasFailed: true }],
    [
      'about what a restored database announces again',
      { isRestored: true, events: ([one]) => [completed(one!), completed(one!)] },
    ],
    [
      'about a refund that was recovered under another name',
      {
        isRestored: true,
        sentRefunds: [1250n * CENT],
        events: ([one, two]) => [
          completed(one!),
          refunded(two!, 1250),
          refunded(two!, 1250, { refund_id: 'recovered_re_1' }),
        ],
      },
    ],
    [
      'about a sent refund that a restored database has forgotten',
      {
        isRestored: true,
        sentRefunds: [500n * CENT],
        forgotten: ([, two]) => [two!],
        events: ([one]) => [completed(one!)],
      },
    ],
    [
      'about a requested refund where a receiver failed',
      { hasFailed: true, sentRefunds: [500n * CENT], requests: request(500n) },
    ],
    [
      'about a payment that went back where a receiver failed',
      { hasFailed: true, sentRefunds: [1250n * CENT], at: EXPIRES },
    ],
  ])('%s', (_name, given) => {
    expect(scene(given)).toEqual([]);
  });
});

describe('reports', () => {
  it.each<[string, Scene, RegExp]>([
    ['a paid session whose merchant was not told', {}, /^cs_1 was paid in time, and its merchant was not told$/],
    [
      'a completion without its price',
      { paid: 1249, events: ([one]) => [completed(one!, { amount_received: 1249 })] },
      /its price is not final/,
    ],
    [
      'a completion before the payment is final',
      { isFinal: false, events: ([one]) => [completed(one!)] },
      /its price is not final/,
    ],
    [
      'an amount that did not arrive',
      { events: ([one]) => [completed(one!, { amount_received: 1251 })] },
      /says 1251 cents were received, and 1250/,
    ],
    [
      'another price',
      { paid: 1300, events: ([one]) => [completed(one!, { amount: 1300 })] },
      /over another amount than its session/,
    ],
    [
      'a transaction of somebody else',
      { events: () => [completed('0xother')] },
      /names a transaction that did not pay it/,
    ],
    [
      'another network',
      { events: ([one]) => [completed(one!, { network: 'bsc' })] },
      /names a transaction that did not pay it/,
    ],
    ['two completions', { events: ([one]) => [completed(one!), completed(one!)] }, /announced as completed 2 times/],
    [
      'an event of another store',
      { events: ([one]) => [completed(one!), completed(one!, { session_id: 'cs_2' })] },
      /which is not its session/,
    ],
    [
      'a refund without its payment',
      { events: ([one]) => [completed(one!), refunded('0xnone', 500)] },
      /no final transaction of the wallet pays it/,
    ],
    [
      'a refund before its payment is final',
      { isFinal: false, sentRefunds: [500n], events: ([, two]) => [refunded(two!, 500)] },
      /no final transaction/,
    ],
    [
      'a refund of another amount',
      { sentRefunds: [501n * CENT], events: ([one, two]) => [completed(one!), refunded(two!, 500)] },
      /pays another amount/,
    ],
    [
      'a refund of another token',
      {
        sentRefunds: [500n * CENT],
        events: ([one, two]) => [completed(one!), refunded(two!, 500, { refund_currency: 'USDC' })],
      },
      /pays another amount/,
    ],
    [
      'refunds above what arrived',
      { sentRefunds: [1251n * CENT], events: ([one, two]) => [completed(one!), refunded(two!, 1251)] },
      /1251 cents of cs_1 were refunded, and 1250 had arrived/,
    ],
    [
      'refunds above the price',
      { paid: 2000, sentRefunds: [1251n * CENT], events: ([one, two]) => [completed(one!), refunded(two!, 1251)] },
      /1251 cents of the price of cs_1 were refunded, and it is 1250/,
    ],
    [
      'a sent refund without a request',
      { sentRefunds: [500n * CENT], events: ([one]) => [completed(one!)] },
      /left the wallet on ethereum for no refund/,
    ],
    [
      'a second payment for one refund',
      {
        sentRefunds: [500n * CENT, 500n * CENT],
        requests: request(500n),
        events: ([one, two]) => [completed(one!), refunded(two!, 500)],
      },
      /left the wallet on ethereum for no refund/,
    ],
    [
      'a sent refund of another amount than requested where a receiver failed',
      { hasFailed: true, sentRefunds: [1251n * CENT], requests: request(500n) },
      /left the wallet/,
    ],
    [
      'a payout to an address that its owner never named',
      { sentRefunds: [500n * CENT], payouts: payout(500n, [WALLET]) },
      /left the wallet on ethereum for no refund or payout/,
    ],
    [
      'a second payment for one payout',
      { sentRefunds: [500n * CENT, 500n * CENT], payouts: payout(500n) },
      /left the wallet/,
    ],
    [
      'a payout of what was refunded',
      { sentRefunds: [500n * CENT, 751n * CENT], payouts: payout(751n), events: ([, two]) => [refunded(two!, 500)] },
      /store 1 gave back 500 cents and was paid out 751 of 1250/,
    ],
    [
      'a store that was told of more than it got',
      { events: ([one]) => [completed(one!, { amount: 1250 }), completed(one!)] },
      /store 1 was told of 2500 cents, and 1250 are final/,
    ],
    [
      'a store that gave back more than it got',
      { sentRefunds: [1251n * CENT], events: ([, two]) => [refunded(two!, 1251)] },
      /store 1 gave back 1251 cents of 1250/,
    ],
  ])('%s', (_name, given, sentence) => {
    expect(scene(given).join('\n')).toMatch(sentence);
  });
});
