// The contract that moves money from forwarders (forwarders.sol): the deposit addresses that belong to it, its code, and its call. An
// address follows from the contract's address and a salt, so it is known before anything is created there. Pure and
// free of chain SDKs, because the signer loads it.

import { keccak_256 } from '@noble/hashes/sha3.js';
import { abiWord } from '@/lib/networks/families/evm/transfer-data';
import { addressBytes, tronAddress } from '@/lib/networks/families/tron/address';
import { FORWARDERS_CREATION, FORWARDERS_RUNTIME, IMMUTABLES } from './forwarders-code';

/** Addresses in base58check. They are part of the contract's code. */
export type ForwarderWallets = {
  /** Where all money goes. */
  readonly treasury: string;
  /** The accounts that may flush, beside the treasury. */
  readonly sponsor: string;
  readonly spareSponsor: string;
};

/** The most deposit addresses of one transaction: about two million energy on the main network. */
export const MAX_SALTS = 20;
/** Energy that one of them may use at most: many times that of a transfer. */
export const MAX_ENERGY_EACH = 10_000_000;
/** The first four bytes of the hash of flush(address,uint256,bytes32[]), hex. */
export const FLUSH_SELECTOR = '6fbea747';
/** TRON hashes the creator of a CREATE2 contract with this byte, where EVM networks hash ff. */
const PREFIX = '41';
/** Creates a minimal proxy (ERC-1167): the code before and after the address that it delegates to. */
const [CLONE_HEAD, CLONE_TAIL] = ['3d602d80600a3d3981f3363d3d373d3d3d363d73', '5af43d82803e903d91602b57fd5bf3'];

const hashOf = (hex: string): string => Buffer.from(keccak_256(Buffer.from(hex, 'hex'))).toString('hex');

/**
 * The salt of a deposit address: the EVM address of the same index. A number could be counted up, so that a stranger could compute the
 * addresses of sessions to come and send dust there; the EVM address is unknown until its session is.
 */
export const saltOf = (evmAddress: string): string => abiWord(evmAddress.slice(2));

/** The deposit address of an index. `factory`: the contract, in base58check; `evmAddress`: the EVM address of the same index. */
export function forwarderAddress(factory: string, evmAddress: string): string {
  const creator = addressBytes(factory);
  const codeHash = hashOf(CLONE_HEAD + creator + CLONE_TAIL);
  return tronAddress(hashOf(PREFIX + creator + saltOf(evmAddress) + codeHash).slice(24));
}

/** The code that creates the contract for these wallets, with its arguments; hex without 0x. */
export const forwardersCreation = ({ treasury, sponsor, spareSponsor }: ForwarderWallets): string =>
  FORWARDERS_CREATION + [treasury, sponsor, spareSponsor].map((one) => abiWord(addressBytes(one))).join('');

/** The code that the network stores at `factory` if that is the contract for these wallets; hex without 0x. */
export function forwardersRuntime(factory: string, { treasury, sponsor, spareSponsor }: ForwarderWallets): string {
  const code = Buffer.from(FORWARDERS_RUNTIME, 'hex');
  const values = [factory, treasury, sponsor, spareSponsor].map((one) =>
    Buffer.from(abiWord(addressBytes(one)), 'hex'),
  );
  for (const [at, places] of IMMUTABLES.entries()) for (const place of places) values[at]?.copy(code, place);
  return code.toString('hex');
}

/** The arguments of the call that flushes a token, hex. `energyEach`: the energy that each address may use. */
export function flushParameters(token: string, energyEach: bigint, evmAddresses: readonly string[]): string {
  const head = [abiWord(addressBytes(token)), abiWord(energyEach), abiWord(96n), abiWord(BigInt(evmAddresses.length))];
  return [...head, ...evmAddresses.map(saltOf)].join('');
}
