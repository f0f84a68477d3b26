// The strict reader of Solana drafts: a legacy message with compute limit and price, the creation of the recipient's token account
// if needed, a memo with the intent, and the checked transfer. In that order and nothing else. The signer signs only what this has read
// and encoded again. It shares no code with the writer (write-draft.ts), which is @solana/web3.js and @solana/spl-token, so that a mistake
// of either one stops a payment. Pure.

import { base58 } from '@scure/base';
import { BadDraft, type DraftFacts, type SignedTransaction, type SolanaDraft } from '@/lib/networks/sending/send';
import {
  ASSOCIATED_TOKEN_PROGRAM,
  associatedAccount,
  SYSTEM_PROGRAM,
  TOKEN_PROGRAM,
} from '@/lib/networks/families/solana/address';
import {
  advanceNonce,
  COMPUTE_BUDGET,
  computeBudget,
  createAccount,
  RECENT_BLOCKHASHES,
  transferChecked,
} from '@/lib/networks/families/solana/instructions';
import {
  compileMessage,
  parseMessage,
  SIGNATURE_LENGTH,
  transactionBytes,
} from '@/lib/networks/families/solana/message';

export type SolanaTransfer = {
  readonly from: string;
  /** A wallet, whose associated account is paid and created if needed; or, with `direct`, a token account itself. */
  readonly to: string;
  readonly direct: boolean;
  readonly mint: string;
  readonly decimals: number;
  readonly amount: bigint;
  readonly blockhash: string;
  readonly unitLimit: number;
  /** Micro-lamports per compute unit. */
  readonly unitPrice: bigint;
  readonly memo: string;
  /** The account whose durable nonce `blockhash` is. Null: it is the hash of a recent block. */
  readonly nonceAccount: string | null;
};

const MEMO = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr';
/** Lamports for each signature. */
export const SIGNATURE_FEE = 5000n;
const MICRO = 1_000_000n;
const PRINTABLE = /^[\x21-\x7e]{1,100}$/;

/** The token account that the transfer pays into. */
export const destinationOf = ({ to, mint, direct }: Pick<SolanaTransfer, 'to' | 'mint' | 'direct'>): string =>
  direct ? to : associatedAccount(to, mint);

/** Highest network fee in lamports, without the rent of a new account. */
export const networkFee = ({ unitLimit, unitPrice }: Pick<SolanaTransfer, 'unitLimit' | 'unitPrice'>): bigint =>
  SIGNATURE_FEE + (BigInt(unitLimit) * unitPrice + MICRO - 1n) / MICRO;

function messageOf(transfer: SolanaTransfer): Uint8Array {
  const { from, to, direct, mint, decimals, amount, blockhash, unitLimit, unitPrice, memo, nonceAccount } = transfer;
  if (!PRINTABLE.test(memo)) throw new BadDraft('its intent is no printable text');
  const [source, destination] = [associatedAccount(from, mint), destinationOf(transfer)];
  if (source === destination) throw new BadDraft('it pays back to where it comes from');
  // Only payments to a wallet are drafted with a durable nonce.
  if (nonceAccount !== null && direct) throw new BadDraft('it pays a token account from a durable nonce');
  return compileMessage({
    payer: from,
    blockhash,
    writable: [source, destination, ...(nonceAccount === null ? [] : [nonceAccount])],
    readonly: [
      ...(direct
        ? [mint, TOKEN_PROGRAM, COMPUTE_BUDGET, MEMO]
        : [to, mint, SYSTEM_PROGRAM, TOKEN_PROGRAM, COMPUTE_BUDGET, MEMO, ASSOCIATED_TOKEN_PROGRAM]),
      ...(nonceAccount === null ? [] : [RECENT_BLOCKHASHES]),
    ],
    instructions: [
      ...(nonceAccount === null ? [] : [advanceNonce({ account: nonceAccount, authority: from })]),
      ...computeBudget({ unitLimit, unitPrice }),
      ...(direct ? [] : [createAccount({ payer: from, account: destination, owner: to, mint })]),
      { program: MEMO, accounts: [], data: Buffer.from(memo) },
      transferChecked({ source, mint, destination, owner: from, amount, decimals }),
    ],
  });
}

/**
 * The transfer that the bytes contain. Throws BadDraft for any other message, and for one with a durable nonce: the signer must know
 * when a payment can no longer land.
 */
export function readSolanaTransfer({ unsigned }: Pick<SolanaDraft, 'unsigned'>): SolanaTransfer {
  const read = readAnyTransfer(unsigned);
  if (read.nonceAccount !== null) throw new BadDraft('it never lapses');
  return read;
}

/** The transfer that the bytes of a lasting draft contain. Throws BadDraft for any other message, also for one without a durable nonce. */
export function readLastingTransfer(unsigned: string): SolanaTransfer & { readonly nonceAccount: string } {
  const read = readAnyTransfer(unsigned);
  const { nonceAccount } = read;
  if (nonceAccount === null) throw new BadDraft('it has no durable nonce');
  return { ...read, nonceAccount };
}

function readAnyTransfer(unsigned: string): SolanaTransfer {
  const bytes = Buffer.from(unsigned, 'base64');
  let read: SolanaTransfer;
  try {
    read = readMessage(bytes);
    // Encode it again and compare, so that neither bytes nor text can contain anything that was not checked.
    if (Buffer.from(messageOf(read)).toString('base64') !== unsigned) throw new Error('it does more');
  } catch {
    throw new BadDraft('its bytes are not exactly one token transfer');
  }
  return read;
}

function readMessage(bytes: Uint8Array): SolanaTransfer {
  const { payer: from, blockhash, instructions } = parseMessage(bytes);
  const advance = instructions[0]?.program === SYSTEM_PROGRAM ? instructions[0] : null;
  const nonceAccount = advance?.accounts[0] ?? null;
  const [limit, price, ...rest] = advance ? instructions.slice(1) : instructions;
  const [pay, memo, create] = rest.toReversed();
  const [, mint, destination] = pay?.accounts ?? [];
  const to = create ? create.accounts[2] : destination;
  if (!limit || !price || !pay || !memo || mint === undefined || to === undefined) throw new Error('it is shorter');
  const transfer = Buffer.from(pay.data);
  return {
    from,
    to,
    direct: create === undefined,
    mint,
    decimals: transfer.readUInt8(9),
    amount: transfer.readBigUInt64LE(1),
    blockhash,
    unitLimit: Buffer.from(limit.data).readUInt32LE(1),
    unitPrice: Buffer.from(price.data).readBigUInt64LE(1),
    memo: Buffer.from(memo.data).toString('latin1'),
    nonceAccount,
  };
}

export function readSolanaDraft(draft: SolanaDraft): DraftFacts {
  const transfer = readSolanaTransfer(draft);
  const { lastValidBlockHeight } = draft;
  if (!Number.isSafeInteger(lastValidBlockHeight) || lastValidBlockHeight <= 0) throw new BadDraft('it never lapses');
  return {
    contract: transfer.mint,
    to: transfer.to,
    from: transfer.from,
    amount: transfer.amount,
    feeCap: networkFee(transfer),
    validity: { kind: 'height', lastValidBlockHeight },
    chainId: null,
    intentId: transfer.memo,
  };
}

/** The signed payload, and the transaction that a signature completes. */
export const signedSolana = (draft: SolanaDraft): Signed => signedMessage(messageOf(readSolanaTransfer(draft)));

/** The same for the bytes of a lasting draft. */
export const signedLasting = (unsigned: string): Signed => signedMessage(messageOf(readLastingTransfer(unsigned)));

type Signed = { readonly payload: Uint8Array; finish(signature: Uint8Array): SignedTransaction };

const signedMessage = (payload: Uint8Array): Signed => ({
  payload,
  finish: (signature) => {
    if (signature.length !== SIGNATURE_LENGTH) throw new BadDraft('its signature has another length');
    return { bytes: transactionBytes(payload, signature), hash: base58.encode(signature) };
  },
});
