// How a Solana endpoint falsifies its answers.

import { firstOf, isList, only, refusal, type Tamper, type Tampering } from './tampering';

type Account = { readonly space: number; readonly data: readonly [string, string] } | null;
type Accounts = { readonly context: object; readonly value: readonly Account[] };
type Balance = { readonly uiTokenAmount: { readonly amount: string } };
type Meta = { readonly preTokenBalances: readonly Balance[]; readonly postTokenBalances: readonly Balance[] };

const [MINT_SIZE, TOKEN_ACCOUNT_SIZE, AMOUNT_AT] = [82, 165, 64];
/** Accounts that a free plan returns for one request. */
const MOST_ACCOUNTS = 5;

/** Changes the accounts of one size. */
const changeAccounts = (size: number, change: (account: NonNullable<Account>) => Account): Tamper =>
  only('getMultipleAccounts', (result) => {
    if (!isAccounts(result)) return;
    return { ...result, value: result.value.map((one) => (one?.space === size ? change(one) : one)) };
  });
const isAccounts = (result: unknown): result is Accounts =>
  typeof result === 'object' && result !== null && 'value' in result;

const changeSignatures = (change: (all: readonly unknown[]) => readonly unknown[]): Tamper =>
  only('getSignaturesForAddress', (result) => (isList(result) ? change(result) : undefined));

export const SOLANA_TAMPERING: Tampering = {
  wrong_chain: changeAccounts(MINT_SIZE, () => null),
  empty_logs: firstOf(
    changeAccounts(TOKEN_ACCOUNT_SIZE, () => null),
    changeSignatures(() => []),
    only('getTokenAccountsByOwner', (result) => (isAccounts(result) ? { ...result, value: [] } : undefined)),
  ),
  truncated_logs: changeSignatures((all) => all.slice(0, -1)),
  too_much: only('getMultipleAccounts', (_, [keys]) =>
    isList(keys) && keys.length > MOST_ACCOUNTS
      ? refusal(-32602, `Too many inputs provided; max ${MOST_ACCOUNTS}`)
      : undefined,
  ),
  lying: firstOf(changeAccounts(TOKEN_ACCOUNT_SIZE, inflatedAccount), only('getTransaction', inflatedTransaction)),
  no_receipts: only('getTransaction', () => null),
  no_finality: only('getSlot', (_, [options]) =>
    (options as { readonly commitment?: string }).commitment === 'finalized'
      ? refusal(-32005, 'Node is unhealthy')
      : undefined,
  ),
  // The endpoint's view lacks the blocks.
  pruned: () => undefined,
};

/** Ten times as much in a token account. */
function inflatedAccount(account: NonNullable<Account>): Account {
  const data = Buffer.from(account.data[0], 'base64');
  data.writeBigUInt64LE(data.readBigUInt64LE(AMOUNT_AT) * 10n, AMOUNT_AT);
  return { ...account, data: [data.toString('base64'), 'base64'] };
}

function inflatedTransaction(result: unknown): unknown {
  if (typeof result !== 'object' || result === null || !('meta' in result)) return;
  const meta = result.meta as Meta;
  const tenfold = (all: readonly Balance[]): object[] =>
    all.map((one) => ({ ...one, uiTokenAmount: { ...one.uiTokenAmount, amount: `${one.uiTokenAmount.amount}0` } }));
  const balances = {
    preTokenBalances: tenfold(meta.preTokenBalances),
    postTokenBalances: tenfold(meta.postTokenBalances),
  };
  return { ...result, meta: { ...meta, ...balances } };
}
