// The bytes of token accounts and mints, of the classic token program and of Token-2022, and token amounts in the RPC's format.

import { getAddressDecoder, type Address } from '@solana/kit';
import type { AccountState } from './account-history';

export const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA' as Address;
export const TOKEN_2022_PROGRAM = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb' as Address;
export const TOKEN_PROGRAMS: readonly Address[] = [TOKEN_PROGRAM, TOKEN_2022_PROGRAM];

const TOKEN_ACCOUNT_SIZE = 165;
const MINT_SIZE = 82;
/** In Token-2022 this byte follows the 165 of an account and distinguishes accounts from mints. */
const KIND_OFFSET = 165;
const MINT_KIND = 1;
const ACCOUNT_KIND = 2;

export type TokenAccount = {
  readonly mint: Address;
  readonly owner: Address;
  readonly amount: bigint;
  readonly state: 'initialized' | 'frozen';
  readonly isNative: boolean;
  readonly delegate: { readonly address: Address; readonly amount: bigint } | null;
  readonly closeAuthority: Address | null;
  readonly program: Address;
};

export type Mint = {
  readonly supply: bigint;
  readonly decimals: number;
  readonly mintAuthority: Address | null;
  readonly freezeAuthority: Address | null;
};

/** The token account in the state; null when it is anything else. */
export function readTokenAccount(state: AccountState): TokenAccount | null {
  if (!state || !TOKEN_PROGRAMS.includes(state.programAddress) || !hasKind(state.data, ACCOUNT_KIND)) return null;
  if (state.data.length < TOKEN_ACCOUNT_SIZE) return null;
  const data = Buffer.from(state.data);
  const initialized = data.readUInt8(108);
  if (initialized === 0) return null;
  return {
    mint: addressAt(data, 0),
    owner: addressAt(data, 32),
    amount: data.readBigUInt64LE(64),
    state: initialized === 2 ? 'frozen' : 'initialized',
    isNative: data.readUInt32LE(109) === 1,
    delegate: data.readUInt32LE(72) === 1 ? { address: addressAt(data, 76), amount: data.readBigUInt64LE(121) } : null,
    closeAuthority: optionalAddress(data, 129),
    program: state.programAddress,
  };
}

/** The mint in the state; null when it is anything else. */
export function readMint(state: AccountState): Mint | null {
  if (!state || !TOKEN_PROGRAMS.includes(state.programAddress)) return null;
  const data = Buffer.from(state.data);
  if (data.length !== MINT_SIZE && !(data.length > KIND_OFFSET && hasKind(data, MINT_KIND))) return null;
  if (data.readUInt8(45) !== 1) return null;
  return {
    supply: data.readBigUInt64LE(36),
    decimals: data.readUInt8(44),
    mintAuthority: optionalAddress(data, 0),
    freezeAuthority: optionalAddress(data, 46),
  };
}

export type UiTokenAmount = { amount: string; decimals: number; uiAmount: number | null; uiAmountString: string };

/** A token amount as nodes write it. `uiAmount` is inexact by definition of the interface. */
export function uiAmount(amount: bigint, decimals: number): UiTokenAmount {
  const digits = amount.toString().padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  const text = fraction ? `${whole}.${fraction}` : whole;
  return { amount: amount.toString(), decimals, uiAmount: Number(text), uiAmountString: text };
}

function hasKind(data: ArrayLike<number>, kind: number): boolean {
  return data.length === TOKEN_ACCOUNT_SIZE ? kind === ACCOUNT_KIND : data[KIND_OFFSET] === kind;
}

const addressDecoder = getAddressDecoder();
const addressAt = (data: Buffer, offset: number): Address => addressDecoder.decode(data, offset);
const optionalAddress = (data: Buffer, offset: number): Address | null =>
  data.readUInt32LE(offset) === 1 ? addressAt(data, offset + 4) : null;
