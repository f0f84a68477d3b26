import { describe, expect, test } from 'vitest';
import type { SessionStatus } from '@/prisma/generated/enums';
import type { JudgedTransfer, TransferException } from './exceptions';
import { verdictOf } from './verdict';

const CENT = 10_000n;
const EXPIRES = 2_000;
const at = { now: 3_000, holdSeconds: 0, seen: [], scannedThrough: { ethereum: 3_000 } };

const verdict = (transfers: JudgedTransfer[], status: SessionStatus = 'pending', amountDue = 1250n) =>
  verdictOf(
    {
      ...{ status, acceptedFrom: null, amountDue, networks: ['ethereum'], offeredPairs: ['ethereum-USDT'] },
      ...{ createdAt: 1_000, expiresAt: EXPIRES, transfers },
    },
    at,
  );
const transfer = (id: string, amount: bigint, change: Partial<JudgedTransfer> = {}): JudgedTransfer => ({
  ...{ id, network: 'ethereum', currency: 'USDT', amount, decimals: 6, blockTime: 1_500, transactionHash: `0x${id}` },
  ...{ ordinal: 0, decision: null, returned: 0n, unresolved: null, exception: null },
  ...change,
});
const late = (id: string, cents: bigint, blockTime: number): JudgedTransfer => {
  const exception: TransferException = { id, kind: 'late', state: 'accepted', amount: cents * CENT, counted: 0n };
  return transfer(id, cents * CENT, { blockTime, decision: 'accepted', unresolved: cents * CENT, exception });
};
/** A payment above the price, with this decision about it. */
const surplus = (state: TransferException['state'], counted = 0n): JudgedTransfer =>
  transfer('2', 50n * CENT, {
    ...{ decision: 'accepted', unresolved: 0n, returned: state === 'refund' ? 50n * CENT : 0n },
    exception: { id: '7', kind: 'over', state, amount: 50n * CENT, counted },
  });

describe('a completed session', () => {
  test('is overpaid while a surplus waits for a decision', () => {
    expect(verdict([transfer('1', 1300n * CENT)])).toMatchObject({
      move: 'complete',
      received: 1300n,
      exception: 'over',
    });
    const paid = transfer('1', 1250n * CENT, { unresolved: 0n });
    for (const [state, exception] of [
      ['open', 'over'],
      ['left', 'over'],
      ['kept', 'none'],
      ['refund', 'none'],
    ] as const) {
      expect([state, verdict([paid, surplus(state)], 'completed').exception]).toEqual([state, exception]);
    }
  });

  test('is not overpaid by dust, whatever its sum: dust belongs to the store and needs no decision', () => {
    const dust = [transfer('2', 6_000n), transfer('3', 6_000n)];
    expect(verdict([transfer('1', 1250n * CENT), ...dust])).toMatchObject({ received: 1251n, exception: 'none' });
    // Nor does dust that came first make a surplus of an exact payment.
    const first = dust.map((one) => ({ ...one, blockTime: 1_100 }));
    expect(verdict([...first, transfer('1', 1250n * CENT)])).toMatchObject({ move: 'complete', exception: 'none' });
  });

  test('is overpaid by a payment that comes after dust had made its whole price', () => {
    const dust = [transfer('1', 6_000n, { unresolved: 0n }), transfer('2', 6_000n, { unresolved: 0n })];
    expect(verdict([...dust, transfer('3', CENT)], 'completed', 1n)).toMatchObject({ exception: 'over' });
  });
});

test('a session that an acceptance completes announces only the payments that its price needed', () => {
  const given = [late('1', 1250n, EXPIRES), late('2', 1249n, EXPIRES + 1)];
  expect(verdict(given, 'expired')).toMatchObject({ move: 'accept', received: 1250n, exception: 'late' });
});
