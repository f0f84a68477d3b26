// From a transaction to what it moved, without any I/O. Only the token balances before and after count: no instruction is
// read, so inner calls, batches, swaps and forged memos all come to the same (chains.md section 6, rows 10, 22 and 23).

import { ChainError, type FoundTransfer, type TokenMovement } from '@/lib/networks/chain';
import { tokenOf, type NetworkSpec } from '@/lib/networks/networks';
import { keyText, TOKEN_PROGRAM } from '@/lib/networks/families/solana/address';
import type { AccountData, TokenBalance, Transaction } from '@/lib/networks/families/solana/shapes';

/** A token balance of one account on both sides of a transaction; an account that was not there held nothing. */
type Balance = {
  readonly account: string;
  /** Place of the account among the transaction's accounts. */
  readonly index: number;
  readonly mint: string;
  readonly owner: string;
  readonly program: string;
  readonly before: bigint;
  readonly after: bigint;
};

type Side = 'before' | 'after';

/** What is kept of a transaction. `balances` is empty when it failed. */
export type TransactionFacts = {
  readonly signature: string;
  readonly slot: number;
  readonly succeeded: boolean;
  readonly feePayer: string;
  /** Null where the node does not tell them. */
  readonly signers: ReadonlySet<string> | null;
  /** The accounts that have more SOL after it than before. */
  readonly gainedSol: ReadonlySet<string>;
  /** Lamports that it took from who paid its fee, with the rent of accounts that they opened; null where that is not told. */
  readonly spent: bigint | null;
  readonly balances: readonly Balance[];
};

/** Which account is asked about: only what it holds of this mint, for this owner, under the classic program, is ours. */
export type Holder = { readonly account: string; readonly owner: string; readonly mint: string };

const [MINT_AT, OWNER_AT, AMOUNT_AT, STATE_AT] = [0, 32, 64, 108];
/** As much of a token account's 165 bytes as is read: mint, owner, amount, delegate and state. */
export const TOKEN_ACCOUNT_SLICE = { offset: 0, length: STATE_AT + 1 };

/**
 * Mint, owner and amount of a classic token account's data; null for anything else or one that was never initialised. Throws
 * `contradiction` for data that is too short to be what was asked for.
 */
export function readTokenAccount(data: AccountData | null): { mint: string; owner: string; amount: bigint } | null {
  if (!data || data.owner !== TOKEN_PROGRAM) return null;
  const bytes = Buffer.from(data.data[0], 'base64');
  if (bytes.length < TOKEN_ACCOUNT_SLICE.length) throw new ChainError('contradiction', 'a token account was cut short');
  // 1 is initialised, 2 is frozen by the issuer: it still holds what it holds.
  if (bytes[STATE_AT] !== 1 && bytes[STATE_AT] !== 2) return null;
  return {
    mint: keyText(bytes.subarray(MINT_AT, OWNER_AT)),
    owner: keyText(bytes.subarray(OWNER_AT, AMOUNT_AT)),
    amount: bytes.readBigUInt64LE(AMOUNT_AT),
  };
}

/** What an account holds for its holder; nothing when its owner was changed or it is of another mint (row 25). */
export function heldAmount(holder: Holder, data: AccountData | null): bigint {
  const found = readTokenAccount(data);
  return found?.mint === holder.mint && found.owner === holder.owner ? found.amount : 0n;
}

/** The facts of a transaction as a node gave it. Throws `contradiction` when it is not true in itself. */
export function readTransaction(given: Transaction): TransactionFacts {
  const { message, signatures } = given.transaction;
  const loaded = given.meta.loadedAddresses;
  const keys = [...message.accountKeys, ...(loaded?.writable ?? []), ...(loaded?.readonly ?? [])];
  const [signature, feePayer] = [signatures[0] as string, keys[0] as string];
  const succeeded = given.meta.err === null || given.meta.err === undefined;
  const balances = new Map<string, Balance>();
  const told = new Set<string>();
  const add = ({ accountIndex: index, mint, owner, programId: program, uiTokenAmount }: TokenBalance, side: Side) => {
    const account = keys[index];
    if (account === undefined || told.has(`${side} ${index}`)) {
      throw new ChainError('contradiction', `transaction ${signature} has balances that cannot be`);
    }
    told.add(`${side} ${index}`);
    if (owner === undefined || program === undefined) return;
    // The same account under another owner or mint is another holding: what one loses, the other gains.
    const id = `${index} ${mint} ${owner} ${program}`;
    const known = balances.get(id) ?? { account, index, mint, owner, program, before: 0n, after: 0n };
    balances.set(id, { ...known, [side]: uiTokenAmount.amount });
  };
  if (succeeded) {
    for (const entry of given.meta.preTokenBalances) add(entry, 'before');
    for (const entry of given.meta.postTokenBalances) add(entry, 'after');
  }
  const { preBalances: before, postBalances: after } = given.meta;
  return {
    signature,
    slot: given.slot,
    succeeded,
    feePayer,
    signers: message.header ? new Set(message.accountKeys.slice(0, message.header.numRequiredSignatures)) : null,
    gainedSol: new Set(keys.filter((_, index) => (after[index] ?? Infinity) > (before[index] ?? 0))),
    spent: spentBy(before[0], after[0]),
    balances: [...balances.values()],
  };
}

/** Null for numbers that a double does not hold exactly, and for a payer who gained. */
const spentBy = (before: number | undefined, after: number | undefined): bigint | null =>
  Number.isSafeInteger(before) && Number.isSafeInteger(after) && Number(before) >= Number(after)
    ? BigInt(before as number) - BigInt(after as number)
    : null;

/**
 * What a holder's account held before and after. Null when the transaction tells nothing of the account: one that does not
 * call a token program names no balances and cannot have changed any.
 */
export function changeOf(facts: TransactionFacts, holder: Holder): { before: bigint; after: bigint } | null {
  const told = facts.balances.filter(({ account }) => account === holder.account);
  const own = told.find(
    ({ mint, owner, program }) => mint === holder.mint && owner === holder.owner && program === TOKEN_PROGRAM,
  );
  if (told.length === 0) return null;
  return { before: own?.before ?? 0n, after: own?.after ?? 0n };
}

/** What one owner gained or lost of one token in a transaction, over all its accounts. */
type Net = {
  readonly mint: string;
  readonly program: string;
  readonly owner: string;
  /** The place of the owner's first account of the token, the same wherever the transaction is read: it is signed. */
  readonly index: number;
  readonly change: bigint;
};

function netsOf(facts: TransactionFacts): Net[] {
  const nets = new Map<string, Net>();
  for (const { mint, program, owner, index, before, after } of facts.balances) {
    const id = `${mint} ${program} ${owner}`;
    const known = nets.get(id) ?? { mint, program, owner, index, change: 0n };
    nets.set(id, { ...known, index: Math.min(known.index, index), change: known.change + after - before });
  }
  return [...nets.values()].toSorted((one, other) => one.index - other.index);
}

const losersOf = (nets: readonly Net[], gain: Net): readonly Net[] =>
  nets.filter(({ mint, program, change }) => mint === gain.mint && program === gain.program && change < 0n);

/**
 * Who paid a gain: the owner who lost exactly as much of the token, else the one who lost most. Nobody lost any when the
 * issuer made new ones; then it is who paid the transaction's fee.
 */
function payerOf(facts: TransactionFacts, nets: readonly Net[], gain: Net): string {
  const losers = losersOf(nets, gain);
  const exact = losers.find(({ change }) => change === -gain.change);
  const most = losers.toSorted((one, other) => (one.change < other.change ? -1 : one.change > other.change ? 1 : 0))[0];
  return (exact ?? most)?.owner ?? facts.feePayer;
}

/**
 * Whether the payer ordered the transfer: they signed, no other account lost any of the token, and they got neither tokens nor SOL in
 * return, as a market maker does in a swap.
 */
function isPlain(facts: TransactionFacts, nets: readonly Net[], gain: Net, payer: string): boolean {
  const [loser, ...others] = losersOf(nets, gain);
  const isPaidBack = facts.gainedSol.has(payer) || nets.some(({ owner, change }) => owner === payer && change > 0n);
  return loser?.owner === payer && others.length === 0 && facts.signers?.has(payer) === true && !isPaidBack;
}

/** A transfer but for the block that it is in, of which the transaction tells no more than the slot. */
export type Gain = Omit<FoundTransfer, 'blockNumber' | 'blockHash' | 'blockTime'>;

/**
 * What a transaction pays one owner: per allow-listed token what all its accounts gained together, so that what is pulled
 * back at once or moved between its own accounts is nothing (row 26). It follows from the transaction alone, whichever
 * account led to it; the ordinal is the place of the owner's first account of the token among the transaction's accounts.
 */
export function gainsOf(spec: NetworkSpec, facts: TransactionFacts, owner: string): Gain[] {
  const nets = netsOf(facts);
  return nets.flatMap((net): Gain[] => {
    const found = net.program === TOKEN_PROGRAM ? tokenOf(spec, net.mint) : null;
    if (!found || net.owner !== owner || net.change <= 0n) return [];
    const payer = payerOf(facts, nets, net);
    const { signature: transactionHash } = facts;
    const { currency } = found;
    return [
      {
        transactionHash,
        ordinal: net.index,
        currency,
        contract: net.mint,
        payer,
        recipient: owner,
        amount: net.change,
        isPlain: isPlain(facts, nets, net, payer),
      },
    ];
  });
}

/** Every gain of any token, genuine ones first, so that a limit never hides them behind others. */
export function movementsOf(spec: NetworkSpec, facts: TransactionFacts): TokenMovement[] {
  const nets = netsOf(facts);
  const all = nets
    .filter(({ change }) => change > 0n)
    .map((net) => ({
      contract: net.mint,
      currency: net.program === TOKEN_PROGRAM ? (tokenOf(spec, net.mint)?.currency ?? null) : null,
      payer: payerOf(facts, nets, net),
      recipient: net.owner,
      amount: net.change,
    }));
  return [...all.filter(({ currency }) => currency !== null), ...all.filter(({ currency }) => currency === null)];
}
