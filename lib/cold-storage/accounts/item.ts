// One transfer of a signing request, and what an account that holds money in cold storage must answer about it: who signs, what they sign,
// and the transaction that their signatures complete. Types and shapes only.

import { z } from 'zod';
import type { SignedTransaction } from '@/lib/networks/sending/send';

export const digits = z.string().regex(/^(?:0|[1-9]\d{0,77})$/);
const text = z.string().min(1).max(100);

/** Until when the transaction may land: a nonce of the wallet (EVM), a Unix second (TRON), or the value of a nonce account (Solana). */
const validity = z.union([
  z.strictObject({ nonce: z.number().int().nonnegative() }),
  z.strictObject({ until: z.number().int().positive() }),
  z.strictObject({ nonceAccount: text, nonceValue: text }),
]);

/** One transfer of a request. All but `intent` follows from the bytes and the account, and on EVM networks `from`, which neither contains. */
export const itemShape = z.strictObject({
  intent: z.string().regex(/^cr_[0-9A-Za-z]{22}_[1-8]$/),
  unsigned: z.string().min(1).max(4000),
  from: text,
  to: text,
  currency: z.string().regex(/^[A-Z]{2,10}$/),
  /** Contract or mint. */
  contract: text,
  decimals: z.number().int().min(0).max(36),
  /** Base units of the token. */
  amount: digits,
  /** Wei, sun or lamports; the rent of a token account that must be opened is added to it. */
  feeCap: digits,
  validity,
});
export type Item = z.output<typeof itemShape>;

export type Unsigned = Pick<Item, 'intent' | 'unsigned' | 'from'>;

/** What the bytes of a transfer say. */
export type Facts = Pick<Item, 'from' | 'to' | 'contract' | 'validity'> & {
  readonly amount: bigint;
  readonly feeCap: bigint;
  /** Null where the bytes do not contain them. */
  readonly chainId: number | null;
  readonly intent: string | null;
  readonly decimals: number | null;
};

export const NOT_IN_BYTES = { chainId: null, intent: null, decimals: null } as const;

/** The signatures of one transfer, by the address of the signer. */
export type Signatures = ReadonlyMap<string, Uint8Array>;

/** How enough signatures become a transaction that the network takes. */
export type Completion =
  /** They are all that it needs. Throws BadDraft. */
  | { readonly kind: 'signatures'; finish(item: Unsigned, signatures: Signatures): SignedTransaction }
  /** An executor signs last, over a transaction that contains the others' signatures, and pays its fee. */
  | {
      readonly kind: 'executor';
      readonly executor: string;
      payload(item: Unsigned, signatures: Signatures): Uint8Array;
      finish(item: Unsigned, signatures: Signatures, execution: Uint8Array): SignedTransaction;
    }
  /** They are collected in another program, and the chain shows what became of the transfer. */
  | { readonly kind: 'elsewhere' };

/** An account in cold storage, opened for one network. Pure. */
export type ColdAccount = {
  /** Who may sign, as `from` is written, with the weight of each signature. */
  readonly signers: ReadonlyMap<string, number>;
  /** The weight that moves money. */
  readonly threshold: number;
  /** What the owner of a key of it is called in a sentence. */
  readonly signerName: string;
  /** Throws BadDraft for bytes that do anything but one transfer of a token. */
  readonly read: (item: Unsigned) => Facts;
  /** What each signer signs. Throws BadDraft. */
  readonly payload: (item: Unsigned) => Uint8Array;
  readonly isSignedBy: (item: Unsigned, signer: string, signature: Uint8Array) => boolean;
  readonly completion: Completion;
  /** Lines that `show` adds to a transfer, name and value. */
  readonly shown: (item: Unsigned) => readonly (readonly [string, string])[];
  /** What is wrong with the request as a whole; none for most. */
  readonly differences: (items: readonly Item[]) => readonly string[];
};

/** The weight of the signers in `signed`. */
export const weightOf = ({ signers }: Pick<ColdAccount, 'signers'>, signed: Iterable<string>): number =>
  [...new Set(signed)].reduce((sum, signer) => sum + (signers.get(signer) ?? 0), 0);
