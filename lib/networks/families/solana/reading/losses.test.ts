// What a transaction takes from an owner: the counterpart of a gain, for single cases and for any balances.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fakeKey, fakeSignature, TOKEN_2022, TOKEN_PROGRAM } from '@/testing/solana/solana-ledger';
import { FAKE_MINT, localSolana, usdc, usdt } from '@/testing/solana/solana-scene';
import * as shapes from '@/lib/networks/families/solana/shapes';
import { gainsOf, readTransaction } from './decode';
import { lossesOf } from './losses';

const [OURS, ANN, BOB] = ['ours', 'ann', 'bob'].map(fakeKey) as [string, string, string];
const FEES = fakeKey('fees');

/** One account in a transaction; an absent amount means that the account did not exist. */
type Holding = { owner: string; mint?: string; program?: string; before?: bigint; after?: bigint; account?: number };

/** The facts of a transaction with these holdings; accounts are numbered from one in their order. */
function factsOf(holdings: readonly Holding[], { failed = false } = {}) {
  const entries = (side: 'before' | 'after') =>
    holdings.flatMap(({ owner, mint = usdt, program = TOKEN_PROGRAM, account, ...amounts }, n) =>
      amounts[side] === undefined
        ? []
        : [
            {
              accountIndex: account ?? n + 1,
              mint,
              owner,
              programId: program,
              uiTokenAmount: { amount: amounts[side].toString(), decimals: 6 },
            },
          ],
    );
  const given = {
    slot: 9,
    meta: {
      err: failed ? { InstructionError: [0, 'InvalidArgument'] } : null,
      preTokenBalances: entries('before'),
      postTokenBalances: entries('after'),
    },
    transaction: {
      signatures: [fakeSignature('made')],
      message: { accountKeys: [FEES, ...holdings.map((_, n) => fakeKey(`account ${n}`))] },
    },
  };
  return readTransaction(shapes.transaction.parse(given)!);
}
const losses = (...holdings: readonly Holding[]) => lossesOf(localSolana, factsOf(holdings), OURS);

describe('an owner’s loss', () => {
  it('is outgoing to the owner who gained exactly as much', () => {
    const found = losses({ owner: ANN, before: 1n, after: 8n }, { owner: OURS, before: 9n, after: 2n });
    expect(found).toEqual([
      {
        transactionHash: fakeSignature('made'),
        ordinal: 2,
        currency: 'USDT',
        contract: usdt,
        payer: OURS,
        recipient: ANN,
        amount: 7n,
        isPlain: true,
      },
    ]);
  });

  it('of several that gained is to the one with exactly that amount, otherwise to the one that gained enough for all losses', () => {
    const us = { owner: OURS, before: 9n, after: 2n };
    const exact = losses(us, { owner: BOB, after: 7n }, { owner: ANN, after: 90n });
    expect(exact).toMatchObject([{ recipient: BOB, amount: 7n, isPlain: false }]);
    const batch = losses(us, { owner: ANN, before: 4n, after: 0n }, { owner: BOB, after: 11n });
    expect(batch).toMatchObject([{ recipient: BOB, amount: 7n, isPlain: false }]);
    const beside = losses(us, { owner: ANN, before: 4n }, { owner: BOB, after: 4n }, { owner: FEES, after: 8n });
    expect(beside).toMatchObject([{ recipient: FEES, amount: 7n }]);
  });

  describe('has no recipient, and is outgoing to the mint, where no owner gained as much', () => {
    const us = { owner: OURS, before: 9n, after: 2n };
    const [ann, bob] = [
      { owner: ANN, before: 7n, after: 0n },
      { owner: BOB, before: 7n, after: 0n },
    ];
    it.each([
      ['it is divided', [us, { owner: BOB, after: 3n }, { owner: ANN, after: 4n }]],
      ['a part was burned on the way', [us, { owner: ANN, after: 6n }]],
      [
        'several lost the amount that one gained',
        [us, ann, bob, { owner: FEES, after: 7n }, { owner: FAKE_MINT, after: 14n }],
      ],
      [
        'several lost it and the larger part went elsewhere',
        [us, ann, { owner: FEES, after: 8n }, { owner: BOB, after: 6n }],
      ],
    ])('%s', (_, holdings) => {
      expect(losses(...holdings)).toMatchObject([{ recipient: usdt, amount: 7n, isPlain: false }]);
    });

    it('and each gain explains the losses of one owner', () => {
      const shared = factsOf([us, ann, { owner: BOB, after: 7n }, { owner: FEES, after: 7n }]);
      const recipients = [OURS, ANN].map((owner) => lossesOf(localSolana, shared, owner)[0]?.recipient);
      expect(recipients).toEqual([BOB, FEES]);
    });
  });

  it('without a recipient was burned, and is outgoing to the mint', () => {
    expect(losses({ owner: OURS, before: 9n, after: 2n })).toMatchObject([
      { recipient: usdt, amount: 7n, isPlain: false },
    ]);
  });

  it('of an account that was emptied and closed is the whole amount', () => {
    const found = losses({ owner: OURS, before: 9n }, { owner: ANN, before: 1n, after: 10n });
    expect(found).toMatchObject([{ ordinal: 1, recipient: ANN, amount: 9n, isPlain: true }]);
  });

  it('of an account that was handed to another owner is the whole amount, to that owner', () => {
    const found = losses({ owner: OURS, before: 9n, account: 1 }, { owner: ANN, after: 9n, account: 1 });
    expect(found).toMatchObject([{ ordinal: 1, recipient: ANN, amount: 9n, isPlain: true }]);
  });

  it('is the sum over its accounts, and moves between them are none', () => {
    const aside = { owner: OURS, before: 4n, after: 0n };
    expect(losses({ owner: OURS, before: 1n, after: 5n }, aside)).toEqual([]);
    const found = losses({ owner: ANN, after: 9n }, { owner: OURS, before: 6n, after: 1n }, aside);
    expect(found).toMatchObject([{ ordinal: 2, recipient: ANN, amount: 9n, isPlain: true }]);
  });

  it('in exchange for the other token is outgoing of the one and a gain of the other', () => {
    const swap: Holding[] = [
      { owner: OURS, before: 9n, after: 0n },
      { owner: OURS, mint: usdc, before: 0n, after: 8n },
      { owner: ANN, before: 0n, after: 9n },
      { owner: ANN, mint: usdc, before: 8n, after: 0n },
    ];
    expect(losses(...swap)).toMatchObject([{ currency: 'USDT', amount: 9n, recipient: ANN }]);
    expect(gainsOf(localSolana, factsOf(swap), OURS)).toMatchObject([{ currency: 'USDC', amount: 8n, payer: ANN }]);
  });

  it('of a fake token, of another program or of a failed transaction is none', () => {
    const pair = (over: object): Holding[] => [
      { owner: OURS, before: 9n, after: 0n, ...over },
      { owner: ANN, before: 0n, after: 9n, ...over },
    ];
    expect(losses(...pair({ mint: FAKE_MINT }))).toEqual([]);
    expect(losses(...pair({ program: TOKEN_2022 }))).toEqual([]);
    expect(lossesOf(localSolana, factsOf(pair({}), { failed: true }), OURS)).toEqual([]);
  });
});

const amount = fc.option(fc.bigInt({ min: 0n, max: 1n << 64n }), { nil: undefined });
const holding = fc
  .record({
    mint: fc.constantFrom(usdt, usdc, FAKE_MINT),
    owner: fc.constantFrom(OURS, ANN, BOB),
    program: fc.constantFrom(TOKEN_PROGRAM, TOKEN_PROGRAM, TOKEN_2022),
    before: amount,
    after: amount,
  })
  .map(({ before, after, ...rest }): Holding => ({
    ...rest,
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
  }));
const sum = (amounts: readonly bigint[]) => amounts.reduce((total, one) => total + one, 0n);

it('gains minus losses equal the change of an owner’s balance in every token, for any transaction', () => {
  fc.assert(
    fc.property(fc.array(holding, { maxLength: 8 }), fc.constantFrom(OURS, ANN, BOB), (holdings, owner) => {
      const facts = factsOf(holdings);
      const [gains, lost] = [gainsOf(localSolana, facts, owner), lossesOf(localSolana, facts, owner)];
      for (const mint of [usdt, usdc, FAKE_MINT]) {
        const of = (list: typeof gains) => sum(list.flatMap((one) => (one.contract === mint ? [one.amount] : [])));
        const own = holdings.filter(
          (one) => one.mint === mint && one.owner === owner && one.program === TOKEN_PROGRAM && mint !== FAKE_MINT,
        );
        expect(of(gains) - of(lost)).toBe(sum(own.map(({ before = 0n, after = 0n }) => after - before)));
        expect(of(gains) === 0n || of(lost) === 0n).toBe(true);
      }
      expect(lost.every((one) => one.amount > 0n && one.payer === owner && one.recipient !== owner)).toBe(true);
    }),
  );
});

it('a loss does not depend on the order in which a node lists balances', () => {
  fc.assert(
    fc.property(fc.array(holding, { maxLength: 8 }), (holdings) => {
      const numbered = holdings.map((one, n) => ({ ...one, account: n + 1 }));
      const reversed = factsOf(numbered.toReversed());
      expect(lossesOf(localSolana, reversed, OURS)).toEqual(lossesOf(localSolana, factsOf(numbered), OURS));
    }),
  );
});
