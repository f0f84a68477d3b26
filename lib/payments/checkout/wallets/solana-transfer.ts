// The transfer that a Solana browser wallet signs, and whether its account can make it. The transaction creates the token account of
// the deposit address if needed, then makes the checked transfer with the session's reference, and nothing else. Pure.

import {
  ASSOCIATED_TOKEN_PROGRAM,
  associatedAccount,
  SYSTEM_PROGRAM,
  TOKEN_PROGRAM,
} from '@/lib/networks/families/solana/address';
import { createAccount, transferChecked } from '@/lib/networks/families/solana/instructions';
import { compileMessage, transactionBytes } from '@/lib/networks/families/solana/message';
import { SIGNATURE_FEE } from '@/lib/networks/families/solana/sending/read-draft';
import { unitsToText, type PayFault } from '@/lib/payments/checkout/browser/payment';
import type { SolanaDraftAnswer } from '@/lib/payments/checkout/browser/solana';

export type SolanaPayment = {
  /** The account that pays, signs and bears the fee. */
  readonly account: string;
  readonly recipient: string;
  readonly mint: string;
  readonly decimals: number;
  readonly units: bigint;
  readonly reference: string;
};

/** The state of the involved accounts on the chain. */
export type SolanaFacts = {
  /** Base units that the payer's token account holds. */
  readonly tokens: bigint;
  readonly lamports: bigint;
  /** Whether the deposit address already has a token account. */
  readonly recipientHasAccount: boolean;
  /** Lamports that a token account and a wallet must hold to be rent-exempt. */
  readonly rent: { readonly tokenAccount: bigint; readonly wallet: bigint };
  readonly blockhash: string;
};

/** The unsigned transaction in base64, or why the account cannot pay. Throws an Error for an invalid address. */
export function solanaTransfer(payment: SolanaPayment, facts: SolanaFacts): SolanaDraftAnswer {
  const fault = obstacle(payment, facts);
  return fault ? { fault } : { transaction: transactionBytes(messageOf(payment, facts)) };
}

function obstacle({ units, decimals }: SolanaPayment, facts: SolanaFacts): PayFault | null {
  if (facts.tokens < units) return { why: 'no_funds', balance: unitsToText(facts.tokens, decimals) };
  const opening = facts.recipientHasAccount ? 0n : facts.rent.tokenAccount;
  // The network rejects a transfer that leaves a wallet below its rent.
  return facts.lamports < SIGNATURE_FEE + opening + facts.rent.wallet ? { why: 'no_coin' } : null;
}

function messageOf(payment: SolanaPayment, { blockhash }: SolanaFacts): Uint8Array {
  const { account, recipient, mint, decimals, units, reference } = payment;
  const [source, destination] = [associatedAccount(account, mint), associatedAccount(recipient, mint)];
  return compileMessage({
    payer: account,
    blockhash,
    writable: [source, destination],
    readonly: [recipient, mint, SYSTEM_PROGRAM, TOKEN_PROGRAM, ASSOCIATED_TOKEN_PROGRAM, reference],
    instructions: [
      createAccount({ payer: account, account: destination, owner: recipient, mint }),
      // Solana Pay: the transfer comes last, and the reference is one more of its accounts.
      transferChecked({ source, mint, destination, owner: account, amount: units, decimals, references: [reference] }),
    ],
  });
}
