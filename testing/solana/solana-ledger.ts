// The state of a simulated Solana: token accounts over time, and the transactions that changed them.

import { createHash } from 'node:crypto';
import { base58 } from '@scure/base';

export const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
export const TOKEN_2022 = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb';

export type TokenState = { mint: string; owner: string; amount: bigint; program?: string; frozen?: boolean };
/** The state of an account after a transaction; null when it was closed. */
export type Change = { account: string; state: TokenState | null };
export type FakeTransaction = {
  changes?: Change[];
  /** Accounts that are mentioned without being changed. */
  mentions?: string[];
  /** Fails and changes nothing. */
  err?: unknown;
  signature?: string;
  feePayer?: string;
  /** Who signs beside the fee payer. */
  signers?: string[];
  version?: number | 'legacy';
  memo?: string;
  /** Lamports that accounts gain, or lose. Given: the node reports coin, and each account had COIN. */
  coin?: Record<string, number>;
  /** Its accounts come from an address lookup table. */
  looksUp?: boolean;
};

export type Balance = { accountIndex: number; mint: string; owner: string; programId: string; uiTokenAmount: object };
export type MinedTransaction = {
  signature: string;
  slot: number;
  err: unknown;
  version: number | 'legacy';
  memo: string | null;
  keys: string[];
  looksUp: boolean;
  coin: Record<string, number> | null;
  pre: Balance[];
  post: Balance[];
};

/** Lamports of each account before a transaction. */
export const COIN = 10_000_000_000;

/** An address that is the same for the same name. */
export const fakeKey = (name: string): string => base58.encode(createHash('sha256').update(name).digest());
/** A signature that is the same for the same name. */
export const fakeSignature = (name: string): string => base58.encode(createHash('sha512').update(name).digest());

export class SolanaLedger {
  private readonly states = new Map<string, { slot: number; state: TokenState | null }[]>();
  constructor(readonly decimals: Record<string, number>) {}

  /** The state of an account as of a slot. */
  at(account: string, slot: number): TokenState | null {
    return this.states.get(account)?.findLast((one) => one.slot <= slot)?.state ?? null;
  }

  now(account: string): TokenState | null {
    return this.at(account, Number.POSITIVE_INFINITY);
  }

  /** Every account that ever existed. */
  accounts(): string[] {
    return [...this.states.keys()];
  }

  /** Reverts everything above a slot. */
  drop(above: number): void {
    for (const [account, states] of this.states) {
      const left = states.filter(({ slot }) => slot <= above);
      this.states.set(account, left);
    }
  }

  apply(slot: number, given: FakeTransaction, signature: string): MinedTransaction {
    const changes = given.changes ?? [];
    const touched = [
      ...changes.map(({ account }) => account),
      ...(given.mentions ?? []),
      ...Object.keys(given.coin ?? {}),
    ];
    const program = changes.length > 0 ? [TOKEN_PROGRAM] : [];
    const signers = [given.feePayer ?? fakeKey('fee payer'), ...(given.signers ?? [])];
    const keys = [...new Set([...signers, ...touched, ...program])];
    const pre = this.balances(keys, changes.length > 0);
    if (given.err === undefined) {
      for (const { account, state } of changes) {
        const states = this.states.get(account) ?? [];
        states.push({ slot, state });
        this.states.set(account, states);
      }
    }
    const post = this.balances(keys, changes.length > 0);
    const { err = null, version = 0, memo = null, looksUp = false, coin = null } = given;
    return { signature, slot, err, version, memo, keys, looksUp, coin, pre, post };
  }

  /** A transaction without a token program reports no balances. */
  private balances(keys: readonly string[], told: boolean): Balance[] {
    if (!told) return [];
    return keys.flatMap((key, accountIndex) => {
      const state = this.now(key);
      if (!state) return [];
      const decimals = this.decimals[state.mint] ?? 6;
      const amount = state.amount.toString();
      const uiTokenAmount = { amount, decimals, uiAmount: Number(amount) / 10 ** decimals, uiAmountString: amount };
      return [
        {
          accountIndex,
          mint: state.mint,
          owner: state.owner,
          programId: state.program ?? TOKEN_PROGRAM,
          uiTokenAmount,
        },
      ];
    });
  }
}

/** A token account's data in the program's layout. */
export function accountData({ mint, owner, amount, frozen }: TokenState): Buffer {
  const data = Buffer.alloc(165);
  data.set(base58.decode(mint), 0);
  data.set(base58.decode(owner), 32);
  data.writeBigUInt64LE(amount, 64);
  data[108] = frozen ? 2 : 1;
  return data;
}

/** A mint's data. */
export function mintData(decimals: number): Buffer {
  const data = Buffer.alloc(82);
  data[44] = decimals;
  data[45] = 1;
  return data;
}
