// The contract that deposit addresses delegate to for a sweep (sweep-delegate.sol): its address, its deployment and its call. The
// address follows from the treasury and the sponsors alone, so the signer computes it and accepts it from no other process. Pure and free
// of chain SDKs, because the signer loads it.

import { keccak_256 } from '@noble/hashes/sha3.js';
import { abiWord } from '@/lib/networks/families/evm/transfer-data';
import { SWEEP_DELEGATE_CODE } from './sweep-delegate-code';

/** Addresses in lower case with 0x. */
export type SweepWallets = {
  /** Where all money goes. */
  readonly treasury: string;
  /** The account that sends sweeps and pays their fees. */
  readonly sponsor: string;
  /** Takes over if the sponsor's account is stuck. */
  readonly spareSponsor: string;
};

/** The factory that deploys contracts at the same address on every EVM chain (EIP-2470's predecessor, used with CREATE2). */
export const CREATE2_FACTORY = '0x4e59b44847b379578588920ca78fbf26c0b4956c';
const SALT = '0'.repeat(64);
/** The first four bytes of the hash of sweepMany(address,uint256,address[]), hex. */
export const SWEEP_MANY_SELECTOR = '474ec789';
/** What `eth_getCode` reports of an address that delegates, before the delegate's address (EIP-7702). */
export const DELEGATION_PREFIX = '0xef0100';

/** The address of the instance for these wallets, in lower case. */
export function delegateAddress(wallets: SweepWallets): string {
  const hash = keccak_256(Buffer.from(creationCode(wallets).slice(2), 'hex'));
  const place = Buffer.from(`ff${CREATE2_FACTORY.slice(2)}${SALT}${Buffer.from(hash).toString('hex')}`, 'hex');
  return `0x${Buffer.from(keccak_256(place)).subarray(12).toString('hex')}`;
}

/** The data of the call to the factory that deploys the instance, hex with 0x. */
export const deploymentData = (wallets: SweepWallets): string => `0x${SALT}${creationCode(wallets).slice(2)}`;

/** The data of the call that sweeps a token from these addresses, hex with 0x. `gasEach`: the gas that each address may use. */
export const sweepManyData = (token: string, gasEach: bigint, deposits: readonly string[]): string => {
  const head = [abiWord(token.slice(2)), abiWord(gasEach), abiWord(96n), abiWord(BigInt(deposits.length))];
  return `0x${SWEEP_MANY_SELECTOR}${[...head, ...deposits.map((one) => abiWord(one.slice(2)))].join('')}`;
};

/** Intrinsic gas with the call's own words, and what the call costs apart from its addresses. */
const GAS_OF_CALL = 40_000n;
/** For each address: its word, its cold account and delegate, and the event if it does not move. */
const GAS_OF_DEPOSIT = 8000n;
/** What a tuple is charged, whether it is applied or not (EIP-7702). */
const GAS_OF_AUTHORIZATION = 25_000n;

/**
 * A gas limit with which no deposit address can keep the other ones from moving, even if all of them burn their gas. A shorter limit
 * is enough for honest addresses; if it is too short, nothing moves.
 */
export const sweepGasLimit = (batch: { deposits: number; authorizations: number; gasEach: bigint }): bigint =>
  GAS_OF_CALL +
  BigInt(batch.deposits) * (GAS_OF_DEPOSIT + batch.gasEach) +
  BigInt(batch.authorizations) * GAS_OF_AUTHORIZATION +
  // A call gets 63/64 of the remaining gas at most.
  batch.gasEach / 63n;

const creationCode = ({ treasury, sponsor, spareSponsor }: SweepWallets): string =>
  SWEEP_DELEGATE_CODE + [treasury, sponsor, spareSponsor].map((one) => abiWord(one.slice(2))).join('');
