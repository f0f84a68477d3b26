// Decodes what a transaction moved, without I/O. Only the token balances before and after count. Instructions are not read, so
// inner calls, batches, swaps and forged memos make no difference.

import { ChainError, type FoundTransfer, type TokenMovement } from '@/lib/networks/chain';
import { tokenOf, type NetworkSpec } from '@/lib/networks/networks';
import { keyText, TOKEN_PROGRAM } from '@/lib/networks/families/solana/address';
import type { AccountData, TokenBalance, Transaction } from '@/lib/networks/families/solana/shapes';

/** A token balance of one account before and after a transaction; an account that did not exist held nothing. */
type Balance = {
  readonly account: string;
  /** Position of the account among the transaction's accounts. */
  readonly index: number;
  readonly mint: string;
  readonly owner: string;
  readonly program: string;
  readonly before: bigint;
  readonly after: bigint;
};

type Side = 'before' | 'after';

/** The facts kept of a transaction. `balances` is empty if it failed. */
export type TransactionFacts = {
  readonly signature: string;
  readonly slot: number;
  readonly succeeded: boolean;
  readonly feePayer: string;
  /** Null if the node does not report them. */
  readonly signers: ReadonlySet<string> | null;
  /** Lamports that each account gained, negative if it lost some; no entry if it kept them. Null if the node does not report them. */
  readonly coinChanges: ReadonlyMap<string, bigint> | null;
  /** The accounts whose SOL balance rose. */
  readonly gainedSol: ReadonlySet<string>;
  /**
   * Lamports that the fee payer spent, including the rent of newly opened accounts; negative if it gained, as the rent of closed ones.
   * Null if the node does not report that.
   */
  readonly spent: bigint | null;
  /** Lamports in the token accounts that it opened. */
  readonly rent: bigint;
  readonly balances: readonly Balance[];
};

/** The account in question: only its holding of this mint, for this owner, under the classic program, is ours. */
export type Holder = { readonly account: string; readonly owner: string; readonly mint: string };

const [MINT_AT, OWNER_AT, AMOUNT_AT, STATE_AT] = [0, 32, 64, 108];
/** The part of a token account's 165 bytes that is read: mint, owner, amount, delegate and state. */
export const TOKEN_ACCOUNT_SLICE = { offset: 0, length: STATE_AT + 1 };

/**
 * Mint, owner and amount of a classic token account's data; null for any other data or an account that was never initialised.
 * Throws `contradiction` for data shorter than the requested slice.
 */
export function readTokenAccount(data: AccountData | null): { mint: string; owner: string; amount: bigint } | null {
  if (!data || data.owner !== TOKEN_PROGRAM) return null;
  const bytes = Buffer.from(data.data[0], 'base64');
  if (bytes.length < TOKEN_ACCOUNT_SLICE.length) throw new ChainError('contradiction', 'a token account was cut short');
  // 1 is initialised; 2 is frozen by the issuer, with its balance intact.
  if (bytes[STATE_AT] !== 1 && bytes[STATE_AT] !== 2) return null;
  return {
    mint: keyText(bytes.subarray(MINT_AT, OWNER_AT)),
    owner: keyText(bytes.subarray(OWNER_AT, AMOUNT_AT)),
    amount: bytes.readBigUInt64LE(AMOUNT_AT),
  };
}

/** The balance of an account for its holder; zero if its owner was changed or it is of another mint. */
export function heldAmount(holder: Holder, data: AccountData | null): bigint {
  const found = readTokenAccount(data);
  return found?.mint === holder.mint && found.owner === holder.owner ? found.amount : 0n;
}

/** The facts of a transaction from a node's answer. Throws `contradiction` if the answer is inconsistent. */
export function readTransaction(given: Transaction): TransactionFacts {
  const { message, signatures } = given.transaction;
  const loaded = given.meta.loadedAddresses;
  const keys = [...message.accountKeys, ...(loaded?.writable ?? []), ...(loaded?.readonly ?? [])];
  const [signature, feePayer] = [signatures[0] as string, keys[0] as string];
  const succeeded = given.meta.err === null || given.meta.err === undefined;
  const balances = new Map<string, Balance>();
  const reported = new Set<string>();
  const add = ({ accountIndex: index, mint, owner, programId: program, uiTokenAmount }: TokenBalance, side: Side) => {
    const account = keys[index];
    if (account === undefined || reported.has(`${side} ${index}`)) {
      throw new ChainError('contradiction', `transaction ${signature} has balances that cannot be`);
    }
    reported.add(`${side} ${index}`);
    if (owner === undefined || program === undefined) return;
    // The same account under another owner or mint is a separate holding: what one loses, the other gains.
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
    coinChanges: coinChangesOf(keys, before, after),
    gainedSol: new Set(keys.filter((_, index) => (after[index] ?? Infinity) > (before[index] ?? 0))),
    spent: spentBy(before[0], after[0]),
    rent: rentIn(
      new Set([...balances.values()].map(({ index }) => index).filter((one) => !reported.has(`before ${one}`))),
      before,
      after,
    ),
    balances: [...balances.values()],
  };
}

/** Balances above 2^53 are rounded, in the same way for every endpoint. */
function coinChangesOf(
  keys: readonly string[],
  before: readonly number[],
  after: readonly number[],
): ReadonlyMap<string, bigint> | null {
  const changes = new Map<string, bigint>();
  for (const [index, key] of keys.entries()) {
    const [had, has] = [before[index], after[index]];
    if (!Number.isInteger(had) || !Number.isInteger(has)) return null;
    if (had !== has) changes.set(key, BigInt(has as number) - BigInt(had as number));
  }
  return changes;
}

/** What token accounts got that were opened. Their addresses may have held lamports before. */
function rentIn(opened: ReadonlySet<number>, before: readonly number[], after: readonly number[]): bigint {
  const gained = [...opened].map((index) => (after[index] ?? NaN) - (before[index] ?? NaN));
  return gained.reduce(
    (sum, lamports) => (Number.isSafeInteger(lamports) && lamports > 0 ? sum + BigInt(lamports) : sum),
    0n,
  );
}

/** Null for numbers that a double cannot hold exactly. */
const spentBy = (before: number | undefined, after: number | undefined): bigint | null =>
  Number.isSafeInteger(before) && Number.isSafeInteger(after)
    ? BigInt(before as number) - BigInt(after as number)
    : null;

/**
 * What a holder's account held before and after. Null if the transaction has no balance of the account: a transaction that does
 * not call a token program lists no balances and cannot have changed any.
 */
export function changeOf(facts: TransactionFacts, holder: Holder): { before: bigint; after: bigint } | null {
  const reported = facts.balances.filter(({ account }) => account === holder.account);
  const own = reported.find(
    ({ mint, owner, program }) => mint === holder.mint && owner === holder.owner && program === TOKEN_PROGRAM,
  );
  if (reported.length === 0) return null;
  return { before: own?.before ?? 0n, after: own?.after ?? 0n };
}

/** The net change of one owner's holdings of one token in a transaction, over all its accounts. */
export type Net = {
  readonly mint: string;
  readonly program: string;
  readonly owner: string;
  /** Position of the owner's first account of the token. The signed message fixes it, so every node reports the same. */
  readonly index: number;
  readonly change: bigint;
};

export function netsOf(facts: TransactionFacts): Net[] {
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
 * The payer of a gain: the owner who lost exactly as much of the token, otherwise the one who lost most. If the issuer minted new
 * tokens, no owner lost any; the payer is then the fee payer.
 */
function payerOf(facts: TransactionFacts, nets: readonly Net[], gain: Net): string {
  const losers = losersOf(nets, gain);
  const exact = losers.find(({ change }) => change === -gain.change);
  const most = losers.toSorted((one, other) => (one.change < other.change ? -1 : one.change > other.change ? 1 : 0))[0];
  return (exact ?? most)?.owner ?? facts.feePayer;
}

/**
 * Whether the payer ordered the transfer: they signed, no other account lost any of the token, and they received neither tokens
 * nor SOL in return, unlike a market maker in a swap.
 */
function isPlain(facts: TransactionFacts, nets: readonly Net[], gain: Net, payer: string): boolean {
  const [loser, ...others] = losersOf(nets, gain);
  const isPaidBack = facts.gainedSol.has(payer) || nets.some(({ owner, change }) => owner === payer && change > 0n);
  return loser?.owner === payer && others.length === 0 && facts.signers?.has(payer) === true && !isPaidBack;
}

/** A transfer without its block: the transaction itself only names its slot. */
export type SlotTransfer = Omit<FoundTransfer, 'blockNumber' | 'blockHash' | 'blockTime'>;

/**
 * What a transaction pays one owner: for each allow-listed token, the sum over all the owner's accounts. Amounts that are pulled
 * back at once or moved between its own accounts cancel out. The result depends on the transaction alone, whichever account led
 * to it; the ordinal is the position of the owner's first account of the token among the transaction's accounts.
 */
export function gainsOf(spec: NetworkSpec, facts: TransactionFacts, owner: string): SlotTransfer[] {
  const nets = netsOf(facts);
  return nets.flatMap((net): SlotTransfer[] => {
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

/** Every gain of any token, allow-listed ones first, so that a limit never hides them behind others. */
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
