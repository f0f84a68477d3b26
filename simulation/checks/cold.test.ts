// The checks of cold transfers and refills fail when they should.

import { expect, it } from 'vitest';
import { centOf } from '@/simulation/chain/units';
import type { ColdRow, ColdRows } from '@/simulation/cold/rows';
import type { ColdSettings } from '@/simulation/cold/settings';
import type { ColdCall } from '@/simulation/cold/signed';
import { COLD, WALLET } from '@/simulation/parties';
import type { PayoutRow } from '@/simulation/payouts/rows';
import type { World } from '@/simulation/world';
import type { Check, Checked } from './check';
import {
  coldTransfersEnd,
  coldTransfersLeaveWhatIsOwed,
  coldTransfersPayOnce,
  everyRefillIsBooked,
  nothingStaysAboveTheMark,
  refillsAreBookedOnce,
} from './cold';
import { BOB, doctored } from './doctored';
import { refundsGoToTheirPayers } from './refunds';

const ASSET = { network: 'bsc', currency: 'USDT' } as const;
const ID = 'ct_test_bsc_USDT_1';
const NOW = 10 * 3_600_000;
const BATCH: readonly (readonly [string, bigint])[] = [
  ['po_1', 150n],
  ['po_2', 200n],
];

type Changes = {
  readonly row?: Partial<ColdRow>;
  readonly call?: Partial<ColdCall>;
  /** Cents that left the wallet, one transaction each. */
  readonly paid?: readonly bigint[];
  readonly to?: string;
  /** The other refund: over 3.00, requested before the call and open unless changed. */
  readonly refund?: {
    readonly amount?: string;
    readonly status?: 'processing' | 'canceled';
    readonly hold?: string;
    readonly is_reserved?: false;
  };
  readonly isRequested?: false;
  /** An earlier transfer that is on its way, in cents. */
  readonly other?: bigint;
  /** Cents by kind; what the chain brought by default. */
  readonly books?: Partial<Record<'funding' | 'refill', bigint>>;
  readonly settings?: Partial<ColdSettings>;
  readonly hasLied?: true;
  /** Two payouts, over 1.50 and 2.00, that left in one transaction before the call, or are waiting. */
  readonly batch?: 'landed' | 'waiting';
};

/**
 * All is well: the wallet had 12.00 at first and paid 2.00 back. A cold transfer of 6.00 left the 3.00 that another refund needs, and a
 * sweep brought 5.00.
 */
function loop(changes: Changes = {}): Checked {
  const { row, call, paid = [600n], to = COLD.evm, refund, isRequested = true, other, books, settings } = changes;
  const { world, after, ...rest } = doctored({});
  const [chain, terms] = [world.chains[0]!, world.sessions[0]!];
  const [token, cent] = [chain.spec.tokens.USDT!.contract, centOf(chain, 'USDT')];
  const batch = changes.batch ? BATCH.map(([id, cents]) => ({ ...ASSET, id, to: BOB, amount: cents * cent })) : [];
  const together =
    changes.batch === 'landed'
      ? batch.map(({ amount }) => chain.pay({ token, payer: WALLET.evm, recipient: BOB, amount }))
      : [];
  for (const time of together.length > 0 ? [400, 450, 480] : []) chain.mine(time);
  const facts = {
    ...{ final: chain.final(), balance: 1000n * cent, payouts: batch },
    refunds: isRequested ? [{ refundId: 'r-2', store: terms.store, session: terms, cents: 300n }] : [],
  };
  const calls = [
    ...(other === undefined
      ? []
      : [{ ...ASSET, id: 'ct_0', to: COLD.evm, amount: other * cent, at: 0, state: 'signed', facts }]),
    { ...ASSET, id: ID, to: COLD.evm, amount: 600n * cent, at: 0, state: 'signed', facts, ...call },
  ];
  const hashes = paid.map((cents) => chain.pay({ token, payer: WALLET.evm, recipient: to, amount: cents * cent }));
  chain.pay({ token, payer: terms.addresses.evm, recipient: WALLET.evm, amount: 500n * cent });
  for (const time of [500, 600, 700]) chain.mine(time);
  const cold = { isTreasury: true, low: 1, high: 6, perTransfer: 10n ** 12n, perHour: 10n ** 12n, ...settings };
  const { signer } = world.harness;
  world.endpoints[0]!.hasLied = changes.hasLied ?? false;
  const judged = {
    ...world,
    // The wallet has this token only.
    chains: [
      {
        ...chain,
        spec: { ...chain.spec, tokens: { USDT: chain.spec.tokens.USDT } },
        transfers: (block: number) =>
          chain.transfers(block).map((one) => (together.includes(one.hash) ? { ...one, hash: 'batch' } : one)),
      },
    ],
    firstFunds: new Map([['bsc', 12n]]),
    harness: {
      ...world.harness,
      signer: { ...signer, settings: { ...signer.settings, cold }, cold: calls, payouts: batch },
    },
    clock: { now: () => new Date(NOW) },
  } as unknown as World;
  const transfer = { ...ASSET, id: ID, status: 'completed', amount: '600', hold: null, hash: hashes[0] ?? null };
  const booked = { funding: 1200n, refill: 500n, ...books };
  const cold_rows: ColdRows = {
    cold_returns: [],
    cold_transfers: [{ ...transfer, is_drafted: true, created_at: 0, ...row } as ColdRow],
    wallet_books: (['funding', 'refill'] as const).map((kind) => ({
      ...ASSET,
      kind,
      amount: String(booked[kind] * cent),
    })),
  };
  const open = {
    ...after.refunds[0]!,
    id: 'rf2',
    refund_id: 'r-2',
    status: 'processing' as const,
    amount: '300',
    hash: null,
  };
  const attempts = [
    ...hashes.map((hash) => ({ hash, refund_id: ID, signed_at: null })),
    ...batch.map(({ id }) => ({ hash: 'batch', refund_id: id, signed_at: null })),
  ];
  const payouts = BATCH.slice(0, batch.length).map(
    ([id, cents]) => ({ ...ASSET, id, status: 'processing', amount: String(cents), hold: null }) as PayoutRow,
  );
  return {
    ...rest,
    world: judged,
    after: {
      ...{ ...after, ...cold_rows, payouts, refunds: [...after.refunds, { ...open, ...refund }] },
      attempts: [...after.attempts, ...attempts],
    },
  };
}

const ALL: readonly Check[] = [
  ...[coldTransfersPayOnce, coldTransfersLeaveWhatIsOwed, refillsAreBookedOnce, everyRefillIsBooked, coldTransfersEnd],
  ...[nothingStaysAboveTheMark, refundsGoToTheirPayers],
];

it('finds nothing when all is well', () => {
  expect(ALL.flatMap((check) => check(loop()))).toEqual([]);
});

const PENDING = { status: 'processing', hash: null } as const;

it.each<[string, Check, Changes, RegExp]>([
  ['a transfer that left twice', coldTransfersPayOnce, { paid: [600n, 600n] }, /was paid twice/],
  ['a transfer of another amount', coldTransfersPayOnce, { paid: [601n] }, /paid something else/],
  ['a transfer to somebody else', coldTransfersPayOnce, { to: BOB }, /paid something else/],
  ['a signature for another wallet', coldTransfersPayOnce, { call: { to: BOB } }, /which is not the cold wallet/],
  [
    'a transfer that the signer never signed',
    coldTransfersPayOnce,
    { call: { state: 'refused' } },
    /for no cold transfer/,
  ],
  [
    'a paid transfer that is canceled',
    coldTransfersPayOnce,
    { row: { status: 'canceled' } },
    /is canceled and was paid/,
  ],
  ['a completed transfer that never left', coldTransfersPayOnce, { paid: [] }, /no final transaction pays it/],
  ['a completed transfer of another row', coldTransfersPayOnce, { row: { amount: '599' } }, /no final transaction/],
  ['what a refund needs', coldTransfersLeaveWhatIsOwed, { refund: { amount: '401' } }, /of which 401\d* were owed/],
  [
    'what a refund needs that waits for an approval',
    coldTransfersLeaveWhatIsOwed,
    { refund: { amount: '401', hold: 'approval_needed' } },
    /of which 401\d* were owed/,
  ],
  ['what another transfer takes', coldTransfersLeaveWhatIsOwed, { other: 101n }, /of which 401\d* were owed/],
  ['what payouts need', coldTransfersLeaveWhatIsOwed, { batch: 'waiting' }, /of which 650\d* were owed/],
  [
    'a refill that is booked twice',
    refillsAreBookedOnce,
    { books: { refill: 1000n } },
    /as refill, the chain brought 5/,
  ],
  ['a refill that is booked as funding', refillsAreBookedOnce, { books: { funding: 1700n } }, /as funding, the chain/],
  ['a refill that is not booked', everyRefillIsBooked, { books: { refill: 499n } }, /sweeps brought 5/],
  ['funding that is not booked', everyRefillIsBooked, { books: { funding: 1199n } }, /funding brought 12/],
  ['a transfer that never ends', coldTransfersEnd, { row: { ...PENDING } }, /stays processing \(without a reason\)/],
  ['what stays above the mark', nothingStaysAboveTheMark, { settings: { high: 5 } }, /above its mark/],
])('finds %s', (_, check, changes, sentence) => {
  expect(check(loop(changes)).join('; ')).toMatch(sentence);
});

it.each<[string, Check, Changes]>([
  ['all that is free', coldTransfersLeaveWhatIsOwed, { refund: { amount: '400' } }],
  [
    'what a refund needs that was requested later',
    coldTransfersLeaveWhatIsOwed,
    { refund: { amount: '900' }, isRequested: false },
  ],
  ['what a canceled refund needed', coldTransfersLeaveWhatIsOwed, { refund: { amount: '900', status: 'canceled' } }],
  [
    'what nothing is reserved for',
    coldTransfersLeaveWhatIsOwed,
    { refund: { amount: '900', hold: 'insufficient_balance' } },
  ],
  [
    'what nothing was reserved for while another reason holds it',
    coldTransfersLeaveWhatIsOwed,
    { refund: { amount: '900', hold: 'approval_needed', is_reserved: false } },
  ],
  ['what each payout of a batch took that landed', coldTransfersLeaveWhatIsOwed, { batch: 'landed' }],
  ['what an endpoint hid', refillsAreBookedOnce, { books: { funding: 1700n }, hasLied: true }],
  ['a transfer that waits for a limit', coldTransfersEnd, { row: { ...PENDING, hold: 'limit' } }],
  ['a transfer that has just begun', coldTransfersEnd, { row: { ...PENDING, created_at: NOW - 60_000 } }],
  ['what the signer’s limit leaves', nothingStaysAboveTheMark, { settings: { high: 5, perTransfer: 100n } }],
])('allows %s', (_, check, changes) => {
  expect(check(loop(changes))).toEqual([]);
});
