// What a draft must be beyond the order's own transfer (chains/send-draft.ts) before the signer signs it: one spelling of its
// bytes, a fee that makes sense with everything that comes on top, the token's decimals, and a life that the signer's own
// clock agrees with. Pure.

import { readEvmTransfer, type EvmTransfer } from '@/lib/networks/families/evm/sending/draft';
import {
  BadDraft,
  type Draft,
  type EvmDraft,
  type SolanaDraft,
  type TronDraft,
  type Validity,
} from '@/lib/networks/sending/send';
import { checkDraft } from '@/lib/networks/sending/draft';
import { readSolanaTransfer } from '@/lib/networks/families/solana/sending/draft';
import { readTronTransfer } from '@/lib/networks/families/tron/sending/draft';
import type { Allowed } from './policy';
import { Refusal } from './refusal';

/** The rent of a token account, which whoever makes it pays, has never been higher. */
const MOST_RENT_LAMPORTS = 2_039_280n;
/** Units per transaction, by the protocol. */
const MOST_COMPUTE_UNITS = 1_400_000;
/** The network's own bound on an expiration. */
const LONGEST_LIFE_MILLISECONDS = 24 * 3600 * 1000;
/** Clocks of nodes and of this machine may differ by this much. */
const MOST_AHEAD_MILLISECONDS = 5 * 60 * 1000;
/** Hex digits of the two parts of TRON's reference block. */
const [REF_BYTES, REF_HASH] = [4, 16];
/** Nodes demand ten percent more on both fees. */
const REPLACEMENT_PERCENT = 110n;

/**
 * How long a draft is valid that is exactly the order's transfer from this wallet, within the fee cap. Throws a Refusal of
 * code `draft` for any other.
 */
export function checkPayment(draft: Draft, allowed: Allowed, from: string): Validity {
  const { order, spec, token, feeCap } = allowed;
  if (draft.family !== spec.family) {
    throw new Refusal('draft', `the draft is for another family than ${spec.family}`);
  }
  const { intentId, currency, contract, to } = order;
  const payment = { intentId, currency, contract, to, amount: BigInt(order.amount) };
  return refusing(() => {
    // Most bytes name who pays, and checkDraft reads it there; what is said around them is no other wallet either.
    if (draft.from !== from) throw new BadDraft('it pays from another address');
    const mostFee = feeCap - extraOf(draft, token.decimals);
    return checkDraft(draft, { order: payment, from, chainId: spec.chainId, mostFee }).validity;
  });
}

/** Throws a Refusal when a TRON draft has lapsed or would live too long at `now`, milliseconds of the signer's clock. */
export function checkLife(draft: Draft, now: number): void {
  // A nonce does not age, and heights are the chain's: the signer sees no chain, and a message whose block hash lapsed is
  // taken by no node.
  if (draft.family !== 'tron') return;
  const { expiration, timestamp } = refusing(() => readTronTransfer(draft));
  if (expiration <= now) throw new Refusal('draft', 'the draft has expired by the clock of the signer');
  if (expiration > now + LONGEST_LIFE_MILLISECONDS) {
    throw new Refusal('draft', 'the draft would stay valid for too long');
  }
  if (timestamp > now + MOST_AHEAD_MILLISECONDS) throw new Refusal('draft', 'the draft is of the future');
}

/** Throws a Refusal of code `conflict` unless the second draft takes the first one's nonce and outbids both its fees. */
export function checkReplaces(before: EvmDraft, next: EvmDraft): void {
  const [was, is] = refusing((): [EvmTransfer, EvmTransfer] => [readEvmTransfer(before), readEvmTransfer(next)]);
  if (was.nonce !== is.nonce) throw new Refusal('conflict', 'the intent has a nonce, and keeps it');
  const outbids =
    isHigher(was.maxFeePerGas, is.maxFeePerGas) && isHigher(was.maxPriorityFeePerGas, is.maxPriorityFeePerGas);
  if (!outbids) throw new Refusal('conflict', 'a replacement raises both fees by ten percent or more');
}

const isHigher = (before: bigint, now: bigint): boolean => now > before && now * 100n >= before * REPLACEMENT_PERCENT;

/** What the payment can cost besides the draft's own fee cap, in the network's smallest unit. Throws BadDraft. */
function extraOf(draft: Draft, decimals: number): bigint {
  switch (draft.family) {
    case 'evm':
      return checkEvm(draft);
    case 'tron':
      return checkTron(draft);
    case 'solana':
      return checkSolana(draft, decimals);
    default:
      return draft satisfies never;
  }
}

function checkEvm(draft: EvmDraft): bigint {
  const { maxFeePerGas, gasLimit } = readEvmTransfer(draft);
  if (maxFeePerGas === 0n || gasLimit === 0n) throw new BadDraft('its fees make no sense');
  return 0n;
}

function checkTron(draft: TronDraft): bigint {
  const { refBlockBytes, refBlockHash } = readTronTransfer(draft);
  const isBound = refBlockBytes.length === REF_BYTES && refBlockHash.length === REF_HASH;
  if (!isBound) throw new BadDraft('it is bound to no block');
  return 0n;
}

function checkSolana(draft: SolanaDraft, decimals: number): bigint {
  // Base64 can spell one message in several ways; what is kept in the journal is the message that was signed.
  const isSpelledOnce = Buffer.from(draft.unsigned, 'base64').toString('base64') === draft.unsigned;
  if (!isSpelledOnce) throw new BadDraft('its bytes are not exactly one token transfer');
  const transfer = readSolanaTransfer(draft);
  if (transfer.decimals !== decimals) throw new BadDraft('it counts in other decimals than the token');
  if (transfer.unitLimit > MOST_COMPUTE_UNITS) throw new BadDraft('its compute limit is above that of the network');
  return transfer.direct ? 0n : MOST_RENT_LAMPORTS;
}

/** A draft that cannot be read is refused, like any that says something else; other errors are faults of the signer. */
function refusing<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof BadDraft) throw new Refusal('draft', error.message);
    throw error;
  }
}
