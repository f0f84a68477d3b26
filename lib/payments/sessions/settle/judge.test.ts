import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { blockTimeMargin } from '@/lib/networks/networks';
import { judge, type Circumstances, type JudgedSession, type Payment } from './judge';

const EXPIRES = 2_000;
const session = (over: Partial<JudgedSession> = {}): JudgedSession => ({
  acceptedFrom: null,
  status: 'pending',
  amountDue: 1250n,
  networks: ['ethereum', 'bsc'],
  offeredPairs: ['ethereum-USDT', 'bsc-USDT'],
  createdAt: 1_000,
  expiresAt: EXPIRES,
  ...over,
});
let serial = 0;
const payment = (cents: bigint, over: Partial<Payment> = {}): Payment => ({
  id: String(++serial),
  network: 'ethereum',
  currency: 'USDT',
  amount: cents * 10_000n,
  decimals: 6,
  blockTime: 1_500,
  transactionHash: `0x${serial}`,
  ordinal: 0,
  decision: null,
  returned: 0n,
  kept: 0n,
  ...over,
});
const at = (over: Partial<Circumstances> = {}): Circumstances => ({
  now: 1_600,
  scannedThrough: { ethereum: 1_590, bsc: 1_599 },
  seen: [],
  holdSeconds: 3600,
  ...over,
});
const over = at({ now: 2_010, scannedThrough: { ethereum: EXPIRES, bsc: EXPIRES + 5 } });

test('rejects a payment from before the session, beyond the clock margin, until it is accepted', () => {
  for (const network of ['ethereum', 'bsc', 'tron', 'solana']) {
    const offered = session({ networks: [network], offeredPairs: [`${network}-USDT`] });
    const margin = blockTimeMargin(network);
    const inTime = payment(1250n, { network, blockTime: 1_000 - margin });
    const early = payment(1250n, { network, blockTime: 1_000 - margin - 1 });
    expect(judge(offered, [inTime], at()).move).toBe('complete');
    expect(judge(offered, [early], at())).toMatchObject({ move: null, received: 0n, exception: 'early' });
    expect(judge(offered, [], at({ now: 9_000, seen: [early] })).move).toBe('expire');
    expect(judge(offered, [{ ...early, decision: 'accepted' }], at()).move).toBe('complete');
    expect(judge(offered, [early, payment(1250n, { network })], at())).toMatchObject({
      move: 'complete',
      received: 1250n,
      exception: 'early',
    });
  }
});

describe('a session is paid', () => {
  test('the exact amount completes it; one base unit less does not', () => {
    expect(judge(session(), [payment(1250n)], at())).toMatchObject({
      move: 'complete',
      received: 1250n,
      exception: 'none',
    });
    const short = payment(1250n, { amount: 12_499_999n });
    expect(judge(session(), [short], at())).toMatchObject({ move: null, received: 1249n, exception: 'partial' });
  });

  test('parts on several networks with different decimals add up exactly', () => {
    const parts = [
      payment(1000n),
      payment(250n, { network: 'bsc', amount: 250n * 10n ** 16n, decimals: 18, blockTime: 1_501 }),
    ];
    const verdict = judge(session(), parts, at());
    expect(verdict).toMatchObject({ move: 'complete', received: 1250n, exception: 'none' });
    expect(verdict.completedBy).toBe(parts[1]);
  });

  test('an overpayment completes it and is marked', () => {
    expect(judge(session(), [payment(1300n)], at())).toMatchObject({
      move: 'complete',
      received: 1300n,
      exception: 'over',
    });
  });

  test('a payment in a block before the expiry counts, however late it is found', () => {
    expect(judge(session(), [payment(1250n, { blockTime: EXPIRES - 1 })], over)).toMatchObject({ move: 'complete' });
  });
});

describe('uncounted payments', () => {
  test.each([
    ['another token', { currency: 'USDC' }, 'wrong_token'],
    ['a network that was not offered', { network: 'solana' }, 'wrong_network'],
    ['a block at the moment of expiry', { blockTime: EXPIRES }, 'late'],
  ] as const)('%s is recorded as such and pays nothing', (_, change, exception) => {
    expect(judge(session(), [payment(1250n, change)], at())).toMatchObject({ move: null, received: 0n, exception });
  });

  test('a token counts only on the networks where the session offers that pair', () => {
    const offering = session({ offeredPairs: ['ethereum-USDT', 'bsc-USDT', 'bsc-USDC'] });
    const paidOn = (network: string) => judge(offering, [payment(1250n, { currency: 'USDC', network })], at());
    expect(paidOn('bsc')).toMatchObject({ move: 'complete', exception: 'none' });
    expect(paidOn('ethereum')).toMatchObject({ move: null, received: 0n, exception: 'wrong_token' });
  });

  test('a payment below a cent adds to the amount received and is never an exception', () => {
    const dust = (change: Partial<Payment> = {}) => payment(0n, { amount: 9_999n, ...change });
    const odd = [dust({ network: 'solana' }), dust({ currency: 'USDC' }), dust({ blockTime: EXPIRES })];
    expect(judge(session(), odd, at())).toMatchObject({ move: null, received: 0n, exception: 'none' });
    expect(judge(session(), [dust()], over)).toMatchObject({ move: 'expire', exception: 'none' });
    expect(judge(session(), [dust(), payment(1249n), dust({ amount: 1n })], at())).toMatchObject({ move: 'complete' });
    expect(judge(session(), [payment(1250n), dust()], at())).toMatchObject({ move: 'complete', exception: 'none' });
  });

  test('after a cancel every payment is late, whenever it was mined', () => {
    expect(judge(session({ status: 'canceled' }), [payment(1250n)], at())).toMatchObject({
      move: null,
      received: 0n,
      exception: 'late',
    });
  });
});

describe('a payment that is found after the close', () => {
  test('of an expired session is late, though it was mined in time and pays the whole price', () => {
    expect(judge(session({ status: 'expired' }), [payment(1250n)], over)).toMatchObject({
      move: null,
      received: 0n,
      exception: 'late',
    });
  });

  test('of a failed session is late when it would have made it paid', () => {
    const parts = [payment(100n), payment(1150n)];
    expect(judge(session({ status: 'failed' }), parts, over)).toMatchObject({ move: null, exception: 'late' });
    expect(judge(session({ status: 'failed' }), [payment(100n)], over)).toMatchObject({ exception: 'partial' });
  });
});

describe('an unpaid session', () => {
  test('expires only when every offered network was read past its expiry', () => {
    expect(judge(session(), [], over).move).toBe('expire');
    expect(
      judge(session(), [], at({ now: 2_010, scannedThrough: { ethereum: EXPIRES - 1, bsc: 9_999 } })).move,
    ).toBeNull();
    expect(judge(session(), [], at({ now: 2_010, scannedThrough: { ethereum: 9_999 } })).move).toBeNull();
  });

  test('does not expire early, even if the chains run ahead', () => {
    expect(
      judge(session(), [], at({ now: EXPIRES - 1, scannedThrough: { ethereum: 9_999, bsc: 9_999 } })).move,
    ).toBeNull();
  });

  test('fails after a partial payment', () => {
    expect(judge(session(), [payment(100n)], over)).toMatchObject({ move: 'fail', received: 100n });
  });

  test('does not wait forever for a network that was removed', () => {
    const gone = at({ now: EXPIRES + 3600, scannedThrough: { ethereum: null, bsc: null } });
    expect(judge(session(), [], gone).move).toBe('expire');
  });

  test('is not closed while a sufficient payment is unconfirmed', () => {
    const gone = at({ now: EXPIRES + 9_999, seen: [payment(1250n)] });
    expect(judge(session(), [], gone).move).toBeNull();
    expect(judge(session(), [], { ...gone, seen: [payment(1249n)] }).move).toBe('expire');
  });
});

describe('a session that is closed', () => {
  const CLOSED = ['expired', 'canceled', 'failed'] as const;

  test.each(CLOSED)(
    'and %s is completed by an accepted payment that reaches the price, and by no smaller one',
    (status) => {
      const closed = session({ status });
      const accepted = (cents: bigint) => payment(cents, { blockTime: EXPIRES + 1, decision: 'accepted' });
      expect(judge(closed, [accepted(1250n)], over)).toMatchObject({
        move: 'accept',
        received: 1250n,
        exception: 'none',
      });
      expect(judge(closed, [accepted(1249n)], over)).toMatchObject({
        move: null,
        received: 1249n,
        exception: 'partial',
      });
      expect(judge(closed, [accepted(650n), accepted(600n)], over).move).toBe('accept');
    },
  );

  test('and failed waits for a decision although its parts reach the price; one accepted part is enough', () => {
    const failed = session({ status: 'failed' });
    const parts = [payment(650n), payment(600n)];
    expect(judge(failed, parts, over)).toMatchObject({ move: null, exception: 'late' });
    expect(judge(failed, [payment(650n, { decision: 'accepted' }), payment(600n)], over)).toMatchObject({
      move: 'accept',
      exception: 'none',
    });
  });

  test('and completed never moves again, and an exact payment of it is no exception', () => {
    const completed = session({ status: 'completed' });
    expect(judge(completed, [payment(1250n)], at())).toMatchObject({ move: null, exception: 'none' });
    expect(judge(completed, [payment(1250n, { decision: 'accepted' })], at()).move).toBeNull();
  });
});

describe('a decision about a payment', () => {
  test('to keep it ends the exception, and the payment counts', () => {
    const late = payment(1250n, { blockTime: EXPIRES, decision: 'kept' });
    expect(judge(session(), [late], at())).toMatchObject({ move: 'complete', received: 1250n, exception: 'none' });
  });

  test('to refund it ends the exception, and the payment does not count', () => {
    const wrong = payment(1250n, { currency: 'USDC', decision: 'refund' });
    expect(judge(session(), [wrong], at())).toMatchObject({ move: null, received: 0n, exception: 'none' });
  });

  test('leaves out what goes back to the sender', () => {
    expect(judge(session(), [payment(1300n, { returned: 60n * 10_000n })], at())).toMatchObject({
      move: null,
      received: 1240n,
      exception: 'partial',
    });
  });

  test('to keep a surplus ends the overpayment when it is about all of it', () => {
    const paid = (kept: bigint) => [payment(1250n), payment(50n, { kept: kept * 10_000n })];
    expect(judge(session(), paid(50n), at())).toMatchObject({ received: 1300n, exception: 'none' });
    expect(judge(session(), paid(49n), at())).toMatchObject({ received: 1300n, exception: 'over' });
    const kept = [payment(1300n, { kept: 20n * 10_000n }), payment(20n, { kept: 20n * 10_000n })];
    expect(judge(session(), kept, at())).toMatchObject({ exception: 'over' });
  });
});

test('a session expires from the first second on in which it is over', () => {
  const scanned = { ethereum: EXPIRES, bsc: EXPIRES };
  expect(judge(session(), [], at({ now: EXPIRES, scannedThrough: scanned })).move).toBe('expire');
});

test('payments of one block are ordered by transaction and then by their place in it, however they were found', () => {
  const first = payment(1250n, { transactionHash: '0xa', ordinal: 2 });
  const second = payment(1250n, { transactionHash: '0xb', ordinal: 1 });
  const third = payment(1250n, { transactionHash: '0xb', ordinal: 3 });
  for (const found of [
    [first, second],
    [second, first],
    [third, second, first],
    [first, third, second],
  ]) {
    expect(judge(session(), found, at()).completedBy).toBe(first);
  }
  for (const found of [
    [second, third],
    [third, second],
  ]) {
    expect(judge(session(), found, at()).completedBy).toBe(second);
  }
});

test('the verdict depends on the set of payments, never on their order', () => {
  const some = fc.array(
    fc.record({ cents: fc.bigInt({ min: 1n, max: 2000n }), blockTime: fc.integer({ min: 1, max: 3000 }) }),
    { maxLength: 8 },
  );
  fc.assert(
    fc.property(some, fc.infiniteStream(fc.nat()), (drawn, random) => {
      const payments = drawn.map(({ cents, blockTime }) => payment(cents, { blockTime }));
      const shuffled = payments
        .map((one) => ({ one, key: random.next().value as number }))
        .toSorted((a, b) => a.key - b.key)
        .map(({ one }) => one);
      expect(judge(session(), shuffled, over)).toEqual(judge(session(), payments, over));
    }),
  );
});

test('a session that is not pending never moves, and one that is paid was paid in full', () => {
  const statuses = fc.constantFrom('pending', 'completed', 'expired', 'canceled', 'failed') as fc.Arbitrary<
    JudgedSession['status']
  >;
  fc.assert(
    fc.property(statuses, fc.array(fc.bigInt({ min: 1n, max: 3000n }), { maxLength: 5 }), (status, amounts) => {
      const verdict = judge(
        session({ status }),
        amounts.map((cents) => payment(cents)),
        over,
      );
      if (status !== 'pending') expect(verdict.move).toBeNull();
      else expect(verdict.move === 'complete').toBe(verdict.received >= 1250n);
    }),
  );
});
