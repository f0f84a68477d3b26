// The transactions that move tokens of deposit addresses to the treasury, and the one that opens its token account: legacy messages,
// whose fee the sponsor pays and which every deposit address signs. Pure, and free of chain SDKs, because the signer builds with it.

import { base58 } from '@scure/base';
import {
  ASSOCIATED_TOKEN_PROGRAM,
  associatedAccount,
  isKey,
  SYSTEM_PROGRAM,
  TOKEN_PROGRAM,
} from '@/lib/networks/families/solana/address';
import {
  closeAccount,
  COMPUTE_BUDGET,
  computeBudget,
  createAccount,
  transferChecked,
  type Units,
} from '@/lib/networks/families/solana/instructions';
import {
  compileMessage,
  NO_SIGNATURE,
  SIGNATURE_LENGTH,
  transactionBytes,
  type Message,
} from '@/lib/networks/families/solana/message';
import { networkFee, SIGNATURE_FEE } from '@/lib/networks/families/solana/sending/read-draft';
import type { SignedTransaction } from '@/lib/networks/sending/send';

/** A deposit address, and the base units that leave it. `account`: its token account if that is not the associated one. */
type SweptDeposit = { readonly owner: string; readonly amount: bigint; readonly account?: string | undefined };

type SweepFields = Units & {
  readonly sponsor: string;
  readonly treasury: string;
  readonly mint: string;
  readonly decimals: number;
  readonly blockhash: string;
};
/** `close`: the emptied accounts are closed, and the sponsor gets their rent. */
export type BatchSweep = SweepFields & { readonly deposits: readonly SweptDeposit[]; readonly close: boolean };

/** With the accounts' closing, six take 1,194 bytes of the 1,232 that a transaction may have. */
export const MOST_DEPOSITS = 6;
const MOST_BYTES = 1232;
/** Lamports of a token account's rent before SIMD-0437, the most that it ever was. */
const MOST_RENT = 2_039_280n;

/** The most lamports that a transaction costs: signatures, compute units, and the rent of the treasury's account. */
export const sweepCost = (units: Units, deposits: number): bigint =>
  networkFee(units) + BigInt(deposits) * SIGNATURE_FEE + (deposits === 0 ? MOST_RENT : 0n);

const sourceOf = ({ owner, account }: SweptDeposit, mint: string): string => account ?? associatedAccount(owner, mint);

/** Whether every account is an address and none is listed twice, as a source that is the treasury's account or a program would be. */
export function hasUsableAccounts({ sponsor, treasury, mint, deposits }: BatchSweep): boolean {
  const others = [sponsor, mint, COMPUTE_BUDGET, TOKEN_PROGRAM, associatedAccount(treasury, mint)];
  const keys = [...others, ...deposits.flatMap((one) => [one.owner, sourceOf(one, mint)])];
  return keys.every(isKey) && new Set(keys).size === keys.length;
}

/** Moves tokens of up to six deposit addresses. Throws an Error for an account that is listed twice. */
export function batchMessage(sweep: BatchSweep): Uint8Array {
  const { sponsor, treasury, mint, decimals, deposits, close } = sweep;
  const destination = associatedAccount(treasury, mint);
  const moves = deposits.map((one) => ({ owner: one.owner, amount: one.amount, source: sourceOf(one, mint) }));
  const [first, ...others] = moves.map(({ source }) => source);
  return messageOf(sweep, {
    signers: moves.map(({ owner }) => owner),
    // In the order in which the instructions name them, as @solana/web3.js writes it.
    writable: first === undefined ? [] : [first, destination, ...others],
    readonly: [COMPUTE_BUDGET, TOKEN_PROGRAM, mint],
    instructions: moves.flatMap(({ owner, amount, source }) => [
      transferChecked({ source, mint, destination, owner, amount, decimals }),
      ...(close ? [closeAccount({ account: source, recipient: sponsor, owner })] : []),
    ]),
  });
}

/** Opens the treasury's account of a token. It moves nothing if the account exists. */
export function openingMessage(sweep: SweepFields): Uint8Array {
  const { sponsor: payer, treasury: owner, mint } = sweep;
  const account = associatedAccount(owner, mint);
  return messageOf(sweep, {
    signers: [],
    writable: [account],
    readonly: [COMPUTE_BUDGET, ASSOCIATED_TOKEN_PROGRAM, owner, mint, SYSTEM_PROGRAM, TOKEN_PROGRAM],
    instructions: [createAccount({ payer, account, owner, mint })],
  });
}

function messageOf(sweep: SweepFields, parts: Omit<Message, 'payer' | 'blockhash'>): Uint8Array {
  const { sponsor: payer, blockhash } = sweep;
  const instructions = [...computeBudget(sweep), ...parts.instructions];
  const message = compileMessage({ ...parts, payer, blockhash, instructions });
  const signatures = 1 + (parts.signers?.length ?? 0);
  if (1 + signatures * SIGNATURE_LENGTH + message.length > MOST_BYTES) throw new Error('this is longer than a sweep');
  return message;
}

/** The transaction with its signatures: the sponsor's, and those of the deposit addresses in their order. */
export const signedSweepOf = (
  message: Uint8Array,
  sponsor: Uint8Array,
  owners: readonly Uint8Array[],
): SignedTransaction => ({ bytes: transactionBytes(message, sponsor, ...owners), hash: base58.encode(sponsor) });

/** The same for a simulation, which verifies no signature. */
export const unsignedSweep = (message: Uint8Array): string =>
  transactionBytes(message, NO_SIGNATURE, ...Array.from({ length: (message[0] ?? 1) - 1 }, () => NO_SIGNATURE));

/** Whether the signed bytes are of this message. */
export const isMessageOf = (bytes: string, message: Uint8Array): boolean => {
  const read = Buffer.from(bytes, 'base64');
  return read.subarray(1 + (read[0] ?? 0) * SIGNATURE_LENGTH).equals(message);
};
