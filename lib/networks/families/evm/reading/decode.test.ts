// What a receipt proves: who ordered a payment, because only a payer who called the token directly is refunded automatically, and
// what left a watched address.

import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { networkSpec } from '@/lib/networks/networks';
import { transferLog } from '@/testing/evm/fake-evm-node';
import { proveTransaction } from './decode';
import { receipt as receiptShape, type Receipt } from '@/lib/networks/families/evm/shapes';

const spec = networkSpec('live', 'ethereum', 'public')!;
const USDT = spec.tokens.USDT!.contract;
const [PAYER, OURS, OTHER] = [`0x${'a1'.repeat(20)}`, `0x${'b2'.repeat(20)}`, `0x${'c3'.repeat(20)}`] as const;
const block = { number: 7, hash: `0x${'77'.repeat(32)}`, parentHash: `0x${'66'.repeat(32)}`, time: 1_800_000_000 };
const transactionHash = `0x${'99'.repeat(32)}`;

function isPlain(over: { from?: string | null; to?: string | null }): boolean | undefined {
  const place = { blockNumber: '0x7', blockHash: block.hash, transactionHash, logIndex: '0x0' };
  const logs = [{ ...transferLog(USDT, PAYER, OURS, 5_000_000n), ...place }];
  const receipt = receiptShape.parse({ ...place, status: '0x1', logs, ...over })!;
  const found = receipt.logs;
  return proveTransaction({ spec, receipt, block, found, watched: new Set([OURS]) }).transfers[0]?.isPlain;
}

test.each([
  ['the payer calls the token', { from: PAYER.toUpperCase().replace('0X', '0x'), to: USDT }, true],
  ['a relayer moves the payer’s coins', { from: OTHER, to: USDT }, false],
  ['the payer calls a bridge, a swap or a batch', { from: PAYER, to: OTHER }, false],
  ['the payer creates a contract', { from: PAYER, to: null }, false],
  ['the node does not say who called what', {}, false],
])('when %s, the payer ordered the payment: %#', (_what, over, expected) => {
  expect(isPlain(over as Parameters<typeof isPlain>[0])).toBe(expected);
});

type Moved = readonly [from: string, to: string, amount: bigint];
const receiptOf = (moves: readonly Moved[], over: object = {}): Receipt => {
  const place = { blockNumber: '0x7', blockHash: block.hash, transactionHash };
  const logs = moves.map(([from, to, amount], n) => ({
    ...transferLog(USDT, from, to, amount),
    ...place,
    logIndex: `0x${n.toString(16)}`,
  }));
  return receiptShape.parse({ ...place, status: '0x1', logs, ...over })!;
};
/** `listed`: the logs that the scan found. */
const prove = (receipt: Receipt, listed: readonly number[], { watched = [OURS] } = {}) =>
  proveTransaction({
    spec,
    receipt,
    block,
    found: listed.map((n) => receipt.logs[n]!),
    watched: new Set(watched),
  });

describe('a transfer out of a watched address', () => {
  it('is outgoing with its sender, recipient and position', () => {
    const receipt = receiptOf(
      [
        [PAYER, OTHER, 1n],
        [OURS, OTHER, 5n],
      ],
      { from: OURS, to: USDT },
    );
    expect(prove(receipt, [1])).toEqual({
      transfers: [],
      outgoing: [
        {
          transactionHash,
          ordinal: 1,
          blockNumber: 7,
          blockHash: block.hash,
          blockTime: block.time,
          currency: 'USDT',
          contract: USDT,
          payer: OURS,
          recipient: OTHER,
          amount: 5n,
          isPlain: true,
        },
      ],
    });
  });

  it('counts less what the address received in the same transaction', () => {
    const back = prove(
      receiptOf([
        [OURS, OTHER, 5n],
        [OTHER, OURS, 2n],
      ]),
      [0, 1],
    );
    expect(back).toMatchObject({ transfers: [], outgoing: [{ ordinal: 0, amount: 3n }] });
    expect(
      prove(
        receiptOf([
          [OURS, OTHER, 5n],
          [OTHER, OURS, 5n],
        ]),
        [0, 1],
      ),
    ).toEqual({ transfers: [], outgoing: [] });
  });

  it('to another watched address is outgoing of the one and a payment to the other', () => {
    const { transfers, outgoing } = prove(receiptOf([[OURS, OTHER, 5n]]), [0], { watched: [OURS, OTHER] });
    expect(transfers).toMatchObject([{ payer: OURS, recipient: OTHER, amount: 5n }]);
    expect(outgoing).toEqual(transfers);
  });

  it.each([
    ['hides it', [0]],
    ['invents another one', [0, 1, 2]],
  ])('contradicts a list that %s', (_what, listed) => {
    const receipt = receiptOf([
      [PAYER, OURS, 9n],
      [OURS, OTHER, 5n],
      [PAYER, OTHER, 1n],
    ]);
    expect(() => prove(receipt, listed)).toThrow('has other transfers in its receipt than were listed');
  });

  it('of a failed transaction is a contradiction', () => {
    const receipt = receiptOf([[OURS, OTHER, 5n]], { status: '0x0' });
    expect(() => prove(receipt, [0])).toThrow('failed, and yet a transfer of it was listed');
  });
});

it('payments minus outgoing transfers equal the change of every watched balance, for any receipt', () => {
  const people = [PAYER, OURS, OTHER];
  const move = fc.tuple(fc.constantFrom(...people), fc.constantFrom(...people), fc.bigInt({ min: 0n, max: 99n }));
  fc.assert(
    fc.property(fc.array(move, { maxLength: 10 }), fc.subarray(people), (moves, watched) => {
      const moving = moves.flatMap(([from, to, amount], n) =>
        from !== to && amount > 0n && (watched.includes(from) || watched.includes(to)) ? [n] : [],
      );
      const { transfers, outgoing } = prove(receiptOf(moves), moving, { watched });
      const total = (amounts: readonly bigint[]) => amounts.reduce((sum, one) => sum + one, 0n);
      for (const us of watched) {
        const [got, gave] = [
          total(transfers.flatMap(({ recipient, amount }) => (recipient === us ? [amount] : []))),
          total(outgoing.flatMap(({ payer, amount }) => (payer === us ? [amount] : []))),
        ];
        const change = total(
          moves.map(([from, to, amount]) => (to === us ? amount : 0n) - (from === us ? amount : 0n)),
        );
        expect(got - gave).toBe(change);
      }
    }),
  );
});
