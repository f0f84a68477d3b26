// How a Solana endpoint falsifies its answers.

import { fakeKey } from '@/testing/solana/solana-ledger';
import {
  BACK_TO_1970,
  firstOf,
  HOUR_AHEAD,
  isList,
  isObject,
  only,
  refusal,
  type Tamper,
  type Tampering,
} from './tampering';

type Account = { readonly lamports: number; readonly space: number; readonly data: readonly [string, string] };
type Balance = { readonly mint: string; readonly uiTokenAmount: { readonly amount: string } };

const [MINT_SIZE, TOKEN_ACCOUNT_SIZE, AMOUNT_AT] = [82, 165, 64];
/** Accounts that a free plan returns for one request. */
const MOST_ACCOUNTS = 5;
const FAILED = { InstructionError: [0, { Custom: 1 }] };

/** Changes the accounts of one size. */
const accounts = (size: number, change: (account: Account) => Account | null): Tamper =>
  only('getMultipleAccounts', (result) => {
    if (!isObject(result) || !isList(result.value)) return;
    const value = (result.value as readonly (Account | null)[]).map((one) => (one?.space === size ? change(one) : one));
    return { ...result, value };
  });

const withAmount = (account: Account, change: (amount: bigint) => bigint): Account => {
  const data = Buffer.from(account.data[0], 'base64');
  data.writeBigUInt64LE(change(data.readBigUInt64LE(AMOUNT_AT)), AMOUNT_AT);
  return { ...account, data: [data.toString('base64'), 'base64'] };
};

const signatures = (change: (all: readonly object[]) => readonly object[]): Tamper =>
  only('getSignaturesForAddress', (result) => (isList(result) ? change(result as object[]) : undefined));

/** Changes what transactions report. */
const metas = (change: (meta: Readonly<Record<string, unknown>>) => object): Tamper =>
  only('getTransaction', (result) =>
    isObject(result) && isObject(result.meta) ? { ...result, meta: change(result.meta) } : undefined,
  );
const balances = (change: (balance: Balance) => Balance): Tamper =>
  metas((meta) => ({
    ...meta,
    preTokenBalances: (meta.preTokenBalances as readonly Balance[]).map(change),
    postTokenBalances: (meta.postTokenBalances as readonly Balance[]).map(change),
  }));

const times = (seconds: number): Tamper =>
  only('getBlock', (result) =>
    isObject(result) && 'blockTime' in result
      ? { ...result, blockTime: Math.max(0, Number(result.blockTime) + seconds) }
      : undefined,
  );

const isFinalized = (options: unknown): boolean => isObject(options) && options.commitment === 'finalized';

const NO_TRANSFERS = firstOf(
  accounts(TOKEN_ACCOUNT_SIZE, () => null),
  signatures(() => []),
  only('getTokenAccountsByOwner', (result) => (isObject(result) ? { ...result, value: [] } : undefined)),
);

export const SOLANA_TAMPERING: Tampering = {
  wrong_chain: accounts(MINT_SIZE, () => null),
  // An account that does not exist holds nothing.
  empty_logs: NO_TRANSFERS,
  blind: NO_TRANSFERS,
  truncated_logs: signatures((all) => all.slice(0, -1)),
  too_much: only('getMultipleAccounts', (_, [keys]) =>
    isList(keys) && keys.length > MOST_ACCOUNTS
      ? refusal(-32602, `Too many inputs provided; max ${MOST_ACCOUNTS}`)
      : undefined,
  ),
  lying: firstOf(
    accounts(TOKEN_ACCOUNT_SIZE, (account) => withAmount(account, (amount) => amount * 10n)),
    balances((one) => ({ ...one, uiTokenAmount: { ...one.uiTokenAmount, amount: `${one.uiTokenAmount.amount}0` } })),
  ),
  no_receipts: only('getTransaction', () => null),
  doubled_logs: signatures((all) => all.flatMap((one) => [one, one])),
  reversed_logs: signatures((all) => all.toReversed()),
  removed_logs: signatures((all) => all.map((one) => ({ ...one, err: FAILED }))),
  foreign_logs: balances((one) => ({ ...one, mint: fakeKey('a token that looks like ours') })),
  future_times: times(HOUR_AHEAD),
  past_times: times(BACK_TO_1970),
  other_hashes: only('getBlock', (result) =>
    isObject(result) && 'blockhash' in result ? { ...result, blockhash: fakeKey(String(result.blockhash)) } : undefined,
  ),
  empty_balances: accounts(TOKEN_ACCOUNT_SIZE, (account) => withAmount(account, () => 0n)),
  no_coin: firstOf(
    only('getBalance', (result) => (isObject(result) ? { ...result, value: 0 } : undefined)),
    accounts(0, (account) => ({ ...account, lamports: 0 })),
  ),
  no_funds: only('sendTransaction', () => refusal(-32002, 'Transaction failed: insufficient funds for fee')),
  free_gas: only('getMinimumBalanceForRentExemption', () => 0),
  failed_receipts: firstOf(
    metas((meta) => ({ ...meta, err: FAILED })),
    only('getSignatureStatuses', (result) =>
      isObject(result) && isList(result.value)
        ? { ...result, value: result.value.map((one) => (isObject(one) ? { ...one, err: FAILED } : one)) }
        : undefined,
    ),
  ),
  no_finality: only('getSlot', (_, [options]) =>
    isFinalized(options) ? refusal(-32005, 'Node is unhealthy') : undefined,
  ),
};
