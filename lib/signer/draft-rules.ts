// What the signer checks of a draft beyond the order's own transfer: a single encoding of its bytes, a fee within the
// cap with all extra costs, the token's decimals, and a lifetime that agrees with the signer's clock. Pure.

import { readEvmCall, type EvmCall } from '@/lib/networks/families/evm/sending/evm-call';
import {
  BadDraft,
  type Draft,
  type EvmDraft,
  type SolanaDraft,
  type TronDraft,
  type Validity,
} from '@/lib/networks/sending/send';
import { checkDraft } from '@/lib/networks/sending/draft';
import { readSolanaTransfer } from '@/lib/networks/families/solana/sending/read-draft';
import { readTronTransfer } from '@/lib/networks/families/tron/sending/read-draft';
import { keptForDataFee } from '@/lib/networks/networks';
import type { Allowed } from './policy';
import { Refusal } from './refusal';

/** Rent of a token account, paid by the account that creates it. It has never been higher than this. */
const MAX_RENT_LAMPORTS = 2_039_280n;
/** The protocol's limit of compute units per transaction. */
const MAX_COMPUTE_UNITS = 1_400_000;
/** The network accepts no later expiration. */
const LONGEST_LIFE_MILLISECONDS = 24 * 3600 * 1000;
/** The clocks of the nodes and of this machine may differ by this much. */
const MAX_AHEAD_MILLISECONDS = 5 * 60 * 1000;
/** Hex digits of the two parts of TRON's reference block. */
const [REF_BYTES, REF_HASH] = [4, 16];
/** Nodes accept a replacement only when both fees rise by ten percent. */
const REPLACEMENT_PERCENT = 110n;

/**
 * The validity of a draft that is exactly the order's transfer from this wallet, within the fee cap, and the most that it may cost. Throws
 * a Refusal of code `draft` for any other draft.
 */
export function checkPayment(
  draft: Draft,
  allowed: Allowed,
  from: string,
): { readonly validity: Validity; readonly cost: bigint } {
  const { order, spec, token, feeCap } = allowed;
  if (draft.family !== spec.family) {
    throw new Refusal('draft', `the draft is for another family than ${spec.family}`);
  }
  const { intentId, currency, contract, to } = order;
  const payment = { intentId, currency, contract, to, amount: BigInt(order.amount) };
  return refusing(() => {
    // checkDraft reads the payer from the bytes that name it. The `from` field beside them must not name another
    // wallet.
    if (draft.from !== from) throw new BadDraft('it pays from another address');
    const extra = extraOf(draft, token.decimals) + keptForDataFee(spec);
    const facts = checkDraft(draft, { order: payment, from, chainId: spec.chainId, mostFee: feeCap - extra });
    return { validity: facts.validity, cost: facts.feeCap + extra };
  });
}

/** Throws a Refusal when a TRON draft has lapsed or would live too long at `now`, milliseconds of the signer's clock. */
export function checkLife(draft: Draft, now: number): void {
  // An EVM nonce does not expire. The signer sees no chain, so it cannot check a Solana height; no node accepts a
  // message whose block hash has lapsed.
  if (draft.family !== 'tron') return;
  checkTronLife(
    refusing(() => readTronTransfer(draft)),
    now,
  );
}

/** The same for the times of any TRON transaction, in milliseconds. */
export function checkTronLife(
  { expiration, timestamp }: { readonly expiration: number; readonly timestamp: number },
  now: number,
): void {
  if (expiration <= now) throw new Refusal('draft', 'the draft has expired by the clock of the signer');
  if (expiration > now + LONGEST_LIFE_MILLISECONDS) {
    throw new Refusal('draft', 'the draft would stay valid for too long');
  }
  if (timestamp > now + MAX_AHEAD_MILLISECONDS) throw new Refusal('draft', 'the draft is dated in the future');
}

/**
 * Throws a Refusal of code `conflict` unless the second draft keeps the first one's wallet and nonce and raises both fees enough.
 */
export function checkReplaces(before: EvmDraft, next: EvmDraft): void {
  // The nonces of two wallets do not exclude each other: both payments could land.
  if (before.from !== next.from) throw new Refusal('conflict', 'a replacement must pay from the wallet of the intent');
  const [was, is] = refusing((): [EvmCall, EvmCall] => [readEvmCall(before.unsigned), readEvmCall(next.unsigned)]);
  // A payment stays alone, or in the same batch: only one transaction of the nonce can land, with all that it pays.
  if (was.to !== is.to || was.data !== is.data || before.item !== next.item)
    throw new Refusal('conflict', 'a replacement must make the same call');
  if (was.nonce !== is.nonce) throw new Refusal('conflict', 'a replacement must keep the nonce of the intent');
  if (!isOutbid(was, is)) throw new Refusal('conflict', 'a replacement must raise both fees by at least ten percent');
}

type Prices = Pick<EvmCall, 'maxFeePerGas' | 'maxPriorityFeePerGas'>;

/** Whether both prices rise enough for nodes to accept a replacement. */
export const isOutbid = (before: Prices, next: Prices): boolean =>
  isHigher(before.maxFeePerGas, next.maxFeePerGas) && isHigher(before.maxPriorityFeePerGas, next.maxPriorityFeePerGas);

const isHigher = (before: bigint, now: bigint): boolean => now > before && now * 100n >= before * REPLACEMENT_PERCENT;

/** The payment's possible cost beyond the draft's own fee cap, in the network's smallest unit. Throws BadDraft. */
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
  const { maxFeePerGas, gasLimit } = readEvmCall(draft.unsigned);
  if (maxFeePerGas === 0n || gasLimit === 0n) throw new BadDraft('its fee or gas limit is zero');
  return 0n;
}

function checkTron(draft: TronDraft): bigint {
  const { refBlockBytes, refBlockHash } = readTronTransfer(draft);
  const isBound = refBlockBytes.length === REF_BYTES && refBlockHash.length === REF_HASH;
  if (!isBound) throw new BadDraft('it refers to no block');
  return 0n;
}

function checkSolana(draft: SolanaDraft, decimals: number): bigint {
  // Base64 can encode one message in several ways. The journal must keep exactly the message that was signed.
  const isSpelledOnce = Buffer.from(draft.unsigned, 'base64').toString('base64') === draft.unsigned;
  if (!isSpelledOnce) throw new BadDraft('its bytes are not exactly one token transfer');
  const transfer = readSolanaTransfer(draft);
  if (transfer.decimals !== decimals) throw new BadDraft('its decimals are not those of the token');
  if (transfer.unitLimit > MAX_COMPUTE_UNITS) throw new BadDraft('its compute limit is above the limit of the network');
  return transfer.direct ? 0n : MAX_RENT_LAMPORTS;
}

/** Refuses a draft that cannot be parsed, like a draft of another payment. Any other error is a fault of the signer. */
export function refusing<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof BadDraft) throw new Refusal('draft', error.message);
    throw error;
  }
}
