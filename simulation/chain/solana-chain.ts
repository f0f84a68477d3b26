// A simulated Solana chain in memory: slots of which some are skipped, finality at a fixed depth, reorganisations above it,
// and signed transactions that live as long as the blockhash that they name.

import type { NetworkSpec } from '@/lib/networks/networks';
import { fakeKey, fakeSignature, SolanaLedger } from '@/testing/solana/solana-ledger';
import type { ChainTransfer, SimulatedChain } from './chain';
import { isBlocked, isRefused, refusalsIn } from './refusals';
import { openTokenBook } from './token-book';
import { nonceAccountOf, nonceValueAt } from './solana-nonces';
import { answerSolana } from './solana-answers';
import {
  accountOf,
  BLOCKHASH_LIFETIME,
  blockUpTo,
  FUNDS,
  lamportsOf,
  PLENTY,
  RENT,
  UNIT_PRICE,
  isSweep,
  type SolanaPayment,
  type SolanaState,
  type SolanaTransaction,
  type SolanaWaiting,
} from './solana-state';
import { isSigned, waitingOf } from './solana-orders';
import { landSweep, readWire, sentOn, sweepOf } from './solana-sweeps';

/** One call of `mine` makes so many, so that finality and the end of a blockhash come about as soon as on the real network. */
const SLOTS_AT_ONCE = 8;
/** No transaction lands in a slot of this kind, because `mine` ends with another one. */
const isSkipped = (slot: number): boolean => slot % SLOTS_AT_ONCE === 5;
const FINAL_DEPTH = 24;
const SIGNATURE_FEE = 5000;
/** The token program's errors: too few tokens, and a frozen account. */
const [INSUFFICIENT, FROZEN] = [1, 17];

type Options = {
  readonly spec: NetworkSpec;
  /** The refund wallet. */
  readonly wallet: string;
  readonly unixSeconds: number;
};

export function openSolanaChain({ spec, wallet, unixSeconds }: Options): SimulatedChain & {
  readonly contracts: Set<string>;
} {
  let counted = 0;
  const next = (): string => `${spec.network} ${counted++}`;
  const state = openState({ spec, wallet, unixSeconds }, fakeKey(next()));
  const height = (): number => state.slots.length - 1;
  const append = (time: number): void => appendSlot(state, time, fakeKey(next()));
  return {
    ...{ network: spec.network, spec, height, contracts: state.contracts, ...refusalsIn(state.refused) },
    pay: (movement) => {
      const signature = fakeSignature(next());
      const destination = accountOf(movement.recipient, movement.token);
      const feePayer = movement.by ?? movement.payer;
      state.waiting.push({ signature, feePayer, destination, movement, signed: null });
      return signature;
    },
    mine: (time) => {
      for (let left = SLOTS_AT_ONCE; left > 0; left--) append(time);
      landWaiting(state);
      state.finalSlot = Math.max(state.finalSlot, blockUpTo(state, height() - FINAL_DEPTH).slot);
    },
    reorg: (wanted, isDropped) => {
      const depth = Math.min(wanted, height() - state.finalSlot);
      if (depth <= 0) return 0;
      const gone = state.slots.splice(-depth);
      for (const block of gone) if (block) state.heights.delete(block.hash);
      const removed = state.mined.filter(({ slot }) => slot > height());
      state.mined = state.mined.filter(({ slot }) => slot <= height());
      state.ledger.drop(height());
      state.book.removeAbove(height());
      const back = removed.map(({ from }) => from).filter(({ signature }) => !isDropped(signature));
      state.waiting = [...back, ...state.waiting];
      for (const block of gone) append(block?.time ?? 0);
      return depth;
    },
    dropWaiting: () => {
      const { length } = state.waiting;
      state.waiting = [];
      return length;
    },
    final: () => state.finalSlot,
    transfers: (through) => state.book.through(through),
    sent: () => sentOn(state),
    penniless: state.penniless,
    openNonce: (account, authority) => void state.nonces.set(account, authority),
    giveCoin: (address, amount) => void state.gifts.set(address, (state.gifts.get(address) ?? 0n) + amount),
    setFees: (factor) => void (state.fees = factor),
    answer: (view, method, params) => answerSolana(state, view, method, params),
  };
}

function openState({ spec, wallet, unixSeconds: time }: Options, hash: string): SolanaState {
  const tokens = Object.values(spec.tokens);
  const ledger = new SolanaLedger(Object.fromEntries(tokens.map((one) => [one.contract, one.decimals])));
  for (const { contract: mint, decimals } of tokens) {
    grant(ledger, { owner: wallet, mint, amount: FUNDS * 10n ** BigInt(decimals) });
  }
  const genesis = { slot: 0, height: 0, hash, parentHash: hash, parentSlot: 0, time };
  const state: SolanaState = {
    ...{ spec, wallet, ledger, slots: [genesis], heights: new Map([[hash, 0]]), book: openTokenBook() },
    ...{ mined: [], waiting: [], finalSlot: 0, fees: 1n, contracts: new Set<string>() },
    ...{ refused: new Set<string>(), gifts: new Map<string, bigint>(), penniless: new Set<string>() },
    nonces: new Map<string, string>(),
    submit: (bytes) => submit(state, bytes),
  };
  return state;
}

/** Tokens that an owner has from a slot on. */
function grant(
  ledger: SolanaLedger,
  { owner, mint, amount, slot = 0 }: { owner: string; mint: string; amount: bigint; slot?: number },
): void {
  const change = { account: accountOf(owner, mint), state: { mint, owner, amount } };
  ledger.apply(slot, { changes: [change] }, fakeSignature('grant'));
}

function appendSlot(state: SolanaState, time: number, hash: string): void {
  const slot = state.slots.length;
  if (isSkipped(slot)) return void state.slots.push(null);
  const parent = blockUpTo(state, slot);
  const block = { slot, height: parent.height + 1, hash, parentHash: parent.hash, parentSlot: parent.slot };
  state.slots.push({ ...block, time: Math.max(time, parent.time) });
  state.heights.set(hash, block.height);
}

/** What waits lands in the newest block, so that the shortest reorganisation removes it. */
function landWaiting(state: SolanaState): void {
  const { slot, height } = blockUpTo(state, state.slots.length - 1);
  const left: SolanaWaiting[] = [];
  for (const one of state.waiting) {
    if (one.signed && !isValid(state, one.signed, { slot, height })) continue;
    if (one.signed && one.signed.unitPrice < UNIT_PRICE * state.fees) left.push(one);
    else if (isSweep(one)) book(state, landSweep(state, slot, one));
    else land(state, slot, one);
  }
  state.waiting = left;
}

/** Not valid: its blockhash is too old or of a block that was replaced, or its durable nonce has advanced. */
function isValid(
  state: SolanaState,
  { blockhash, nonceAccount }: NonNullable<SolanaWaiting['signed']>,
  { slot, height }: { readonly slot: number; readonly height: number },
): boolean {
  if (nonceAccount !== undefined) return nonceValueAt(state, nonceAccount, slot) === blockhash;
  const since = state.heights.get(blockhash);
  return since !== undefined && height - since <= BLOCKHASH_LIFETIME;
}

function book(state: SolanaState, landed: ReturnType<typeof landSweep>): void {
  if (!landed) return;
  const at = { hash: landed.signature, blockNumber: landed.slot, blockTime: blockUpTo(state, landed.slot).time };
  for (const { source, ...movement } of landed.moved)
    state.book.add({ ...movement, ...at, ordinal: landed.keys.indexOf(source) });
}

function land(state: SolanaState, slot: number, from: SolanaPayment): void {
  const { ledger } = state;
  const { signature, feePayer, destination, movement, signed } = from;
  const { token: mint, payer, recipient, amount } = movement;
  const source = accountOf(payer, mint);
  // Customers never run out. Deposit addresses do.
  const isBlockedPayer = movement.needsFunds === true && isBlocked(state.refused, mint, payer);
  const isShort = movement.needsFunds === true && (ledger.now(source)?.amount ?? 0n) < amount;
  const fails = movement.fails || isShort || isBlockedPayer || isRefused(state.refused, movement);
  // A customer brings the tokens along, also one who holds only what came back.
  const brought = amount > PLENTY ? amount : PLENTY;
  if (!isShort && (ledger.now(source)?.amount ?? 0n) < amount)
    grant(ledger, { owner: payer, mint, amount: brought, slot });
  const held = ledger.now(source)?.amount ?? 0n;
  const paid = ledger.now(destination) ?? { mint, owner: recipient, amount: 0n };
  const isOpened = !fails && ledger.now(destination) === null;
  const first = lamportsOf(state, feePayer, slot);
  const changes = [
    { account: source, state: { mint, owner: payer, amount: held - amount } },
    { account: destination, state: { ...paid, amount: paid.amount + amount } },
  ];
  const err = fails ? { err: { InstructionError: [4, { Custom: isShort ? INSUFFICIENT : FROZEN }] } } : {};
  const mined = ledger.apply(slot, { changes, feePayer, version: 'legacy', ...err }, signature);
  const restOf = (isAfter: boolean): number[] =>
    mined.keys.slice(1).map((key) => (key === destination && isOpened && !isAfter ? 0 : RENT));
  const left = first - (signed?.fee ?? SIGNATURE_FEE) - (isOpened ? RENT : 0);
  state.mined.push({ ...mined, from, before: [first, ...restOf(false)], after: [left, ...restOf(true)] });
  if (!fails) state.book.add(transferOf(state, { mined, from }));
}

function transferOf(
  state: SolanaState,
  {
    mined: { signature, slot, keys },
    from,
  }: { readonly mined: Pick<SolanaTransaction, 'signature' | 'slot' | 'keys'>; readonly from: SolanaPayment },
): ChainTransfer {
  const { token, payer, recipient, amount } = from.movement;
  const at = { blockNumber: slot, blockTime: blockUpTo(state, slot).time };
  return { hash: signature, ordinal: keys.indexOf(from.destination), token, payer, recipient, amount, ...at };
}

/** Takes signed bytes, as a node does that skips the preflight: whether they land shows later. */
function submit(state: SolanaState, bytes: string): { readonly signature: string } | { readonly error: string } {
  const wire = readWire(bytes);
  const signature = wire?.signatures[0];
  if (!wire || signature === undefined) return { error: 'failed to deserialize VersionedTransaction' };
  const isKnown = [...state.mined, ...state.waiting].some((one) => one.signature === signature);
  if (isKnown) return { signature };
  const isPayment = wire.message.staticKeys[0] === state.wallet || nonceAccountOf(wire.message) !== null;
  const from = isPayment ? waitingOf(state, wire, signature) : sweepOf(wire);
  if (!from) return { error: 'Transaction simulation failed: invalid instruction' };
  if (!isSigned(wire)) return { error: 'Transaction signature verification failure' };
  if (isSweep(from) && lamportsOf(state, from.feePayer, state.slots.length - 1) < from.signed.fee)
    return {
      error: 'Transaction simulation failed: Attempt to debit an account but found no record of a prior credit.',
    };
  state.waiting.push(from);
  return { signature };
}
