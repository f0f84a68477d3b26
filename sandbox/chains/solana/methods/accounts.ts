// Methods that read accounts. Each returns the state at the end of the block that its commitment selects: a read at `finalized`
// never shows a payment that could still be dropped.

import type { Address, EncodedAccount } from '@solana/kit';
import { accountJson, type AccountForm } from '../account-json';
import type { Block } from '../blocks';
import type { Ledger } from '../ledger';
import { addressOf, contextOf, decodedBase58, listOf, optionsOf, slotOf, type Options } from '../params';
import { invalidParams } from '../rpc-error';
import { readMint, readTokenAccount, TOKEN_PROGRAMS, uiAmount } from '../token-data';
import { withContext, type Methods } from './method';

const MAX_ACCOUNTS = 100;

export const accountMethods: Methods = {
  getBalance: ({ ledger }, [address, rest]) => {
    const block = contextOf(ledger.blocks, optionsOf(rest));
    return withContext(block, Number(ledger.accounts.at(addressOf(address), block.slot)?.lamports ?? 0n));
  },

  getAccountInfo: ({ ledger }, [address, rest]) => {
    const given = optionsOf(rest);
    const block = contextOf(ledger.blocks, given);
    return withContext(block, stateJson(ledger, addressOf(address), block, formOf(given, 'base58')));
  },

  getMultipleAccounts: ({ ledger }, [addresses, rest]) => {
    const given = optionsOf(rest);
    const block = contextOf(ledger.blocks, given);
    const list = listOf(addresses, MAX_ACCOUNTS).map(addressOf);
    const form = formOf(given, 'base64');
    return withContext(
      block,
      list.map((address) => stateJson(ledger, address, block, form)),
    );
  },

  getProgramAccounts: ({ ledger }, [program, rest]) => {
    const given = optionsOf(rest);
    const block = contextOf(ledger.blocks, given);
    const found = ledger.accounts
      .ofProgram(addressOf(program), block.slot)
      .filter((account) => (given.filters ?? []).every((filter) => passes(account, filter)))
      .map((account) => keyed(ledger, account, block, formOf(given, 'base58')));
    return given.withContext ? withContext(block, found) : found;
  },

  getTokenAccountsByOwner: ({ ledger }, [owner, filter, rest]) => {
    const given = optionsOf(rest);
    const block = contextOf(ledger.blocks, given);
    const accepts = tokenFilter(ledger, filter, block);
    const held = ledger.accounts.holdingsOf(addressOf(owner), block.slot).filter(({ token }) => accepts(token));
    return withContext(
      block,
      held.map(({ account }) => keyed(ledger, account, block, formOf(given, 'base58'))),
    );
  },

  getTokenAccountBalance: ({ ledger }, [address, rest]) => {
    const block = contextOf(ledger.blocks, optionsOf(rest));
    const state = ledger.accounts.at(addressOf(address), block.slot);
    if (!state) throw invalidParams('Invalid param: could not find account');
    const token = readTokenAccount(state);
    if (!token) throw invalidParams('Invalid param: not a Token account');
    return withContext(block, uiAmount(token.amount, ledger.accounts.decimalsOf(token.mint, block.slot)));
  },

  getTokenSupply: ({ ledger }, [address, rest]) => {
    const block = contextOf(ledger.blocks, optionsOf(rest));
    const mint = readMint(ledger.accounts.at(addressOf(address), block.slot));
    if (!mint) throw invalidParams('Invalid param: not a Token mint');
    return withContext(block, uiAmount(mint.supply, mint.decimals));
  },

  getMinimumBalanceForRentExemption: ({ ledger }, [size]) => Number(ledger.vm.rent(BigInt(slotOf(size)))),
};

/** The encoding of the response. Clients that name none get the one that nodes used first. */
export function formOf({ encoding, dataSlice }: Options, otherwise: AccountForm['encoding']): AccountForm {
  if (encoding === 'json') throw invalidParams('Invalid params: unknown variant `json` for an account');
  return { encoding: encoding ?? otherwise, slice: dataSlice ?? undefined };
}

/** An account at a block, or null when there was none. */
export function stateJson({ accounts }: Ledger, address: Address, { slot }: Block, form: AccountForm) {
  const state = accounts.at(address, slot);
  return state && accountJson(state, accounts, slot, form);
}

const keyed = ({ accounts }: Ledger, account: EncodedAccount, { slot }: Block, form: AccountForm) => ({
  pubkey: account.address,
  account: accountJson(account, accounts, slot, form),
});

function passes({ data }: EncodedAccount, filter: NonNullable<Options['filters']>[number]): boolean {
  if ('dataSize' in filter) return data.length === filter.dataSize;
  const { offset, bytes, encoding } = filter.memcmp;
  const wanted = encoding === 'base64' ? Buffer.from(bytes, 'base64') : Buffer.from(decodedBase58(bytes));
  return Buffer.from(data.slice(offset, offset + wanted.length)).equals(wanted);
}

function tokenFilter({ accounts }: Ledger, filter: unknown, { slot }: Block) {
  const { mint, programId } = (filter ?? {}) as { mint?: unknown; programId?: unknown };
  if (mint !== undefined) {
    const wanted = addressOf(mint);
    if (!readMint(accounts.at(wanted, slot))) throw invalidParams('Invalid param: could not find mint');
    return (token: { readonly mint: Address }) => token.mint === wanted;
  }
  const wanted = addressOf(programId);
  if (!TOKEN_PROGRAMS.includes(wanted)) throw invalidParams('Invalid param: unrecognized Token program id');
  return (token: { readonly program: Address }) => token.program === wanted;
}
