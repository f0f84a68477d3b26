// Reads what a signed transaction on a simulated Solana chain pays: the refund wallet's with a blockhash, or the cold wallet's with a
// durable nonce.

import { ed25519 } from '@noble/curves/ed25519.js';
import { base58 } from '@scure/base';
import { feeOf, type WireTransaction } from '@/sandbox/chains/solana/wire';
import { TOKEN_PROGRAM } from '@/testing/solana/solana-ledger';
import { nonceAccountOf } from './solana-nonces';
import { accountOf, type SolanaPayment, type SolanaState } from './solana-state';
import { TRANSFER_CHECKED, unitPriceOf } from './solana-sweeps';

/** Whether every signer of the message signed it. */
export function isSigned({ message, signatures, transaction }: WireTransaction): boolean {
  const bytes = Uint8Array.from(transaction.messageBytes);
  return message.staticKeys
    .slice(0, message.signers)
    .every((key, at) => ed25519.verify(base58.decode(signatures[at] ?? ''), bytes, base58.decode(key)));
}

/** Null for a transaction that is not a checked transfer of its fee payer, or advances a nonce account of another authority. */
export function waitingOf(
  { wallet, nonces }: SolanaState,
  { message }: WireTransaction,
  signature: string,
): SolanaPayment | null {
  const { staticKeys: keys, instructions, blockhash } = message;
  const programOf = ({ program }: { readonly program: number }): string | undefined => keys[program];
  const pay = instructions.find((one) => programOf(one) === TOKEN_PROGRAM && one.data[0] === TRANSFER_CHECKED);
  const open = instructions.find((one) => one.accounts.length === 6);
  const [source, token, destination, payer] = (pay?.accounts ?? []).map((index) => keys[index] as string);
  if (!pay || source === undefined || token === undefined || destination === undefined || payer === undefined)
    return null;
  if (payer !== keys[0] || source !== accountOf(payer, token)) return null;
  // Opening the account names its owner; a transfer to an open account pays whom it belongs to.
  const recipient = open ? (keys[open.accounts[2] ?? -1] as string) : destination;
  const nonceAccount = nonceAccountOf(message);
  if (nonceAccount !== null && nonces.get(nonceAccount) !== payer) return null;
  const durable = nonceAccount === null ? {} : { nonceAccount };
  const signed = { blockhash, unitPrice: unitPriceOf(message), fee: Number(feeOf(message)), ...durable };
  const amount = Buffer.from(pay.data).readBigUInt64LE(1);
  const movement = { token, payer, recipient, amount, ...(payer === wallet ? {} : { needsFunds: true as const }) };
  return { signature, feePayer: payer, destination, movement, signed };
}
