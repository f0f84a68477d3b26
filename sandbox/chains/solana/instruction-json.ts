// Instructions in the RPC's format: indexes and base58 data, or parsed where wallets use the program for payments. An unknown
// instruction is written with its accounts and data, as nodes do.

import { getAddressDecoder, type Address } from '@solana/kit';
import { base58 } from '@scure/base';
import { isMemoProgram } from './landed';
import { TOKEN_PROGRAM, TOKEN_PROGRAMS, uiAmount } from './token-data';
import { SYSTEM_PROGRAM } from './vm';
import type { Instruction } from './message';

const ASSOCIATED_TOKEN_PROGRAM = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL';
const ASSOCIATED_KINDS = ['create', 'createIdempotent', 'recoverNested'] as const;

/** With indexes into the transaction's keys. */
export const compiledJson = ({ program, accounts, data }: Instruction, stackHeight: number) => ({
  programIdIndex: program,
  accounts,
  data: base58.encode(data),
  stackHeight,
});

/** With addresses, and parsed where that is possible. */
export function parsedInstructionJson(instruction: Instruction, keys: readonly Address[], stackHeight: number) {
  const programId = keys[instruction.program] as Address;
  const accounts = instruction.accounts.map((index) => keys[index] as Address);
  const parsed = parse(programId, accounts, Buffer.from(instruction.data));
  return parsed
    ? { ...parsed, programId, stackHeight }
    : { programId, accounts, data: base58.encode(instruction.data), stackHeight };
}

type Parsed = { readonly program: string; readonly parsed: unknown };

function parse(program: Address, accounts: readonly Address[], data: Buffer): Parsed | null {
  if (isMemoProgram(program)) return { program: 'spl-memo', parsed: data.toString('utf8') };
  const meaning = meaningOf(program, accounts, data);
  return meaning && { program: meaning.program, parsed: { type: meaning.type, info: meaning.info } };
}

type Meaning = { readonly program: string; readonly type: string; readonly info: Readonly<Record<string, unknown>> };

function meaningOf(program: Address, accounts: readonly Address[], data: Buffer): Meaning | null {
  try {
    if (program === SYSTEM_PROGRAM) return systemMeaning(accounts, data);
    if (program === ASSOCIATED_TOKEN_PROGRAM) return associatedMeaning(accounts, data);
    return TOKEN_PROGRAMS.includes(program) ? tokenMeaning(program, accounts, data) : null;
  } catch (error) {
    // Data shorter than the instruction needs: the program refused it, and nodes write it unparsed.
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function systemMeaning([first, second]: readonly Address[], data: Buffer): Meaning | null {
  const program = 'system';
  const lamports = () => Number(data.readBigUInt64LE(4));
  switch (data.readUInt32LE(0)) {
    case 0: {
      const info = { source: first, newAccount: second, lamports: lamports(), space: Number(data.readBigUInt64LE(12)) };
      return { program, type: 'createAccount', info: { ...info, owner: addressAt(data, 20) } };
    }
    case 1:
      return { program, type: 'assign', info: { account: first, owner: addressAt(data, 4) } };
    case 2:
      return { program, type: 'transfer', info: { source: first, destination: second, lamports: lamports() } };
    case 8:
      return { program, type: 'allocate', info: { account: first, space: lamports() } };
  }
  return null;
}

function associatedMeaning(accounts: readonly Address[], data: Buffer): Meaning | null {
  const type = ASSOCIATED_KINDS[data[0] ?? 0];
  if (!type) return null;
  const [source, account, wallet, mint, systemProgram, tokenProgram] = accounts;
  const program = 'spl-associated-token-account';
  if (type !== 'recoverNested') {
    return { program, type, info: { source, account, wallet, mint, systemProgram, tokenProgram } };
  }
  const [nestedSource, nestedMint, destination, nestedOwner, ownerMint, owner, nestedTokenProgram] = accounts;
  return {
    program,
    type,
    info: {
      nestedSource,
      nestedMint,
      destination,
      nestedOwner,
      ownerMint,
      wallet: owner,
      tokenProgram: nestedTokenProgram,
    },
  };
}

function tokenMeaning(programId: Address, accounts: readonly Address[], data: Buffer): Meaning | null {
  const program = programId === TOKEN_PROGRAM ? 'spl-token' : 'spl-token-2022';
  const amount = () => data.readBigUInt64LE(1);
  const [first, second, third, fourth] = accounts;
  switch (data[0]) {
    case 3: {
      const info = { source: first, destination: second, authority: third, amount: amount().toString() };
      return { program, type: 'transfer', info };
    }
    case 7: {
      const info = { mint: first, account: second, mintAuthority: third, amount: amount().toString() };
      return { program, type: 'mintTo', info };
    }
    case 9:
      return { program, type: 'closeAccount', info: { account: first, destination: second, owner: third } };
    case 12: {
      const tokenAmount = uiAmount(amount(), data.readUInt8(9));
      const info = { source: first, mint: second, destination: third, authority: fourth, tokenAmount };
      return { program, type: 'transferChecked', info };
    }
    case 18:
      return { program, type: 'initializeAccount3', info: { account: first, mint: second, owner: addressAt(data, 1) } };
    case 21:
      return { program, type: 'getAccountDataSize', info: { mint: first, extensionTypes: ['immutableOwner'] } };
    case 22:
      return { program, type: 'initializeImmutableOwner', info: { account: first } };
    default:
      return null;
  }
}

const addressDecoder = getAddressDecoder();

function addressAt(data: Buffer, offset: number): Address {
  if (data.length < offset + 32) throw new RangeError('no address there');
  return addressDecoder.decode(data, offset);
}
