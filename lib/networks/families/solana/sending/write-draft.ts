// Writes Solana drafts with @solana/web3.js and @solana/spl-token, offline: their RPC client is never used. The worker loads both with its
// first draft; web and signer never do. The signer checks the bytes with a reader that shares nothing with this (read-draft.ts).

import type { Message, PublicKey } from '@solana/web3.js';
import { BadDraft, type SolanaDraft } from '@/lib/networks/sending/send';
import type { SolanaTransfer } from './read-draft';

/** @solana/spl-token silently shortens larger amounts instead of throwing. */
const AMOUNTS = 1n << 64n;
/** Neither library knows this program. */
const MEMO = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr';

/** The draft of a transfer. Throws BadDraft if the transfer pays back to its source, and an Error for text that is no address. */
export async function writeSolanaDraft(transfer: SolanaTransfer, lastValidBlockHeight: number): Promise<SolanaDraft> {
  if (transfer.amount < 0n || transfer.amount >= AMOUNTS) throw new BadDraft('its amount is not one of this network');
  const web3 = await import('@solana/web3.js');
  const spl = await import('@solana/spl-token');
  const [payer, to, mint, memo] = [transfer.from, transfer.to, transfer.mint, MEMO].map(
    (text) => new web3.PublicKey(text),
  ) as [PublicKey, PublicKey, PublicKey, PublicKey];
  // Recipients without a key are refused before (obstacles.ts), unless they already hold the token.
  const accountOf = (owner: PublicKey): PublicKey => spl.getAssociatedTokenAddressSync(mint, owner, true);
  const [source, destination] = [accountOf(payer), transfer.direct ? to : accountOf(to)];
  if (source.equals(destination)) throw new BadDraft('it pays back to where it comes from');
  const { ComputeBudgetProgram: budget, SystemProgram: system } = web3;
  const nonce = transfer.nonceAccount === null ? null : new web3.PublicKey(transfer.nonceAccount);
  const instructions = [
    ...(nonce ? [system.nonceAdvance({ noncePubkey: nonce, authorizedPubkey: payer })] : []),
    budget.setComputeUnitLimit({ units: transfer.unitLimit }),
    budget.setComputeUnitPrice({ microLamports: transfer.unitPrice }),
    ...(transfer.direct ? [] : [spl.createAssociatedTokenAccountIdempotentInstruction(payer, destination, to, mint)]),
    new web3.TransactionInstruction({ programId: memo, keys: [], data: Buffer.from(transfer.memo) }),
    spl.createTransferCheckedInstruction(source, mint, destination, payer, transfer.amount, transfer.decimals),
  ];
  const compiled = web3.Message.compile({ payerKey: payer, recentBlockhash: transfer.blockhash, instructions });
  const programs = [spl.TOKEN_PROGRAM_ID, budget.programId, memo];
  const writable = [payer, source, destination, ...(nonce ? [nonce] : [])];
  const readonly = transfer.direct
    ? [mint, ...programs]
    : [to, mint, system.programId, ...programs, spl.ASSOCIATED_TOKEN_PROGRAM_ID];
  const accountKeys = [...writable, ...readonly, ...(nonce ? [web3.SYSVAR_RECENT_BLOCKHASHES_PUBKEY] : [])];
  const unsigned = Buffer.from(new web3.Message(inOrder(compiled, accountKeys)).serialize()).toString('base64');
  return { family: 'solana', intentId: transfer.memo, from: transfer.from, unsigned, lastValidBlockHeight };
}

/** The same message with its accounts in the order that the signer accepts: accounts with the same access have no order of their own. */
function inOrder({ header, recentBlockhash, accountKeys: compiled, instructions }: Message, accountKeys: PublicKey[]) {
  const places = compiled.map((key) => accountKeys.findIndex((one) => one.equals(key)));
  if (places.includes(-1) || compiled.length !== accountKeys.length) throw new BadDraft('its accounts are others');
  const moved = (index: number): number => places[index] as number;
  return {
    header,
    recentBlockhash,
    accountKeys,
    instructions: instructions.map(({ programIdIndex, accounts, data }) => ({
      programIdIndex: moved(programIdIndex),
      accounts: accounts.map(moved),
      data,
    })),
  };
}

/** The transaction of a draft with signatures of zeros, base64, for a simulation. */
export async function unsignedTransaction({ unsigned }: Pick<SolanaDraft, 'unsigned'>): Promise<string> {
  const { Message: Parsed, VersionedTransaction } = await import('@solana/web3.js');
  const transaction = new VersionedTransaction(Parsed.from(Buffer.from(unsigned, 'base64')));
  return Buffer.from(transaction.serialize()).toString('base64');
}
