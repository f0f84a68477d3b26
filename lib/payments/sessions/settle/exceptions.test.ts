import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toCommon } from '@/lib/money/amounts';
import type { SessionStatus } from '@/prisma/generated/enums';
import { sharesOf, type JudgedTransfer, type TransferException } from './exceptions';
import type { JudgedSession } from './judge';

const PRICE = 1250n;
const CENT = 10_000n;
const session = (status: SessionStatus): JudgedSession => ({
  status,
  acceptedFrom: null,
  amountDue: PRICE,
  networks: ['ethereum', 'bsc'],
  offeredPairs: ['ethereum-USDT', 'bsc-USDT'],
  createdAt: 1_000,
  expiresAt: 2_000,
});
/** Base units of a token with six decimals. */
const transfer = (id: string, amount: bigint, over: Partial<JudgedTransfer> = {}): JudgedTransfer => ({
  id,
  network: 'ethereum',
  currency: 'USDT',
  amount,
  decimals: 6,
  blockTime: 1_500,
  transactionHash: `0x${id}`,
  ordinal: 0,
  decision: null,
  returned: 0n,
  kept: 0n,
  unresolved: null,
  exception: null,
  ...over,
});
const exception = (over: Partial<TransferException> = {}): TransferException => ({
  id: '7',
  kind: 'late',
  state: 'accepted',
  amount: 0n,
  counted: 0n,
  ...over,
});
const shares = (status: SessionStatus, transfers: readonly JudgedTransfer[], isCompletedNow = false) => {
  const { toStore, newExceptions, countedExceptions } = sharesOf(session(status), transfers, {
    status,
    isCompletedNow,
  });
  return {
    toStore: Object.fromEntries(toStore),
    opened: newExceptions.map(({ transfer: { id }, kind, amount }) => [id, kind, amount]),
    counted: countedExceptions,
  };
};
const completing = (transfers: readonly JudgedTransfer[]) => shares('completed', transfers, true);
const NOTHING = { toStore: {}, opened: [], counted: [] };
/** An amount that does not count, for each reason. */
const OBJECTIONS = [
  ['early', { blockTime: 0 }],
  ['wrong_network', { network: 'solana' }],
  ['wrong_token', { currency: 'USDC' }],
  ['late', { blockTime: 2_000 }],
] as const;

describe('a payment that does not count', () => {
  test.each(OBJECTIONS)('opens one exception about all of it: %s', (kind, over) => {
    for (const status of ['pending', 'failed', 'completed'] as const) {
      expect(shares(status, [transfer('a', 300n * CENT, over)])).toEqual({
        ...NOTHING,
        opened: [['a', kind, 300n * CENT]],
      });
    }
  });

  test.each(OBJECTIONS)('opens none below a cent, and none a second time: %s', (_, over) => {
    expect(shares('pending', [transfer('a', CENT - 1n, over)])).toEqual(NOTHING);
    expect(shares('pending', [transfer('a', CENT, { ...over, exception: exception({ state: 'open' }) })])).toEqual(
      NOTHING,
    );
  });
});

describe('a session that is not paid', () => {
  test.each(['pending', 'expired', 'canceled'] as const)('assigns no payment that counts while it is %s', (status) => {
    expect(shares(status, [transfer('a', 100n * CENT, { decision: 'accepted' })])).toEqual(NOTHING);
  });

  test('opens an exception about each part once it failed, but not below a cent', () => {
    const parts = [
      transfer('a', 100n * CENT),
      transfer('b', CENT - 1n),
      transfer('c', CENT),
      transfer('d', CENT, { exception: exception({ state: 'open', kind: 'unfinished' }) }),
    ];
    expect(shares('failed', parts)).toEqual({
      ...NOTHING,
      opened: [
        ['a', 'unfinished', 100n * CENT],
        ['c', 'unfinished', CENT],
      ],
    });
  });
});

describe('the session that is completed now', () => {
  test('gives the store the price, in the order of the chain, and opens an exception about the surplus', () => {
    const [first, second, third] = [
      transfer('1', 1_000n * CENT, { blockTime: 1_100 }),
      transfer('2', 400n * CENT, { blockTime: 1_200 }),
      transfer('3', 50n * CENT, { blockTime: 1_300 }),
    ];
    expect(completing([third, second, first])).toEqual({
      toStore: { '1': 1_000n * CENT, '2': 250n * CENT },
      opened: [
        ['2', 'over', 150n * CENT],
        ['3', 'over', 50n * CENT],
      ],
      counted: [],
    });
  });

  test('takes accepted payments first, so that a merchant who accepts one keeps it', () => {
    const early = transfer('1', PRICE * CENT, { blockTime: 1_100 });
    const accepted = transfer('2', 1_000n * CENT, {
      blockTime: 1_900,
      decision: 'accepted',
      exception: exception({ id: '42' }),
    });
    for (const found of [
      [early, accepted],
      [accepted, early],
    ]) {
      expect(completing(found)).toEqual({
        toStore: { '1': 250n * CENT, '2': 1_000n * CENT },
        opened: [['1', 'over', 1_000n * CENT]],
        counted: [{ id: '42', state: 'accepted', counted: 1_000n * CENT }],
      });
    }
  });

  test('leaves the surplus of an accepted payment open', () => {
    const accepted = transfer('1', 2_000n * CENT, { decision: 'accepted', exception: exception({ id: '42' }) });
    expect(completing([accepted])).toEqual({
      toStore: { '1': PRICE * CENT },
      opened: [],
      counted: [{ id: '42', state: 'open', counted: PRICE * CENT }],
    });
  });

  test('opens an accepted payment again of which the price needed nothing', () => {
    const [first, second] = [
      transfer('1', PRICE * CENT, { blockTime: 1_100, decision: 'accepted', exception: exception({ id: '41' }) }),
      transfer('2', 300n * CENT, { blockTime: 1_200, decision: 'accepted', exception: exception({ id: '42' }) }),
    ];
    expect(completing([second, first])).toEqual({
      toStore: { '1': PRICE * CENT },
      opened: [],
      counted: [
        { id: '41', state: 'accepted', counted: PRICE * CENT },
        { id: '42', state: 'open', counted: 0n },
      ],
    });
  });

  test('counts a part whose exception is open, and does not touch that of a payment it needs nothing of', () => {
    const part = transfer('1', 500n * CENT, { blockTime: 1_100, exception: exception({ id: '41', state: 'open' }) });
    const rest = transfer('2', 750n * CENT, { blockTime: 1_200 });
    const later = transfer('3', 10n * CENT, { blockTime: 1_300, exception: exception({ id: '43', state: 'open' }) });
    expect(completing([part, rest, later])).toEqual({
      toStore: { '1': 500n * CENT, '2': 750n * CENT },
      opened: [],
      counted: [{ id: '41', state: 'accepted', counted: 500n * CENT }],
    });
  });

  test('keeps a surplus below a cent with the store, and a surplus of exactly a cent apart', () => {
    expect(completing([transfer('1', PRICE * CENT + CENT - 1n)])).toEqual({
      ...NOTHING,
      toStore: { '1': PRICE * CENT + CENT - 1n },
    });
    expect(completing([transfer('1', PRICE * CENT + CENT)])).toEqual({
      ...NOTHING,
      toStore: { '1': PRICE * CENT },
      opened: [['1', 'over', CENT]],
    });
  });

  test('takes nothing from a payment that is to be refunded', () => {
    const refunded = transfer('1', 500n * CENT, { decision: 'refund', exception: exception({ state: 'refund' }) });
    expect(completing([refunded, transfer('2', PRICE * CENT)])).toEqual({
      ...NOTHING,
      toStore: { '2': PRICE * CENT },
    });
  });

  test('gives the store every payment below a cent, also in a token that it does not offer', () => {
    const dust = [transfer('2', 5n), transfer('3', 6n, { currency: 'USDC' }), transfer('4', 7n, { blockTime: 5_000 })];
    expect(completing([transfer('1', PRICE * CENT), ...dust])).toEqual({
      ...NOTHING,
      toStore: { '1': PRICE * CENT, '2': 5n, '3': 6n, '4': 7n },
    });
    const decided = transfer('2', 5n, { currency: 'USDC', exception: exception({ state: 'open' }) });
    expect(completing([transfer('1', PRICE * CENT), decided]).toStore).toEqual({ '1': PRICE * CENT });
  });

  test('adds tokens of different decimals exactly, and rounds a surplus down to a base unit of its token', () => {
    const precise = transfer('1', 1_000n * 10n ** 16n + 1n, { network: 'bsc', decimals: 18, blockTime: 1_100 });
    const coarse = transfer('2', 300n * CENT, { blockTime: 1_200 });
    // The price needs 250 cents less one unit of eighteen decimals. Six decimals cannot express the surplus of 50 cents and that unit.
    expect(completing([precise, coarse])).toEqual({
      toStore: { '1': 1_000n * 10n ** 16n + 1n, '2': 250n * CENT },
      opened: [['2', 'over', 50n * CENT]],
      counted: [],
    });
  });

  test('divides all money into the price and surplus: nothing is lost and the store lacks nothing', () => {
    const parts = fc.array(
      fc.record({
        cents: fc.bigInt({ min: 0n, max: 2_000n }),
        units: fc.bigInt({ min: 0n, max: 9_999n }),
        blockTime: fc.integer({ min: 1_000, max: 1_999 }),
        isAccepted: fc.boolean(),
      }),
      { minLength: 1, maxLength: 6 },
    );
    fc.assert(
      fc.property(parts, (drawn) => {
        const transfers = drawn.map(({ cents, units, blockTime, isAccepted }, n) =>
          transfer(`${n}`, cents * CENT + units, {
            blockTime,
            ...(isAccepted ? { decision: 'accepted' as const, exception: exception({ id: `${n}` }) } : {}),
          }),
        );
        const all = transfers.reduce((sum, { amount }) => sum + amount, 0n);
        fc.pre(all >= PRICE * CENT);
        const { toStore, opened, counted } = completing(transfers);
        const stored = Object.values(toStore).reduce((sum, one) => sum + one, 0n);
        const surplus = opened.reduce((sum, [, , amount]) => sum + (amount as bigint), 0n);
        const reopened = counted.reduce(
          (sum, one) => sum + (transfers.find(({ id }) => id === one.id)?.amount ?? 0n) - one.counted,
          0n,
        );
        expect(stored).toBeGreaterThanOrEqual(PRICE * CENT);
        // Less than a cent of each transfer stays with the store.
        expect(stored - PRICE * CENT).toBeLessThan(BigInt(transfers.length) * CENT);
        expect(toCommon(stored + surplus + reopened, 6)).toBe(toCommon(all, 6));
      }),
    );
  });
});

describe('a session that was completed before', () => {
  test('opens an exception about each further payment of a cent or more, and assigns none to the store', () => {
    const posted = transfer('1', PRICE * CENT, { unresolved: 0n });
    expect(shares('completed', [posted, transfer('2', 300n * CENT), transfer('3', CENT)])).toEqual({
      ...NOTHING,
      opened: [
        ['2', 'over', 300n * CENT],
        ['3', 'over', CENT],
      ],
    });
  });

  test('gives the store a further payment below a cent', () => {
    expect(shares('completed', [transfer('2', CENT - 1n)])).toEqual({ ...NOTHING, toStore: { '2': CENT - 1n } });
  });

  test('opens no second exception about a payment', () => {
    const decided = transfer('2', 300n * CENT, { exception: exception({ state: 'left', kind: 'over' }) });
    expect(shares('completed', [decided])).toEqual(NOTHING);
  });
});
