// The two instructions of a token transfer, by hand: the signer loads no chain SDK, and @solana/web3.js would add tens of megabytes to the
// web process. The signer's reader and the hosted page's transfer share them; the worker's drafts come from @solana/spl-token. Pure.

import { ASSOCIATED_TOKEN_PROGRAM, SYSTEM_PROGRAM, TOKEN_PROGRAM } from './address';
import type { Instruction } from './message';

const [CREATE_IDEMPOTENT, TRANSFER_CHECKED] = [1, 12];

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
