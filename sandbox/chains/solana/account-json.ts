// Accounts in the RPC's format: bytes in base64 or base58, or the fields of token accounts and mints.

import type { Address, EncodedAccount } from '@solana/kit';
import { base58 } from '@scure/base';
import type { Accounts } from './accounts';
import { invalidParams } from './rpc-error';
import { readMint, readTokenAccount, TOKEN_PROGRAM, TOKEN_PROGRAMS, uiAmount } from './token-data';

type AccountEncoding = 'base58' | 'base64' | 'base64+zstd' | 'jsonParsed';
type DataSlice = { readonly offset: number; readonly length: number };
export type AccountForm = { readonly encoding: AccountEncoding; readonly slice?: DataSlice | undefined };

/** Accounts that pay no rent report the highest epoch there is; json.ts writes it exactly. */
const NO_EPOCH = 2 ** 64;
const LARGEST_BASE58 = 128;

/** The account as JSON. `slot` selects the mint state whose decimals a token account uses. */
export function accountJson(account: EncodedAccount, accounts: Accounts, slot: number, form: AccountForm) {
  return {
    lamports: Number(account.lamports),
    owner: account.programAddress,
    executable: account.executable,
    rentEpoch: NO_EPOCH,
    space: account.data.length,
    data: dataJson(account, accounts, slot, form),
  };
}

function dataJson(
  account: EncodedAccount,
  accounts: Accounts,
  slot: number,
  { encoding, slice }: AccountForm,
): unknown {
  if (encoding === 'jsonParsed') {
    const parsed = parsedJson(account, (mint) => accounts.decimalsOf(mint, slot));
    if (parsed) return { program: programName(account.programAddress), space: account.data.length, parsed };
  }
  const data = Buffer.from(slice ? account.data.slice(slice.offset, slice.offset + slice.length) : account.data);
  switch (encoding) {
    case 'base64':
    case 'jsonParsed':
      return [data.toString('base64'), 'base64'];
    case 'base58':
      if (data.length > LARGEST_BASE58) {
        throw invalidParams('Encoded binary (base 58) data should be less than 128 bytes, please use Base64 encoding.');
      }
      return [base58.encode(data), 'base58'];
    case 'base64+zstd':
      throw invalidParams('this node does not compress; ask for base64');
  }
  return encoding satisfies never;
}

const programName = (program: Address) => (program === TOKEN_PROGRAM ? 'spl-token' : 'spl-token-2022');

function parsedJson(account: EncodedAccount, decimalsOf: (mint: Address) => number): object | null {
  if (!TOKEN_PROGRAMS.includes(account.programAddress)) return null;
  const token = readTokenAccount(account);
  if (token) {
    const { mint, owner, state, isNative, amount, delegate, closeAuthority } = token;
    const decimals = decimalsOf(mint);
    const delegation = delegate && {
      delegate: delegate.address,
      delegatedAmount: uiAmount(delegate.amount, decimals),
    };
    const info = { isNative, mint, owner, state, tokenAmount: uiAmount(amount, decimals), ...delegation };
    return { type: 'account', info: closeAuthority ? { ...info, closeAuthority } : info };
  }
  const mint = readMint(account);
  return mint && { type: 'mint', info: { ...mint, supply: mint.supply.toString(), isInitialized: true } };
}
