// What the families' files are given to hold a draft against, and what they make of it.

import type { NetworkSpec, Token } from '@/lib/chains/networks';
import type { RefundAccount } from '@/lib/wallet/derivation-refund';
import type { EvmDraft, PaymentOrder, Signed, Validity } from './orders';

/** What a draft is held against. */
export type Expected = {
  readonly order: PaymentOrder;
  readonly spec: NetworkSpec;
  readonly token: Token;
  readonly account: RefundAccount;
  /** Most that the attempt may cost, in the network's smallest unit (wei, sun, lamports). */
  readonly feeCap: bigint;
};

export type Payload = {
  /** SHA-256 of what is signed, in hex: what tells one draft of an intent from another. */
  readonly digest: string;
  readonly validity: Validity;
  /** EVM only: the draft as accepted, for comparing a replacement with it. */
  readonly evm: EvmDraft | null;
  /** Throws a Refusal when the payload has lapsed or would live too long, at a time of the signer's clock in milliseconds. */
  readonly checkLife: (now: number) => void;
  /** Deterministic: the same payload gives the same bytes. */
  readonly sign: () => Pick<Signed, 'hash' | 'bytes'>;
};
