// The contract that deposit addresses delegate to for a sweep (sweep-delegate.sol): its address, its deployment and its call. The
// address follows from the treasury and the sponsors alone, so the signer computes it and trusts nobody's word for it. Pure and free
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

const creationCode = ({ treasury, sponsor, spareSponsor }: SweepWallets): string =>
  SWEEP_DELEGATE_CODE + [treasury, sponsor, spareSponsor].map((one) => abiWord(one.slice(2))).join('');
