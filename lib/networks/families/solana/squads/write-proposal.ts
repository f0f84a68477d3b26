// Writes the transfer out of a Squads vault with @solana/web3.js and @solana/spl-token, offline. The members check the bytes with a reader
// that shares nothing with this (read-proposal.ts). The names of the instructions, their accounts and arguments are those of
// Squads-Protocol/v4, as @sqds/multisig writes them.

import { createHash } from 'node:crypto';
import type { AccountMeta, Message, PublicKey, TransactionInstruction } from '@solana/web3.js';
import { BadDraft } from '@/lib/networks/sending/send';
import type { SquadsTransfer } from '@/lib/networks/sending/squads';

const PROGRAM = 'SQDS4ep65T869zMMBKyuUq6aD6EgTu8psMjkvj52pCf';
/** @solana/spl-token silently shortens larger amounts instead of throwing. */
const AMOUNTS = 1n << 64n;
/** Solana's limit for a transaction with its signatures. */
const MAX_BYTES = 1232;
const SIGNATURE_BYTES = 64;
/** No memo, no ephemeral signers, and a proposal that is open for votes at once. */
const NONE = Buffer.of(0);

const nameOf = (instruction: string): Buffer =>
  createHash('sha256').update(`global:${instruction}`).digest().subarray(0, 8);

function u64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

const meta = (pubkey: PublicKey, access: 'signs' | 'writes' | 'both' | 'reads' = 'reads'): AccountMeta => ({
  pubkey,
  isSigner: access === 'signs' || access === 'both',
  isWritable: access === 'writes' || access === 'both',
});

/** The message of the transaction, base64. Throws BadDraft, and an Error for text that is no address. */
export async function writeProposal(transfer: SquadsTransfer): Promise<string> {
  const { members, vaultIndex, index, amount, decimals, nonceValue, unitLimit, unitPrice } = transfer;
  if (amount <= 0n || amount >= AMOUNTS) throw new BadDraft('its amount is not one of this network');
  const web3 = await import('@solana/web3.js');
  const spl = await import('@solana/spl-token');
  const key = (text: string): PublicKey => new web3.PublicKey(text);
  const [program, multisig, mint] = [PROGRAM, transfer.multisig, transfer.mint].map(key) as [
    PublicKey,
    PublicKey,
    PublicKey,
  ];
  const derived = (...seeds: readonly (string | Buffer)[]): PublicKey => {
    const all = ['multisig', multisig.toBuffer(), ...seeds];
    const bytes = all.map((seed) => (typeof seed === 'string' ? Buffer.from(seed) : seed));
    return web3.PublicKey.findProgramAddressSync(bytes, program)[0];
  };
  const vault = derived('vault', Buffer.of(vaultIndex));
  const [transaction, proposal] = [derived('transaction', u64(index)), derived('transaction', u64(index), 'proposal')];
  const accountOf = (owner: PublicKey): PublicKey => spl.getAssociatedTokenAddressSync(mint, owner, true);
  const [source, destination] = [accountOf(vault), accountOf(key(transfer.to))];
  if (source.equals(destination)) throw new BadDraft('it pays back to where it comes from');
  const pay = spl.createTransferCheckedInstruction(source, mint, destination, vault, amount, decimals);
  const inner = web3.Message.compile({ payerKey: vault, recentBlockhash: nonceValue, instructions: [pay] });
  const innerBytes = smallForm(inner, pay);

  const approving = members.map(key);
  const [payer] = approving;
  if (!payer) throw new BadDraft('no member signs it');
  const call = (name: string, keys: AccountMeta[], ...data: readonly Buffer[]): TransactionInstruction =>
    new web3.TransactionInstruction({ programId: program, keys, data: Buffer.concat([nameOf(name), ...data]) });
  const opening = [meta(payer, 'signs'), meta(payer, 'both'), meta(web3.SystemProgram.programId)];
  const instructions = [
    web3.SystemProgram.nonceAdvance({ noncePubkey: key(transfer.nonceAccount), authorizedPubkey: payer }),
    web3.ComputeBudgetProgram.setComputeUnitLimit({ units: unitLimit }),
    web3.ComputeBudgetProgram.setComputeUnitPrice({ microLamports: unitPrice }),
    call(
      'vault_transaction_create',
      [meta(multisig, 'writes'), meta(transaction, 'writes'), ...opening],
      ...[Buffer.of(vaultIndex), NONE, u32(innerBytes.length), innerBytes, NONE],
    ),
    call('proposal_create', [meta(multisig), meta(proposal, 'writes'), ...opening], u64(index), NONE),
    ...approving.map((member) =>
      call('proposal_approve', [meta(multisig), meta(member, 'both'), meta(proposal, 'writes')], NONE),
    ),
    call('vault_transaction_execute', [
      ...[meta(multisig), meta(proposal, 'writes'), meta(transaction), meta(payer, 'signs')],
      // The vault has no key: the program signs for it.
      ...inner.accountKeys.map((pubkey, at) => meta(pubkey, inner.isAccountWritable(at) ? 'writes' : 'reads')),
    ]),
  ];
  const compiled = web3.Message.compile({ payerKey: payer, recentBlockhash: nonceValue, instructions });
  const bytes = Buffer.from(compiled.serialize());
  if (1 + SIGNATURE_BYTES * approving.length + bytes.length > MAX_BYTES)
    throw new BadDraft('with so many signatures it is longer than a transaction may be');
  return bytes.toString('base64');
}

/** A message as the program takes it: lengths have one byte, and that of an instruction's data has two. */
function smallForm(
  {
    header: { numRequiredSignatures: signers, numReadonlySignedAccounts, numReadonlyUnsignedAccounts },
    accountKeys,
    instructions,
  }: Message,
  { data }: TransactionInstruction,
): Buffer {
  const writableOthers = accountKeys.length - signers - numReadonlyUnsignedAccounts;
  const length = Buffer.alloc(2);
  length.writeUInt16LE(data.length);
  return Buffer.concat([
    Buffer.of(signers, signers - numReadonlySignedAccounts, writableOthers, accountKeys.length),
    ...accountKeys.map((one) => one.toBuffer()),
    Buffer.of(instructions.length),
    ...instructions.flatMap(({ programIdIndex, accounts }) => [
      Buffer.of(programIdIndex, accounts.length, ...accounts),
      length,
      data,
    ]),
    Buffer.of(0),
  ]);
}
