// The strict reader of a transfer out of a Squads vault: one transaction in which members of the multisig create the transfer, create its
// proposal, approve it and execute it. In that order and nothing else. What the members approve is therefore in the bytes that they sign, and
// not in an account that only the chain shows. It shares no code with the writer (write-proposal.ts), which is @solana/web3.js and
// @solana/spl-token. Pure.

import { base58 } from '@scure/base';
import { associatedAccount, keyBytes, SYSTEM_PROGRAM, TOKEN_PROGRAM } from '@/lib/networks/families/solana/address';
import {
  advanceNonce,
  COMPUTE_BUDGET,
  computeBudget,
  RECENT_BLOCKHASHES,
  transferChecked,
} from '@/lib/networks/families/solana/instructions';
import {
  compileMessage,
  parseMessage,
  SIGNATURE_LENGTH,
  transactionBytes,
  type Instruction,
} from '@/lib/networks/families/solana/message';
import { networkFee, SIGNATURE_FEE } from '@/lib/networks/families/solana/sending/read-draft';
import { MAX_MEMBERS, type SquadsTransfer } from '@/lib/networks/sending/squads';
import { BadDraft, type SignedTransaction } from '@/lib/networks/sending/send';
import { instructionName, proposalAddress, SQUADS_PROGRAM, transactionAddress, u64, vaultAddress } from './program';

/** In the data of vault_transaction_create: the vault's index is behind the name. */
const VAULT_AT = 8;
/** In the data of proposal_create. */
const INDEX_AT = 8;
/** In the data of vault_transaction_create, from its end: the amount and the decimals of the transfer. */
const [AMOUNT_FROM_END, DECIMALS_FROM_END] = [11, 3];

/** The transfer that the bytes are, if they pay the wallet `to`. Throws BadDraft for anything else. */
export function readProposal(unsigned: string, to: string): SquadsTransfer {
  let read: SquadsTransfer;
  try {
    read = readMessage(Buffer.from(unsigned, 'base64'), to);
    // Encode it again and compare, so that neither bytes nor text can contain anything that was not checked.
    if (Buffer.from(messageOf(read)).toString('base64') !== unsigned) throw new Error('it does more');
  } catch {
    throw new BadDraft(`its bytes are not exactly one transfer of a Squads vault to ${to}`);
  }
  return read;
}

function readMessage(bytes: Uint8Array, to: string): SquadsTransfer {
  const message = parseMessage(bytes, MAX_MEMBERS);
  const { payer, writableSigners = [], writable, readonly, blockhash: nonceValue, instructions } = message;
  const [nonceAccount, multisig] = writable;
  const mint = readonly.at(-1);
  const [, limit, price, create, propose] = instructions.map(({ data }) => Buffer.from(data));
  if (!limit || !price || !create || !propose || nonceAccount === undefined || multisig === undefined)
    throw new Error('it is shorter');
  if (mint === undefined) throw new Error('it names no token');
  return {
    ...{ members: [payer, ...writableSigners], multisig, to, mint, nonceAccount, nonceValue },
    vaultIndex: create.readUInt8(VAULT_AT),
    index: safe(propose.readBigUInt64LE(INDEX_AT)),
    amount: create.readBigUInt64LE(create.length - AMOUNT_FROM_END),
    decimals: create.readUInt8(create.length - DECIMALS_FROM_END),
    unitLimit: limit.readUInt32LE(1),
    unitPrice: price.readBigUInt64LE(1),
  };
}

function safe(value: bigint): number {
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new Error('no multisig has so many transactions');
  return Number(value);
}

const call = (accounts: readonly string[], ...data: readonly Uint8Array[]): Instruction => ({
  program: SQUADS_PROGRAM,
  accounts,
  data: Buffer.concat(data),
});

function messageOf(transfer: SquadsTransfer): Uint8Array {
  const { members, multisig, vaultIndex, index, mint, nonceAccount, nonceValue, unitLimit, unitPrice } = transfer;
  const [payer, ...others] = members;
  if (payer === undefined) throw new Error('no member signs');
  const [transaction, proposal] = [transactionAddress(multisig, index), proposalAddress(multisig, index)];
  const inner = innerOf(transfer);
  return compileMessage({
    payer,
    writableSigners: others,
    blockhash: nonceValue,
    writable: [nonceAccount, multisig, transaction, proposal, inner.vault, inner.source, inner.destination],
    readonly: [SYSTEM_PROGRAM, RECENT_BLOCKHASHES, COMPUTE_BUDGET, SQUADS_PROGRAM, TOKEN_PROGRAM, mint],
    instructions: [
      advanceNonce({ account: nonceAccount, authority: payer }),
      ...computeBudget({ unitLimit, unitPrice }),
      call(
        [multisig, transaction, payer, payer, SYSTEM_PROGRAM],
        ...[instructionName('vault_transaction_create'), Uint8Array.of(vaultIndex, NO_EPHEMERAL_SIGNERS)],
        ...[u32(inner.bytes.length), inner.bytes, NO_MEMO],
      ),
      call(
        [multisig, proposal, payer, payer, SYSTEM_PROGRAM],
        ...[instructionName('proposal_create'), u64(index), Uint8Array.of(NOT_A_PROPOSAL_DRAFT)],
      ),
      ...members.map((member) => call([multisig, member, proposal], instructionName('proposal_approve'), NO_MEMO)),
      call([multisig, proposal, transaction, payer, ...inner.keys], instructionName('vault_transaction_execute')),
    ],
  });
}

const NO_EPHEMERAL_SIGNERS = 0;
const NOT_A_PROPOSAL_DRAFT = 0;
const NO_MEMO = Uint8Array.of(0);

function u32(value: number): Uint8Array {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

/** The vault signs alone, and two accounts besides it may be written: the tokens' source and destination. */
const INNER_HEADER = [1, 1, 2] as const;

/** What the vault does: one transfer, in the small form of messages that the program stores. */
function innerOf({ multisig, vaultIndex, mint, to, amount, decimals }: SquadsTransfer) {
  const vault = vaultAddress(multisig, vaultIndex);
  const [source, destination] = [associatedAccount(vault, mint), associatedAccount(to, mint)];
  const keys = [vault, source, destination, TOKEN_PROGRAM, mint];
  const { program, accounts, data } = transferChecked({ source, mint, destination, owner: vault, amount, decimals });
  const place = (key: string): number => keys.indexOf(key);
  const bytes = Buffer.concat([
    Uint8Array.of(...INNER_HEADER, keys.length),
    ...keys.map((key) => keyBytes(key) as Uint8Array),
    // One instruction. The length of its data has two bytes, the low one first. No lookup tables follow.
    Uint8Array.of(1, place(program), accounts.length, ...accounts.map(place), data.length, 0),
    data,
    Uint8Array.of(0),
  ]);
  return { vault, source, destination, keys, bytes };
}

/** Highest network fee in lamports, without the rent of the accounts that the proposal opens. */
export const proposalFee = (transfer: Pick<SquadsTransfer, 'members' | 'unitLimit' | 'unitPrice'>): bigint =>
  networkFee(transfer) + SIGNATURE_FEE * BigInt(transfer.members.length - 1);

/** The payload that each member signs, and the transaction that their signatures complete, in the order of the members. */
export function signedProposal(unsigned: string, to: string): SignedByMembers {
  const { members } = readProposal(unsigned, to);
  const payload = Buffer.from(unsigned, 'base64');
  return {
    payload,
    finish(signatures) {
      const [first] = signatures;
      if (!first || signatures.length !== members.length || signatures.some((one) => one.length !== SIGNATURE_LENGTH))
        throw new BadDraft('a member has not signed it');
      return { bytes: transactionBytes(payload, ...signatures), hash: base58.encode(first) };
    },
  };
}

type SignedByMembers = {
  readonly payload: Uint8Array;
  finish(signatures: readonly Uint8Array[]): SignedTransaction;
};
