// The fraud catalogue (docs/network-facts.md#fraud-catalogue) as far as it applies to detecting payments on Solana. Every row runs on a
// programmable node twice: for crediting, and for display above finality.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AccountCursor } from '@/lib/networks/chain';
import { openTestClock, silentLog } from '@/testing/chain-clock';
import { payment, type FakeSolanaNode } from '@/testing/solana/fake-solana-node';
import { fakeKey, TOKEN_2022, type FakeTransaction } from '@/testing/solana/solana-ledger';
import { watching } from '@/testing/watching/watching';
import {
  ata,
  becomes,
  brief,
  FAKE_MINT,
  localSolana,
  OTHER,
  OURS,
  pay,
  PAYER,
  side,
  startSolana,
  STRANGER,
  T0,
  usdc,
  usdt,
} from '@/testing/solana/solana-scene';
import { openSolanaAdapter } from './adapter';

const AUXILIARY = fakeKey('auxiliary account of ours');
const paid = (amount: bigint, over: object = {}) => ({
  currency: 'USDT',
  payer: PAYER,
  recipient: OURS,
  amount,
  ordinal: 2,
  ...over,
});
const holds = (owner: string, amount: bigint, over: object = {}) => ({ mint: usdt, owner, amount, ...over });

type Row = {
  row: string;
  mistake: string;
  /** Earlier transactions. */
  before?: (node: FakeSolanaNode) => FakeTransaction[];
  /** Earlier transactions have been found already and are covered by the account cursors. */
  known?: true;
  transactions: (node: FakeSolanaNode) => FakeTransaction[];
  expected: object[];
  /** The result above finality if it differs: only the final scan reads behind an unchanged amount, in rotation. */
  expectedAbove?: object[];
};

const table: Row[] = [
  {
    row: '1 fake mint of the same name',
    mistake: 'the symbol decides',
    transactions: (node) => [pay(node, 5n, OURS, FAKE_MINT), pay(node, 7n)],
    expected: [paid(7n)],
  },
  {
    row: '3 failed transaction',
    mistake: 'the parsed transfer instruction counts, meta.err is not read',
    transactions: (node) => [{ ...pay(node, 5n), err: { InstructionError: [0, { Custom: 1 }] } }],
    expected: [],
  },
  {
    row: '3 failed transaction before a good one',
    mistake: 'a history that begins with a failure is dropped',
    transactions: (node) => [{ ...pay(node, 5n), err: 'AccountInUse' }, pay(node, 6n)],
    expected: [paid(6n)],
  },
  {
    row: '8 zero value',
    mistake: 'any transaction that mentions the account counts as a payment',
    transactions: (node) => [pay(node, 0n), { mentions: [ata(OURS)] }, pay(node, 1n)],
    expected: [paid(1n)],
  },
  {
    row: '9 paid by a delegate',
    mistake: 'the fee payer or signer is the payer',
    transactions: (node) => [{ ...pay(node, 9n), feePayer: STRANGER }],
    expected: [paid(9n)],
  },
  {
    row: '10, 22 paid by an inner instruction, a batch or a swap',
    mistake: 'only parsed top-level instructions are read',
    transactions: () => [
      {
        changes: [
          becomes(ata(PAYER, usdc), { mint: usdc, owner: PAYER, amount: 10n ** 15n - 40n }),
          becomes(ata(STRANGER, usdc), { mint: usdc, owner: STRANGER, amount: 40n }),
          becomes(ata(STRANGER), holds(STRANGER, 96n)),
          becomes(ata(OURS), holds(OURS, 4n)),
        ],
      },
    ],
    before: () => [{ changes: [becomes(ata(STRANGER), holds(STRANGER, 100n))] }],
    // The pool paid, in the token that arrived.
    expected: [paid(4n, { payer: STRANGER, ordinal: 4 })],
  },
  {
    row: '10 newly issued to us',
    mistake: 'a gain without a payer is ignored or an error',
    transactions: () => [{ changes: [becomes(ata(OURS), holds(OURS, 4n))] }],
    expected: [paid(4n, { payer: fakeKey('fee payer'), ordinal: 1 })],
  },
  {
    row: '11 several payments in one transaction',
    mistake: 'one payment per signature',
    transactions: (node) => [
      {
        changes: [
          ...pay(node, 11n).changes!.slice(0, 1),
          becomes(ata(OURS), holds(OURS, 5n)),
          becomes(ata(OTHER), holds(OTHER, 6n)),
          ...payment(node, { from: side(PAYER, usdc), to: side(OURS, usdc), mint: usdc, amount: 7n }).changes!,
        ],
      },
    ],
    expected: [paid(5n), paid(6n, { recipient: OTHER, ordinal: 3 }), paid(7n, { currency: 'USDC', ordinal: 5 })],
  },
  {
    row: '12 a fee is kept back',
    mistake: 'the amount of the instruction counts',
    transactions: (node) => [
      {
        changes: [
          ...pay(node, 100n).changes!.slice(0, 1),
          becomes(ata(OURS), holds(OURS, 99n)),
          becomes(ata(STRANGER), holds(STRANGER, 1n)),
        ],
      },
    ],
    expected: [paid(99n)],
  },
  {
    row: '16 the other stablecoin',
    mistake: 'counted as the requested one',
    transactions: (node) => [pay(node, 8n, OURS, usdc)],
    expected: [paid(8n, { currency: 'USDC' })],
  },
  {
    row: '18 frozen by the issuer',
    mistake: 'only initialised accounts are read, and the payment is missed',
    transactions: (node) => [pay(node, 8n), { changes: [becomes(ata(OURS), holds(OURS, 8n, { frozen: true }))] }],
    expected: [paid(8n)],
  },
  {
    row: '20 Token-2022 mint with the same metadata',
    mistake: 'program spl-token-2022 is accepted like spl-token',
    transactions: () => [
      {
        changes: [
          becomes(fakeKey('token 2022 account'), { mint: FAKE_MINT, owner: OURS, amount: 50n, program: TOKEN_2022 }),
        ],
      },
    ],
    expected: [],
  },
  {
    row: '20 an account that names the genuine mint under another program',
    mistake: 'the mint alone decides, and the program is not checked',
    transactions: () => [{ changes: [becomes(ata(OURS), holds(OURS, 50n, { program: TOKEN_2022 }))] }],
    expected: [],
  },
  {
    row: '21 auxiliary account of the owner',
    mistake: 'only the associated account is watched',
    transactions: (node) => [
      payment(node, { from: side(PAYER), to: { account: AUXILIARY, owner: OURS }, mint: usdt, amount: 8n }),
    ],
    expected: [paid(8n)],
  },
  {
    row: '21 associated and auxiliary account in one transaction',
    mistake: 'counted once for each account that led to it',
    transactions: (node) => [
      {
        changes: [
          ...pay(node, 12n).changes!.slice(0, 1),
          becomes(ata(OURS), holds(OURS, 5n)),
          becomes(AUXILIARY, holds(OURS, 7n)),
        ],
      },
    ],
    expected: [paid(12n)],
  },
  {
    row: '21 moved between accounts of one owner',
    mistake: 'the gain of the one account counts again',
    before: (node) => [pay(node, 9n)],
    transactions: () => [{ changes: [becomes(ata(OURS), holds(OURS, 0n)), becomes(AUXILIARY, holds(OURS, 9n))] }],
    expected: [paid(9n)],
    expectedAbove: [],
  },
  {
    row: '23 forged memo',
    mistake: 'the memo decides the recipient and the amount',
    transactions: (node) => [
      { ...pay(node, 3n), memo: 'cs_test_0123 amount 1000000' },
      { mentions: [ata(OURS)], memo: 'paid 5' },
    ],
    expected: [paid(3n)],
  },
  {
    row: '24 no balance before',
    mistake: 'a missing pre entry makes the amount NaN',
    transactions: (node) => [pay(node, 2n)],
    expected: [paid(2n)],
  },
  {
    row: '24 closed and opened again',
    mistake: 'the balance before the closing is used',
    before: (node) => [pay(node, 20n)],
    transactions: (node) => [
      { changes: [becomes(ata(OURS), holds(OURS, 0n)), becomes(ata(STRANGER), holds(STRANGER, 20n))] },
      { changes: [becomes(ata(OURS), null)] },
      pay(node, 6n),
    ],
    expected: [paid(20n), paid(6n)],
  },
  {
    row: '24 paid out and paid again to the same amount',
    mistake: 'an unchanged balance means no payment',
    before: (node) => [pay(node, 20n)],
    known: true,
    transactions: (node) => [
      { changes: [becomes(ata(OURS), holds(OURS, 0n)), becomes(ata(STRANGER), holds(STRANGER, 20n))] },
      pay(node, 20n),
    ],
    expected: [paid(20n)],
    expectedAbove: [],
  },
  {
    row: "25 the account's owner was changed",
    mistake: 'the account stays ours for ever',
    before: (node) => [pay(node, 20n)],
    transactions: () => [
      { changes: [becomes(ata(OURS), holds(STRANGER, 20n))] },
      { changes: [becomes(ata(OURS), holds(STRANGER, 500n))] },
    ],
    expected: [paid(20n)],
    expectedAbove: [],
  },
  {
    row: '25 an account was made over to us',
    mistake: 'the earlier balance is lost',
    transactions: () => [
      { changes: [becomes(AUXILIARY, holds(STRANGER, 50n))] },
      { changes: [becomes(AUXILIARY, holds(OURS, 50n))] },
    ],
    expected: [paid(50n, { payer: STRANGER, ordinal: 1 })],
  },
  {
    row: '26 paid and pulled back whole',
    mistake: 'only incoming transfers count',
    transactions: (node) => [pay(node, 0n)],
    expected: [],
  },
  {
    row: '26 paid and pulled back in part',
    mistake: 'only incoming transfers count',
    transactions: () => [
      {
        changes: [
          becomes(ata(PAYER), holds(PAYER, 10n)),
          becomes(ata(OURS), holds(OURS, 40n)),
          becomes(ata(STRANGER), holds(STRANGER, 60n)),
        ],
      },
    ],
    before: () => [{ changes: [becomes(ata(PAYER), holds(PAYER, 110n))] }],
    expected: [paid(40n)],
  },
  {
    row: 'accounts out of a lookup table',
    mistake: 'only the accounts of the message are known',
    transactions: (node) => [{ ...pay(node, 4n), looksUp: true }],
    expected: [paid(4n)],
  },
  {
    row: 'version 1 and later',
    mistake: 'maxSupportedTransactionVersion 0, answered with error -32015',
    transactions: (node) => [
      { ...pay(node, 4n), version: 1 },
      { ...pay(node, 4n), version: 7 },
      { ...pay(node, 4n), version: 'legacy' },
    ],
    expected: [paid(4n), paid(4n), paid(4n)],
  },
];

describe.each([true, false])('found transfers (final: %s)', (final) => {
  let node: FakeSolanaNode;
  beforeEach(async () => void (node = await startSolana()));
  afterEach(() => node.close());
  const scan = (accountCursors: readonly AccountCursor[] = [], asFinal = final) => {
    const adapter = openSolanaAdapter({
      spec: localSolana,
      urls: [node.url],
      clock: openTestClock(T0 + 60),
      log: silentLog(),
    });
    const watch = watching([OURS, OTHER], [{ owner: OURS, accountCursors }]);
    const to = node.blocks.at(-1)!.slot;
    return adapter.scan({ from: 2, to, parentHash: node.blocks[1]!.hash, final: asFinal }, watch);
  };

  it.each(table)('row $row is handled correctly: $mistake', async (given) => {
    const { before, known, transactions, expected, expectedAbove = expected } = given;
    for (const one of before?.(node) ?? []) node.mine([one]);
    const accountCursors = known ? (await scan([], true)).accountCursors : [];
    // One block each, starting from the balance after the previous one.
    const count = transactions(node).length;
    for (let index = 0; index < count; index++) node.mine([transactions(node)[index]!]);
    const found = await scan(accountCursors);
    expect(brief(found.transfers)).toEqual(final ? expected : expectedAbove);
    expect(found.unfinished).toBeUndefined();
    expect(found.through.hash).toBe(node.blocks.at(-1)!.hash);
  });

  it('a transfer has the same ordinal, amount and payer wherever it is read', async () => {
    node.mine([pay(node, 5n)]);
    const first = await scan();
    node.mine([{ mentions: [ata(OURS)] }]);
    node.mine([pay(node, 6n)]);
    const again = await scan();
    expect(brief(again.transfers.slice(0, 1))).toEqual(brief(first.transfers));
    expect(again.transfers[0]).toEqual(first.transfers[0]);
  });

  it('payments of several blocks have their own block and time, with or without skipped slots', async () => {
    for (let index = 1n; index <= 5n; index++) node.mine([pay(node, index)], { skip: Number(index % 3n) });
    const { transfers } = await scan();
    expect(transfers.map(({ blockNumber, blockHash, blockTime }) => [blockNumber, blockHash, blockTime])).toEqual(
      node.blocks.slice(2).map(({ slot, hash, time }) => [slot, hash, time]),
    );
  });
});
