// A transaction in a block with its effects: balances of every account that it names before and after, of lamports and of tokens,
// and the result of its execution.

import type { Address } from '@solana/kit';
import type { Accounts } from './accounts';
import { readTokenAccount, uiAmount, type UiTokenAmount } from './token-data';
import type { Execution } from './vm';
import type { Keys, WireTransaction } from './wire';

type TokenBalance = {
  readonly accountIndex: number;
  readonly mint: Address;
  readonly owner: Address;
  readonly programId: Address;
  readonly uiTokenAmount: UiTokenAmount;
};
export type Balances = {
  /** In the order of the transaction's keys. */
  readonly lamports: readonly number[];
  /** Of those keys that are token accounts. */
  readonly tokens: readonly TokenBalance[];
};
export type Landed = {
  readonly signature: string;
  readonly slot: number;
  /** Unix seconds. */
  readonly time: number;
  readonly wire: WireTransaction;
  readonly keys: Keys;
  readonly fee: number;
  readonly before: Balances;
  readonly after: Balances;
  readonly execution: Execution;
};

const MEMO_PROGRAMS: readonly string[] = [
  'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
  'Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo',
];

export const isMemoProgram = (program: Address): boolean => MEMO_PROGRAMS.includes(program);

/** The current balances of the accounts. */
export function balancesOf(accounts: Accounts, keys: Keys, slot: number): Balances {
  const states = keys.all.map((address) => accounts.now(address));
  return {
    lamports: states.map((state) => Number(state?.lamports ?? 0n)),
    tokens: states.flatMap((state, accountIndex): TokenBalance[] => {
      const token = readTokenAccount(state);
      if (!token) return [];
      const { mint, owner, program } = token;
      const uiTokenAmount = uiAmount(token.amount, accounts.decimalsOf(mint, slot));
      return [{ accountIndex, mint, owner, programId: program, uiTokenAmount }];
    }),
  };
}

/** The memos of a transaction as nodes list them: `[length] text`, several separated by `; `. Null without any. */
export function memoOf({ wire, keys }: Landed): string | null {
  const memos = wire.message.instructions
    .filter(({ program }) => isMemoProgram(keys.all[program] as Address))
    .map(({ data }) => `[${data.length}] ${Buffer.from(data).toString('utf8')}`);
  return memos.length > 0 ? memos.join('; ') : null;
}
