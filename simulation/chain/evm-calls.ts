// The signed transactions that a simulated EVM chain understands: token transfers, and those of a sweep. A transaction of a sweep
// deploys the contract that deposit addresses delegate to, calls it, or gives a deposit address coin. Batches of payouts are in evm-batched-calls.ts.

import { Interface } from 'ethers/abi';
import { getCreate2Address } from 'ethers/address';
import { keccak256 } from 'ethers/crypto';
import { verifyAuthorization } from 'ethers/hash';
import type { Transaction } from 'ethers/transaction';
import type { Movement } from './chain';
import { readBatched, type BatchedCall } from './evm-batched-calls';

/** The factory behind CREATE2 deployments, and its data: 32 bytes of salt before the code. */
export const FACTORY = '0x4e59b44847b379578588920ca78fbf26c0b4956c';
const SALT_DIGITS = 64;
const WORD_DIGITS = 64;

const erc20 = new Interface(['function transfer(address to, uint256 amount)']);
const sweeping = new Interface(['function sweepMany(address token, uint256 gasEach, address[] deposits)']);

/** A contract that moves tokens of the addresses that delegate to it to its treasury, when one of `callers` calls it. */
export type Instance = {
  readonly address: string;
  readonly treasury: string;
  readonly callers: readonly string[];
};

/** What a transaction wants. */
export type SignedCall =
  | { readonly kind: 'deploy'; readonly instance: Instance }
  | { readonly kind: 'batch'; readonly token: string; readonly deposits: readonly string[] }
  | { readonly kind: 'coin'; readonly value: bigint }
  | BatchedCall;

/** A signed delegation (EIP-7702) and the address that signed it. */
export type SignedDelegation = {
  readonly authority: string;
  readonly delegate: string;
  readonly nonce: number;
  readonly chainId: number;
};

type Called = SignedCall | { readonly kind: 'tokens'; readonly movement: Omit<Movement, 'payer'> };

/** What a call does. Null: the chain does not know it. */
export function readCall(to: string, data: string, value: bigint): Called | null {
  if (to === FACTORY) return { kind: 'deploy', instance: instanceOf(data) };
  if (data === '0x') return { kind: 'coin', value };
  const batched = readBatched(to, data);
  if (batched) return batched;
  const batch = sweeping.parseTransaction({ data });
  if (batch) {
    const [token, , deposits] = batch.args as unknown as [string, bigint, readonly string[]];
    return { kind: 'batch', token: token.toLowerCase(), deposits: deposits.map((one) => one.toLowerCase()) };
  }
  const transfer = erc20.parseTransaction({ data });
  if (!transfer) return null;
  const [recipient, amount] = transfer.args as unknown as [string, bigint];
  return { kind: 'tokens', movement: { token: to, recipient: recipient.toLowerCase(), amount } };
}

/** The code ends with the constructor's words: treasury, sponsor and spare sponsor. */
function instanceOf(data: string): Instance {
  const [salt, code] = [`0x${data.slice(2, 2 + SALT_DIGITS)}`, `0x${data.slice(2 + SALT_DIGITS)}`];
  const words = [3, 2, 1].map((left) => `0x${code.slice(code.length - left * WORD_DIGITS).slice(24, WORD_DIGITS)}`);
  const address = getCreate2Address(FACTORY, salt, keccak256(code)).toLowerCase();
  return { address, treasury: words[0] as string, callers: words };
}

export const delegationsOf = ({ authorizationList }: Transaction): SignedDelegation[] =>
  (authorizationList ?? []).map((one) => ({
    authority: verifyAuthorization(one, one.signature).toLowerCase(),
    delegate: one.address.toLowerCase(),
    nonce: Number(one.nonce),
    chainId: Number(one.chainId),
  }));
