// The instructions of a token transfer, by hand: the signer loads no chain SDK, and @solana/web3.js would add tens of megabytes to the
// web process. The signer's reader, sweeps and the hosted page's transfer share them; the worker's drafts come from @solana/spl-token. Pure.

import { ASSOCIATED_TOKEN_PROGRAM, SYSTEM_PROGRAM, TOKEN_PROGRAM } from './address';
import type { Instruction } from './message';

export const COMPUTE_BUDGET = 'ComputeBudget111111111111111111111111111111';
/** The sysvar that AdvanceNonceAccount still names. */
export const RECENT_BLOCKHASHES = 'SysvarRecentB1ockHashes11111111111111111111';
const ADVANCE_NONCE = 4;
const [SET_LIMIT, SET_PRICE] = [2, 3];
const [CREATE_IDEMPOTENT, CLOSE_ACCOUNT, TRANSFER_CHECKED] = [1, 9, 12];

/** `unitPrice`: micro-lamports per compute unit. */
export type Units = { readonly unitLimit: number; readonly unitPrice: bigint };

/** Limits and prices the compute units of a transaction. */
export function computeBudget({ unitLimit, unitPrice }: Units): Instruction[] {
  const limit = Buffer.alloc(5, SET_LIMIT);
  limit.writeUInt32LE(unitLimit, 1);
  const price = Buffer.alloc(9, SET_PRICE);
  price.writeBigUInt64LE(unitPrice, 1);
  return [limit, price].map((data) => ({ program: COMPUTE_BUDGET, accounts: [], data }));
}

/** Makes the value of a durable nonce account unusable for any other transaction. It must be the first instruction. */
export const advanceNonce = (given: { readonly account: string; readonly authority: string }): Instruction => ({
  program: SYSTEM_PROGRAM,
  accounts: [given.account, RECENT_BLOCKHASHES, given.authority],
  data: Uint8Array.of(ADVANCE_NONCE, 0, 0, 0),
});

/** Creates the owner's associated account, paid by `payer`. It has no effect if the account exists. */
export const createAccount = (given: {
  readonly payer: string;
  readonly account: string;
  readonly owner: string;
  readonly mint: string;
}): Instruction => ({
  program: ASSOCIATED_TOKEN_PROGRAM,
  accounts: [given.payer, given.account, given.owner, given.mint, SYSTEM_PROGRAM, TOKEN_PROGRAM],
  data: Uint8Array.of(CREATE_IDEMPOTENT),
});

/** Transfers between token accounts; the owner of the source signs. `references`: further accounts, by which the transfer can be found. */
export function transferChecked(given: {
  readonly source: string;
  readonly mint: string;
  readonly destination: string;
  readonly owner: string;
  readonly amount: bigint;
  readonly decimals: number;
  readonly references?: readonly string[];
}): Instruction {
  const { source, mint, destination, owner, amount, decimals, references = [] } = given;
  const data = Buffer.alloc(10, TRANSFER_CHECKED);
  data.writeBigUInt64LE(amount, 1);
  data.writeUInt8(decimals, 9);
  return { program: TOKEN_PROGRAM, accounts: [source, mint, destination, owner, ...references], data };
}

/** Closes an empty token account. Its rent goes to `recipient`; its owner signs. */
export const closeAccount = (given: {
  readonly account: string;
  readonly recipient: string;
  readonly owner: string;
}): Instruction => ({
  program: TOKEN_PROGRAM,
  accounts: [given.account, given.recipient, given.owner],
  data: Uint8Array.of(CLOSE_ACCOUNT),
});
