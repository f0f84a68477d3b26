// What the transactions of a sweep do on a simulated Solana chain: token accounts are opened, emptied into that of the treasury and closed,
// and the fee payer pays and gets their rent. All instructions of a transaction take effect, or none.

import { ASSOCIATED_TOKEN_PROGRAM } from '@/lib/networks/families/solana/address';
import type { Message } from '@/sandbox/chains/solana/message';
import { RpcError } from '@/sandbox/chains/solana/rpc-error';
import { feeOf, readTransaction, type WireTransaction } from '@/sandbox/chains/solana/wire';
import { TOKEN_PROGRAM, type TokenState } from '@/testing/solana/solana-ledger';
import type { Movement, SentTransaction } from './chain';
import { isBlocked, isRefused } from './refusals';
import {
  isSweep,
  lamportsOf,
  RENT,
  type SolanaState,
  type SolanaSweep,
  type SolanaTransaction,
  type SweepInstruction,
} from './solana-state';

const COMPUTE_BUDGET = 'ComputeBudget111111111111111111111111111111';
const SET_PRICE = 3;
export const TRANSFER_CHECKED = 12;
const CLOSE_ACCOUNT = 9;
/** Errors of the token program (spl-token: error.rs). */
const [INSUFFICIENT_FUNDS, OWNER_MISMATCH, NOT_EMPTY, FROZEN] = [1, 4, 11, 17];

/** Null for bytes that are no transaction. */
export function readWire(bytes: string): WireTransaction | null {
  try {
    return readTransaction(bytes, 'base64');
  } catch (error) {
    if (error instanceof RpcError) return null;
    throw error;
  }
}

export function unitPriceOf({ staticKeys, instructions }: Message): bigint {
  const price = instructions.find(
    ({ program, data }) => staticKeys[program] === COMPUTE_BUDGET && data[0] === SET_PRICE,
  );
  return price ? Buffer.from(price.data).readBigUInt64LE(1) : 0n;
}

/** Null for a transaction with another instruction than those of sweeps. */
export function sweepOf({ message, signatures }: WireTransaction): SolanaSweep | null {
  const { staticKeys: keys, blockhash } = message;
  const [feePayer = '', ...signers] = keys.slice(0, message.signers);
  const instructions: SweepInstruction[] = [];
  for (const { program, accounts, data } of message.instructions) {
    if (keys[program] === COMPUTE_BUDGET) continue;
    const named = accounts.map((index) => keys[index] as string);
    const read = instructionOf(keys[program], named, data);
    if (read === null) return null;
    instructions.push(read);
  }
  const signed = { blockhash, unitPrice: unitPriceOf(message), fee: Number(feeOf(message)) };
  return { signature: signatures[0] ?? '', feePayer, signers, instructions, signed };
}

function instructionOf(
  program: string | undefined,
  [first = '', second = '', third = '', fourth = '']: readonly string[],
  data: Uint8Array,
): SweepInstruction | null {
  if (program === ASSOCIATED_TOKEN_PROGRAM) return { kind: 'open', account: second, owner: third, mint: fourth };
  if (program !== TOKEN_PROGRAM) return null;
  if (data[0] === CLOSE_ACCOUNT) return { kind: 'close', account: first, owner: third };
  if (data[0] !== TRANSFER_CHECKED) return null;
  const amount = Buffer.from(data).readBigUInt64LE(1);
  return { kind: 'move', source: first, mint: second, destination: third, owner: fourth, amount };
}

type Ran = {
  /** With the number of the instruction that failed. */
  readonly error: object | null;
  readonly accounts: ReadonlyMap<string, TokenState | null>;
  readonly moved: readonly (Movement & { readonly source: string })[];
  /** Lamports that the fee payer got for closed accounts, less what it paid for opened ones. */
  readonly rent: number;
};

/** Runs the instructions on the accounts as they are after a slot. `coin`: lamports of the fee payer after the fee. */
export function runSweep(state: SolanaState, sweep: SolanaSweep, { slot, coin }: { slot: number; coin: number }): Ran {
  const accounts = new Map<string, TokenState | null>();
  for (const account of accountsIn(sweep)) accounts.set(account, state.ledger.at(account, slot));
  const moved: Ran['moved'][number][] = [];
  let rent = 0;
  for (const [at, one] of sweep.instructions.entries()) {
    const failed = (code: number): Ran => ({
      ...{ error: { InstructionError: [at, { Custom: code }] }, accounts, moved: [], rent: 0 },
    });
    if (one.kind === 'open') {
      if (accounts.get(one.account)) continue;
      if (coin + rent < RENT) return failed(INSUFFICIENT_FUNDS);
      accounts.set(one.account, { mint: one.mint, owner: one.owner, amount: 0n });
      rent -= RENT;
      continue;
    }
    const source = accounts.get(one.kind === 'close' ? one.account : one.source);
    if (!source || source.owner !== one.owner || !sweep.signers.includes(one.owner)) return failed(OWNER_MISMATCH);
    if (one.kind === 'close') {
      if (source.amount > 0n) return failed(NOT_EMPTY);
      accounts.set(one.account, null);
      rent += RENT;
      continue;
    }
    const destination = accounts.get(one.destination);
    if (!destination || destination.mint !== one.mint || source.mint !== one.mint) return failed(OWNER_MISMATCH);
    const movement = { token: one.mint, payer: one.owner, recipient: destination.owner, amount: one.amount };
    if (isBlocked(state.refused, one.mint, one.owner) || isRefused(state.refused, movement)) return failed(FROZEN);
    if (source.amount < one.amount) return failed(INSUFFICIENT_FUNDS);
    accounts.set(one.source, { ...source, amount: source.amount - one.amount });
    accounts.set(one.destination, { ...destination, amount: destination.amount + one.amount });
    moved.push({ ...movement, source: one.source });
  }
  return { error: null, accounts, moved, rent };
}

/** Token accounts that it names, each once. */
const accountsIn = ({ instructions }: SolanaSweep): readonly string[] => [
  ...new Set(instructions.flatMap((one) => (one.kind === 'move' ? [one.source, one.destination] : [one.account]))),
];

/** Lands it in a slot. Null: its fee payer cannot pay the fee, so no block takes it. */
export function landSweep(
  state: SolanaState,
  slot: number,
  from: SolanaSweep,
): (SolanaTransaction & Pick<Ran, 'moved'>) | null {
  const { signature, feePayer, signers, signed } = from;
  const coin = lamportsOf(state, feePayer, slot);
  if (coin < signed.fee) return null;
  const { error, accounts, moved, rent } = runSweep(state, from, { slot, coin: coin - signed.fee });
  const changes = [...accounts].map(([account, now]) => ({ account, state: now }));
  const existed = new Set(changes.filter(({ account }) => state.ledger.now(account)).map(({ account }) => account));
  const failure = error === null ? {} : { err: error };
  const mined = state.ledger.apply(
    slot,
    { changes, feePayer, signers: [...signers], version: 'legacy', ...failure },
    signature,
  );
  const lamports = (exists: (account: string) => boolean): number[] =>
    mined.keys.slice(1).map((key) => (signers.includes(key) || (accounts.has(key) && !exists(key)) ? 0 : RENT));
  const left = coin - signed.fee + rent;
  const landed = {
    ...{ ...mined, from, signers, moved },
    before: [coin, ...lamports((key) => existed.has(key))],
    after: [left, ...lamports((key) => (error === null ? accounts.get(key) !== null : existed.has(key)))],
  };
  state.mined.push(landed);
  return landed;
}

/** The transactions of sweeps, for the checks. Rent of closed accounts lowers no cost. */
export function sentOn({ mined, waiting }: SolanaState): readonly SentTransaction[] {
  const landed = mined.flatMap(({ from, slot, err, moved = [] }) => {
    if (!isSweep(from)) return [];
    const { signature: hash, feePayer, signed, instructions } = from;
    const opened = err === null ? instructions.filter(({ kind }) => kind === 'open').length * RENT : 0;
    return [{ hash, from: feePayer, nonce: 0, blockNumber: slot, cost: BigInt(signed.fee + opened), moved }];
  });
  const left = waiting.filter(isSweep).map(({ signature: hash, feePayer: from }) => ({
    ...{ hash, from, nonce: 0, blockNumber: null, cost: 0n, moved: [] },
  }));
  return [...landed, ...left];
}
