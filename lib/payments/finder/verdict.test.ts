import { createTranslator } from 'next-intl';
import { describe, expect, test } from 'vitest';
import { networkSpec } from '@/lib/networks/networks';
import type { TokenMovement, TransactionReport } from '@/lib/networks/chain';
import { networkNames } from '@/lib/i18n/network-names';
import english from '@/messages/en.json';
import type { FinderSession, RecordedTransfer } from './facts';
import { findSentences } from './sentence';
import { chainVerdict, isFinalPayment, recordedVerdict, VERDICTS, type Answer, type FindVerdict } from './verdict';

const EXPIRES = 2_000;
const specs = {
  ethereum: networkSpec('test', 'ethereum', 'local')!,
  bsc: networkSpec('test', 'bsc', 'local')!,
  tron: networkSpec('test', 'tron', 'local')!,
  solana: networkSpec('test', 'solana', 'local')!,
};
type Network = keyof typeof specs;

const session = (over: Partial<FinderSession> = {}): FinderSession => ({
  id: 'cs_test_0123456789abcdef',
  environment: 'test',
  status: 'pending',
  acceptedFrom: null,
  amountDue: 1250n,
  amountReceived: 0n,
  networks: ['ethereum', 'tron', 'solana'],
  offeredPairs: ['ethereum-USDT', 'tron-USDT', 'solana-USDT'],
  createdAt: 1_000,
  expiresAt: EXPIRES,
  addresses: { evm: '0xours', tron: 'Tours', solana: 'Sours' },
  ...over,
});

const contract = (network: Network, currency = 'USDT') => specs[network].tokens[currency]!.contract;
const movement = (over: Partial<TokenMovement> = {}): TokenMovement => ({
  contract: contract('ethereum'),
  currency: 'USDT',
  payer: '0xpayer',
  recipient: '0xours',
  amount: 12_500_000n,
  ...over,
});
const report = (movements: TokenMovement[], over: Partial<TransactionReport> = {}): TransactionReport => ({
  transactionHash: '0xhash',
  succeeded: true,
  block: { number: 10, hash: '0xb', parentHash: '0xa', time: 1_500 },
  confirmations: 3,
  missing: 9,
  movements,
  ...over,
});
const on = (network: Network, given: Answer['report']): Answer => ({ spec: specs[network], report: given });
const responded = (
  given: TransactionReport | null | 'unanswered',
  over: Partial<FinderSession> = {},
  network: Network = 'ethereum',
) => chainVerdict(session(over), [on(network, given)]);
const recorded = (over: Partial<RecordedTransfer> = {}): RecordedTransfer => ({
  network: 'ethereum',
  currency: 'USDT',
  amount: 12_500_000n,
  decimals: 6,
  blockTime: 1_500,
  decision: null,
  returned: 0n,
  ...over,
});

const PAID = { network: 'ethereum', currency: 'USDT', amount: '12.50' };
const foreign = { contract: '0xfake', currency: null };
const TABLE: readonly [string, FindVerdict | null, object][] = [
  // Reports of the chain.
  [
    'a payment that is not final',
    responded(report([movement()])),
    { verdict: 'waiting', ...PAID, confirmations: 3, missing: 9, short: null },
  ],
  [
    'a payment of a part',
    responded(report([movement({ amount: 5_009_999n })])),
    { verdict: 'waiting', amount: '5.00', short: '7.50' },
  ],
  [
    'a part beside another',
    responded(report([movement({ amount: 5_000_000n })]), { amountReceived: 750n }),
    { verdict: 'waiting', short: null },
  ],
  [
    'a final payment that is about to be counted',
    responded(report([movement()], { missing: 0 })),
    { verdict: 'waiting', missing: 0 },
  ],
  [
    'a payment on a network that does not report confirmations',
    responded(report([movement()], { missing: null })),
    { verdict: 'waiting', missing: null },
  ],
  [
    'two transfers in one transaction',
    responded(report([movement({ amount: 5_000_000n }), movement({ amount: 7_500_000n })])),
    { verdict: 'waiting', amount: '12.50', short: null },
  ],
  [
    'a payment that is pulled back in the same transaction',
    responded(report([movement(), movement({ payer: '0xours', recipient: '0xpayer' })])),
    { verdict: 'other_address' },
  ],
  [
    'a payment on TRON',
    responded(report([movement({ contract: contract('tron'), recipient: 'Tours' })]), {}, 'tron'),
    { verdict: 'waiting', network: 'tron', amount: '12.50' },
  ],
  [
    'a payment on Solana',
    responded(report([movement({ contract: contract('solana'), recipient: 'Sours' })]), {}, 'solana'),
    { verdict: 'waiting', network: 'solana' },
  ],
  [
    '18 decimals on BSC',
    responded(
      report([movement({ contract: contract('bsc'), amount: 1250n * 10n ** 16n })]),
      { networks: ['bsc'], offeredPairs: ['bsc-USDT'] },
      'bsc',
    ),
    { verdict: 'waiting', network: 'bsc', amount: '12.50' },
  ],
  [
    'the right address on the wrong network',
    responded(report([movement({ contract: contract('bsc'), amount: 1250n * 10n ** 16n })]), {}, 'bsc'),
    { verdict: 'wrong_network', network: 'bsc', amount: '12.50', decision: null },
  ],
  [
    'the other token',
    responded(report([movement({ contract: contract('ethereum', 'USDC'), currency: 'USDC' })])),
    { verdict: 'wrong_token', currency: 'USDC' },
  ],
  [
    'the other token where the store takes it',
    responded(report([movement({ contract: contract('ethereum', 'USDC'), currency: 'USDC' })]), {
      offeredPairs: ['ethereum-USDC'],
    }),
    { verdict: 'waiting', currency: 'USDC' },
  ],
  [
    'both tokens, of which one is requested',
    responded(report([movement({ contract: contract('ethereum', 'USDC'), currency: 'USDC' }), movement()])),
    { verdict: 'waiting', currency: 'USDT' },
  ],
  [
    'a block at the moment of expiry',
    responded(report([movement()], { block: { number: 10, hash: '', parentHash: '', time: EXPIRES } })),
    { verdict: 'too_late' },
  ],
  [
    'a block from before the session',
    responded(report([movement()], { block: { number: 10, hash: '', parentHash: '', time: 1_000 - 313 } })),
    { verdict: 'too_early', decision: null },
  ],
  [
    'a block before it',
    responded(report([movement()], { block: { number: 10, hash: '', parentHash: '', time: EXPIRES - 1 } })),
    { verdict: 'waiting' },
  ],
  ['a payment to a canceled session', responded(report([movement()]), { status: 'canceled' }), { verdict: 'too_late' }],
  [
    'a further payment to a session that an accepted one completed',
    responded(report([movement()]), { status: 'completed', acceptedFrom: 'expired' }),
    { verdict: 'too_late' },
  ],
  [
    'the rest of a failed session',
    responded(report([movement()]), { status: 'failed' }),
    { verdict: 'unfinished', missing: 9 },
  ],
  [
    'another token of the same name',
    responded(report([movement(foreign)])),
    { verdict: 'fake_token', network: 'ethereum' },
  ],
  ['another token beside the real one', responded(report([movement(foreign), movement()])), { verdict: 'waiting' }],
  ['nothing of another token', responded(report([movement({ ...foreign, amount: 0n })])), { verdict: 'other_address' }],
  ['nothing of the real token', responded(report([movement({ amount: 0n })])), { verdict: 'other_address' }],
  [
    'the real token to another address',
    responded(report([movement({ recipient: '0xtheirs' })])),
    { verdict: 'other_address', network: 'ethereum' },
  ],
  [
    'an address that differs in its letters’ case',
    responded(report([movement({ recipient: '0xOURS' })])),
    { verdict: 'other_address' },
  ],
  [
    'the address of another family',
    responded(report([movement({ recipient: 'Tours' })])),
    { verdict: 'other_address' },
  ],
  [
    'our own outgoing payment',
    responded(report([movement({ payer: '0xours', recipient: '0xtheirs' })])),
    { verdict: 'other_address' },
  ],
  ['no token at all', responded(report([])), { verdict: 'no_token' }],
  ['a failed transaction', responded(report([], { succeeded: false })), { verdict: 'failed', network: 'ethereum' }],
  [
    'a transaction in no block',
    responded(report([], { succeeded: false, block: null, confirmations: 0, missing: null })),
    { verdict: 'unmined' },
  ],
  [
    'too many payments to check, none ours',
    responded(report(Array.from({ length: 100 }, () => movement({ recipient: '0xtheirs' })))),
    { verdict: 'unclear' },
  ],
  [
    'too many payments to check, one ours',
    responded(report([...Array.from({ length: 99 }, () => movement({ recipient: '0xtheirs' })), movement()])),
    { verdict: 'waiting' },
  ],
  ['a hash that no network knows', responded(null), { verdict: 'not_found', asked: ['ethereum'], unanswered: [] }],
  ['a network that does not respond', responded('unanswered'), { verdict: 'unanswered', unanswered: ['ethereum'] }],
  ['no network of that kind', chainVerdict(session(), []), { verdict: 'not_found', asked: [] }],
  [
    'one that answers no and one that does not respond',
    chainVerdict(session(), [on('ethereum', null), on('bsc', 'unanswered')]),
    { verdict: 'not_found', unanswered: ['bsc'] },
  ],
  [
    'the network that knows it among others',
    chainVerdict(session(), [on('bsc', null), on('ethereum', report([movement()]))]),
    { verdict: 'waiting', network: 'ethereum' },
  ],
  // Recorded transfers.
  [
    'a recorded payment',
    recordedVerdict(session({ status: 'completed', amountReceived: 1250n }), [recorded()]),
    { verdict: 'counted', ...PAID, short: null },
  ],
  [
    'a recorded part',
    recordedVerdict(session({ amountReceived: 500n }), [recorded({ amount: 5_000_000n })]),
    { verdict: 'counted', amount: '5.00', short: '7.50' },
  ],
  [
    'a recorded part of a failed session',
    recordedVerdict(session({ status: 'failed', amountReceived: 500n }), [
      recorded({ amount: 5_000_000n, decision: 'open' }),
    ]),
    { verdict: 'unfinished', decision: 'open' },
  ],
  [
    'a recorded late payment',
    recordedVerdict(session({ status: 'expired' }), [recorded({ decision: 'open' })]),
    { verdict: 'too_late', decision: 'open', missing: 0 },
  ],
  [
    'a late payment that the shop accepted',
    recordedVerdict(session({ status: 'completed', acceptedFrom: 'expired' }), [recorded({ decision: 'accepted' })]),
    { verdict: 'counted' },
  ],
  [
    'a late payment that the shop sends back',
    recordedVerdict(session({ status: 'expired' }), [recorded({ decision: 'refund' })]),
    { verdict: 'too_late', decision: 'refund' },
  ],
  [
    'a part of a failed session that the shop sends back',
    recordedVerdict(session({ status: 'failed' }), [recorded({ decision: 'refund', returned: 12_500_000n })]),
    { verdict: 'returned', decision: 'refund' },
  ],
  [
    'a second payment that the shop sends back whole',
    recordedVerdict(session({ status: 'completed' }), [recorded({ decision: 'accepted', returned: 12_500_000n })]),
    { verdict: 'returned', decision: 'refund', missing: 0 },
  ],
  [
    'a payment of which the shop sends the surplus back',
    recordedVerdict(session({ status: 'completed' }), [recorded({ decision: 'accepted', returned: 1n })]),
    { verdict: 'counted', ...PAID },
  ],
  [
    'a recorded wrong token',
    recordedVerdict(session(), [recorded({ currency: 'USDC', decision: 'open' })]),
    { verdict: 'wrong_token' },
  ],
  [
    'a recorded payment on the wrong network',
    recordedVerdict(session(), [recorded({ network: 'bsc', decision: 'left' })]),
    { verdict: 'wrong_network', decision: 'left' },
  ],
  [
    'several recorded transfers of one transaction',
    recordedVerdict(session(), [recorded({ currency: 'USDC' }), recorded(), recorded()]),
    { verdict: 'counted', amount: '25.00' },
  ],
  ['nothing recorded', recordedVerdict(session(), []), null as never],
];

describe('the verdict on', () => {
  test.each(TABLE)('%s', (_, given, expected) => {
    if (expected === null) expect(given).toBeNull();
    else expect(given).toMatchObject(expected);
  });

  test('the table covers every kind of transaction', () => {
    const seen = new Set(TABLE.map(([, given]) => given?.verdict));
    expect(VERDICTS.filter((verdict) => !seen.has(verdict))).toEqual(['unreadable']);
  });
});

test('every verdict has sentences, and none contains an address', () => {
  const t = createTranslator({
    locale: 'en',
    messages: english,
    onError: (error) => {
      throw error;
    },
  });
  const formatter = {
    t: (key: keyof typeof english, values = {}) => t(key, values),
    network: (network: string) => networkNames((key) => (english as Record<string, string>)[key] ?? null, network),
    list: (names: readonly string[]) => names.join(' and '),
  };
  const unreadable = [
    { verdict: 'unreadable', looksLike: null },
    { verdict: 'unreadable', looksLike: 'address' },
  ] as const;
  for (const verdict of [...TABLE.flatMap(([, given]) => given ?? []), ...unreadable]) {
    const text = findSentences(verdict, formatter).join(' ');
    expect(text).toMatch(/[a-z].*\.$/);
    expect(text).not.toMatch(/[{}]|undefined|null|ours|theirs|payer/);
  }
});

test('distinguishes a final payment from an unconfirmed one and from a payment to another address', () => {
  const final = { missing: 0 };
  expect(isFinalPayment(session(), on('ethereum', report([movement()], final)))).toBe(true);
  expect(isFinalPayment(session(), on('ethereum', report([movement()])))).toBe(false);
  expect(isFinalPayment(session(), on('ethereum', report([movement()], { missing: null })))).toBe(false);
  expect(isFinalPayment(session(), on('ethereum', report([movement({ recipient: '0xtheirs' })], final)))).toBe(false);
  expect(isFinalPayment(session(), on('ethereum', report([movement(foreign)], final)))).toBe(false);
  expect(isFinalPayment(session(), on('ethereum', null))).toBe(false);
  expect(isFinalPayment(session(), on('ethereum', 'unanswered'))).toBe(false);
});
