// From a transaction to its movements: a recorded one, and properties over generated ones.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { networkSpec } from '@/lib/networks/networks';
import { fakeKey, fakeSignature, TOKEN_2022, TOKEN_PROGRAM, accountData } from '@/testing/solana/solana-ledger';
import { FAKE_MINT, localSolana, usdc, usdt } from '@/testing/solana/solana-scene';
import { changeOf, gainsOf, heldAmount, movementsOf, readTokenAccount, readTransaction } from './decode';
import * as shapes from '@/lib/networks/families/solana/shapes';

const devnet = networkSpec('test', 'solana', 'public')!;
const DEVNET_USDC = devnet.tokens.USDC!.contract;
const RECIPIENT = 'BXT1K8kzYXWMi6ihg7m9UqiHW4iJbJ69zumELHE9oBLe';
const SENDER = 'BLw3RweJmfbTapJRgnPRvd962YDjFYAnVGd1p5hmZ5tP';
const ACCOUNT = '644PJ6UW8e4gQpjKdBVd4MCYasWjSECKjqd2qzdeAJY6';
const SIGNATURE = '3Zj5XkvE1Uec1frjue6SK2ND2cqhKPvPkZ1ZFPwo2v9iL4NX4b4WWG1wPNEQdnJJU8sVx7MMHjSH1HxoR21vEjoV';

const balance = (accountIndex: number, owner: string, amount: string) => ({
  accountIndex,
  mint: DEVNET_USDC,
  owner,
  programId: TOKEN_PROGRAM,
  uiTokenAmount: { amount, decimals: 6, uiAmount: Number(amount) / 1e6, uiAmountString: amount },
});
/** 0.01 USDC on devnet. */
const recorded = {
  slot: 353107528,
  blockTime: 1736502537,
  version: 0,
  meta: {
    err: null,
    fee: 5000,
    computeUnitsConsumed: 4644,
    status: { Ok: null },
    innerInstructions: [],
    loadedAddresses: { readonly: [], writable: [] },
    logMessages: [`Program ${TOKEN_PROGRAM} invoke [1]`, 'Program log: Instruction: Transfer'],
    preBalances: [3283865040, 2039280, 2039280, 934087680],
    postBalances: [3283860040, 2039280, 2039280, 934087680],
    preTokenBalances: [balance(1, RECIPIENT, '60000'), balance(2, SENDER, '7659876')],
    postTokenBalances: [balance(1, RECIPIENT, '70000'), balance(2, SENDER, '7649876')],
    rewards: [],
  },
  transaction: {
    signatures: [SIGNATURE],
    message: {
      header: { numRequiredSignatures: 1, numReadonlySignedAccounts: 0, numReadonlyUnsignedAccounts: 1 },
      accountKeys: [SENDER, ACCOUNT, 'G23tQHsbQuh3yqUBoyXDn3TwqEbbbUHAHEeUSvJaVRtA', TOKEN_PROGRAM],
      recentBlockhash: 'B7QWXjTeXd5kPbKc4ASH56f2EPUjLKW4J5CtNL5iS6GW',
      instructions: [],
    },
  },
};
const facts = (given: unknown) => readTransaction(shapes.transaction.parse(given)!);

describe('the recorded payment of 0.01 USDC', () => {
  it('is one transfer to its owner, with its payer', () => {
    expect(gainsOf(devnet, facts(recorded), RECIPIENT)).toEqual([
      {
        transactionHash: SIGNATURE,
        ordinal: 1,
        currency: 'USDC',
        contract: DEVNET_USDC,
        payer: SENDER,
        recipient: RECIPIENT,
        amount: 10_000n,
        isPlain: true,
      },
    ]);
    expect(gainsOf(devnet, facts(recorded), SENDER)).toEqual([]);
  });

  const STRANGER = fakeKey('stranger');
  const { meta, transaction } = recorded;
  const [relayer, ...own] = [fakeKey('relayer'), ...transaction.message.accountKeys];
  const signedBy = (count: number, accountKeys: readonly string[]) => ({
    ...transaction,
    message: { ...transaction.message, accountKeys, header: { numRequiredSignatures: count } },
  });
  const shifted = (list: typeof meta.preTokenBalances) =>
    list.map((one) => ({ ...one, accountIndex: one.accountIndex + 1 }));
  /** The same, with another account as fee payer. */
  const relayed = (signers: number) => ({
    ...recorded,
    meta: {
      ...meta,
      preBalances: [10_000, ...meta.preBalances],
      postBalances: [5000, meta.preBalances[0]!, ...meta.postBalances.slice(1)],
      preTokenBalances: shifted(meta.preTokenBalances),
      postTokenBalances: shifted(meta.postTokenBalances),
    },
    transaction: signedBy(signers, [relayer, ...own]),
  });
  const withChange = (index: number, owner: string, before: string, after: string, over: object = {}) => ({
    ...recorded,
    meta: {
      ...meta,
      preTokenBalances: [...meta.preTokenBalances, { ...balance(index, owner, before), ...over }],
      postTokenBalances: [...meta.postTokenBalances, { ...balance(index, owner, after), ...over }],
    },
  });

  it.each([
    ['a relayer paid the fee and the payer signed too', relayed(2), true],
    ['a relayer alone signed', relayed(1), false],
    [
      'the node does not report who signed',
      { ...recorded, transaction: { ...transaction, message: { ...transaction.message, header: undefined } } },
      false,
    ],
    ['another account paid in the same transaction', withChange(3, STRANGER, '5', '4'), false],
    [
      'the payer got another token for it, as a market maker does',
      withChange(3, SENDER, '0', '5', { mint: usdt }),
      false,
    ],
    [
      'the payer got SOL for it',
      { ...recorded, meta: { ...meta, postBalances: [9_000_000_000, ...meta.postBalances.slice(1)] } },
      false,
    ],
    ['the payer may have got SOL for it', { ...recorded, meta: { ...meta, postBalances: undefined } }, false],
    [
      'the token was minted',
      {
        ...recorded,
        meta: {
          ...meta,
          preTokenBalances: [balance(1, RECIPIENT, '60000')],
          postTokenBalances: [balance(1, RECIPIENT, '70000')],
        },
      },
      false,
    ],
  ])('where %s, its payer ordered it: %#', (_what, given, isPlain) => {
    expect(gainsOf(devnet, facts(given), RECIPIENT)).toMatchObject([{ amount: 10_000n, isPlain }]);
  });

  it('contains the account’s balance before and after', () => {
    const holder = { account: ACCOUNT, owner: RECIPIENT, mint: DEVNET_USDC };
    expect(changeOf(facts(recorded), holder)).toEqual({ before: 60_000n, after: 70_000n });
    expect(changeOf(facts(recorded), { ...holder, account: fakeKey('another') })).toBeNull();
    expect(changeOf(facts(recorded), { ...holder, owner: SENDER })).toEqual({ before: 0n, after: 0n });
  });

  it('is not a transfer under another chain’s spec, which has another mint', () => {
    expect(gainsOf(localSolana, facts(recorded), RECIPIENT)).toEqual([]);
    expect(movementsOf(localSolana, facts(recorded))).toMatchObject([{ contract: DEVNET_USDC, currency: null }]);
  });

  it('is the same in version 1, whose message has a config and no lookup tables', () => {
    const { message } = transaction;
    const config = { computeUnitLimit: 5000, heapSize: null, loadedAccountsDataSizeLimit: null, priorityFee: 1 };
    const one = {
      ...recorded,
      version: 1,
      meta: { ...recorded.meta, loadedAddresses: undefined },
      transaction: { ...recorded.transaction, message: { ...message, transactionConfig: config } },
    };
    expect(facts(one)).toEqual(facts(recorded));
  });
});

describe('a token account', () => {
  const state = { mint: usdt, owner: RECIPIENT, amount: 18_446_744_073_709_551_615n };
  const data = (bytes: Buffer, owner = TOKEN_PROGRAM) =>
    shapes.accounts.parse({
      context: { slot: 1 },
      value: [{ owner, data: [bytes.toString('base64'), 'base64'], lamports: 1, rentEpoch: 18446744073709552000 }],
    }).value[0]!;

  it('can hold the largest possible amount, frozen or not', () => {
    expect(readTokenAccount(data(accountData(state)))).toEqual(state);
    expect(readTokenAccount(data(accountData({ ...state, frozen: true })))).toEqual(state);
  });

  it('holds nothing of ours if missing, uninitialised, or of another program, owner or mint', () => {
    const holder = { account: ACCOUNT, owner: RECIPIENT, mint: usdt };
    const blank = accountData(state);
    blank[108] = 0;
    expect(heldAmount(holder, data(accountData(state)))).toBe(state.amount);
    expect(heldAmount(holder, null)).toBe(0n);
    expect(heldAmount(holder, data(blank))).toBe(0n);
    expect(heldAmount(holder, data(accountData(state), TOKEN_2022))).toBe(0n);
    expect(heldAmount({ ...holder, mint: usdc }, data(accountData(state)))).toBe(0n);
    expect(heldAmount({ ...holder, owner: SENDER }, data(accountData(state)))).toBe(0n);
  });
});

// Properties over arbitrary balances: few owners, mints and programs, so that they collide.
const OWNERS = ['ann', 'bob', 'cid'].map(fakeKey);
const MINTS = [usdt, usdc, FAKE_MINT];
const holding = fc.record({
  mint: fc.constantFrom(...MINTS),
  owner: fc.constantFrom(...OWNERS),
  programId: fc.constantFrom(TOKEN_PROGRAM, TOKEN_PROGRAM, TOKEN_2022),
  before: fc.option(fc.bigInt({ min: 0n, max: 1n << 64n }), { nil: undefined }),
  after: fc.option(fc.bigInt({ min: 0n, max: 1n << 64n }), { nil: undefined }),
});
type BalanceRequest = {
  mint: string;
  owner: string;
  programId: string;
  before: bigint | undefined;
  after: bigint | undefined;
};
const made = fc.record({ holdings: fc.array(holding, { maxLength: 8 }), failed: fc.boolean() });
const entries = (holdings: readonly BalanceRequest[], amount: (one: BalanceRequest) => bigint | undefined) =>
  holdings.flatMap((one, index) => {
    const own = amount(one);
    if (own === undefined) return [];
    const { mint, owner, programId } = one;
    return [
      { accountIndex: index + 1, mint, owner, programId, uiTokenAmount: { amount: own.toString(), decimals: 6 } },
    ];
  });
const transactionOf = ({ holdings, failed }: { holdings: readonly BalanceRequest[]; failed: boolean }) => ({
  slot: 9,
  meta: {
    err: failed ? { InstructionError: [0, 'InvalidArgument'] } : null,
    preTokenBalances: entries(holdings, ({ before }) => before),
    postTokenBalances: entries(holdings, ({ after }) => after),
  },
  transaction: {
    signatures: [fakeSignature('made')],
    message: { accountKeys: [fakeKey('fees'), ...holdings.map((_, index) => fakeKey(`account ${index}`))] },
  },
});
const sum = (amounts: readonly bigint[]) => amounts.reduce((total, one) => total + one, 0n);

describe('for any transaction', () => {
  it('an owner gains the sum over all its allow-listed accounts, and nothing if the transaction failed', () => {
    fc.assert(
      fc.property(made, fc.constantFrom(...OWNERS), (given, owner) => {
        const gains = gainsOf(localSolana, facts(transactionOf(given)), owner);
        const expected = [usdt, usdc].flatMap((mint) => {
          const own = given.holdings.filter(
            (one) => one.mint === mint && one.owner === owner && one.programId === TOKEN_PROGRAM,
          );
          const gain = sum(own.map(({ before = 0n, after = 0n }) => after - before));
          return !given.failed && gain > 0n ? [`${mint} ${gain}`] : [];
        });
        expect(gains.map(({ contract, amount }) => `${contract} ${amount}`).toSorted()).toEqual(expected.toSorted());
        expect(gains.every(({ recipient }) => recipient === owner)).toBe(true);
        expect(new Set(gains.map(({ ordinal }) => ordinal)).size).toBe(gains.length);
      }),
    );
  });

  it('ordinals do not depend on the order of the balances', () => {
    fc.assert(
      fc.property(made, fc.constantFrom(...OWNERS), (given, owner) => {
        const one = transactionOf(given);
        const { preTokenBalances: pre, postTokenBalances: post } = one.meta;
        const other = {
          ...one,
          meta: { ...one.meta, preTokenBalances: pre.toReversed(), postTokenBalances: post.toReversed() },
        };
        expect(gainsOf(localSolana, facts(other), owner)).toEqual(gainsOf(localSolana, facts(one), owner));
      }),
    );
  });

  it('no two owners share an ordinal', () => {
    fc.assert(
      fc.property(made, (given) => {
        const all = OWNERS.flatMap((owner) => gainsOf(localSolana, facts(transactionOf(given)), owner));
        expect(new Set(all.map(({ ordinal }) => ordinal)).size).toBe(all.length);
      }),
    );
  });

  it('the payer of a gain lost some of that token, or no owner did', () => {
    fc.assert(
      fc.property(made, (given) => {
        const read = facts(transactionOf(given));
        for (const { contract, payer, recipient } of OWNERS.flatMap((owner) => gainsOf(localSolana, read, owner))) {
          const lost = (owner: string) =>
            sum(
              given.holdings
                .filter((one) => one.mint === contract && one.owner === owner && one.programId === TOKEN_PROGRAM)
                .map(({ before = 0n, after = 0n }) => before - after),
            ) > 0n;
          expect(payer).not.toBe(recipient);
          expect(payer === fakeKey('fees') ? !OWNERS.some(lost) : lost(payer)).toBe(true);
        }
      }),
    );
  });

  it('only allow-listed tokens have a currency', () => {
    fc.assert(
      fc.property(made, (given) => {
        const read = facts(transactionOf(given));
        const named = movementsOf(localSolana, read).filter(({ currency }) => currency !== null);
        const credited = OWNERS.flatMap((owner) => gainsOf(localSolana, read, owner));
        const brief = (list: readonly { contract: string; payer: string; recipient: string; amount: bigint }[]) =>
          list
            .map(({ contract, payer, recipient, amount }) => `${contract} ${payer} ${recipient} ${amount}`)
            .toSorted();
        expect(brief(named)).toEqual(brief(credited));
      }),
    );
  });
});

describe('the rent that a transaction pays', () => {
  const opened = (before: number, pre: readonly object[] = []) =>
    facts({
      ...recorded,
      meta: {
        ...recorded.meta,
        preBalances: [3283865040, before, 2039280, 934087680],
        preTokenBalances: [...pre, balance(2, SENDER, '7659876')],
      },
    }).rent;

  it('is what opened token accounts got, also at an address that held lamports already, and nothing of open ones', () => {
    expect(opened(0)).toBe(2_039_280n);
    expect(opened(890_880)).toBe(1_148_400n);
    expect(opened(2_039_280, [balance(1, RECIPIENT, '60000')])).toBe(0n);
    expect(opened(0, [balance(1, RECIPIENT, '60000')])).toBe(0n);
  });
});
