// Reasons why a token cannot move on an EVM network, read from the token itself: its issuer's lists and switches, the balances,
// and a simulation of the transfer. Issuers name their getters differently; a missing getter means no restriction.

import { z } from 'zod';
import { ChainError } from '@/lib/networks/chain';
import { RpcError } from '@/lib/networks/endpoints/json-rpc/faults';
import type { SendHold, SendRefused, Unmined } from '@/lib/networks/sending/send';
import {
  recipientBlocked,
  refusedByContract,
  tokenFee,
  tokenPaused,
  tooFewTokens,
  walletBlocked,
  type Payment,
} from '@/lib/networks/sending/obstacles';
import type { EvmNode } from '@/lib/networks/families/evm/node';
import { allowanceCall, getterCall, transferCall, type Getter } from './write-draft';

/** "execution reverted" has code 3 on most nodes, and the same words on all. */
const REVERTED_CODE = 3;
const REVERTED = /revert|VM execution error|invalid opcode|out of gas|gas required exceeds/i;
const WORD = 66;

const answer = z
  .string()
  .regex(/^0x(?:[0-9a-fA-F]{2})*$/)
  .transform((text) => text.toLowerCase());

/** Whether the node reports that the call itself failed, rather than that it could not answer. */
export const isRevert = (error: unknown): boolean =>
  error instanceof RpcError && (error.code === REVERTED_CODE || error.matches(REVERTED));

/** Throws SendRefused or SendHold for the first obstacle. */
export async function checkToken(node: EvmNode, payment: Payment, unmined: Unmined): Promise<void> {
  const { currency, contract, from, amount } = payment;
  const obstacle = await obstacleOf(node, payment);
  if (obstacle) throw obstacle;
  if ((await flag(node, contract, 'basisPointsRate')) > 0n) throw tokenFee(currency);
  const held = await word(node, contract, 'balanceOf', from);
  if (held === null) throw new ChainError('unavailable', `${node.name} does not report the balance of ${currency}`);
  if (held < amount + unmined.tokens) throw tooFewTokens(currency);
  await simulateTransfer(node, payment);
}

/** The issuer's reason against the payment, or null. Only a block of the recipient is permanent. */
export async function obstacleOf(node: EvmNode, payment: Payment): Promise<SendHold | SendRefused | null> {
  const { currency, contract, from, to } = payment;
  const [paused, sender, recipient] = await Promise.all([
    flag(node, contract, 'paused'),
    isListed(node, contract, from),
    isListed(node, contract, to),
  ]);
  if (paused > 0n) return tokenPaused(currency);
  if (sender) return walletBlocked(currency);
  // Old tokens let a blocked address receive tokens that its owner cannot use.
  if (recipient) return recipientBlocked(currency);
  return null;
}

/** The issuer's reason against every payment of the wallet, or null. */
export async function walletObstacle(
  node: EvmNode,
  { currency, contract, from }: Omit<Payment, 'to' | 'amount'>,
): Promise<SendHold | null> {
  if ((await flag(node, contract, 'paused')) > 0n) return tokenPaused(currency);
  if (await isListed(node, contract, from)) return walletBlocked(currency);
  return (await flag(node, contract, 'basisPointsRate')) > 0n ? tokenFee(currency) : null;
}

/** The places of the payments whose recipients the issuer has blocked. Old tokens would move them all the same. */
export async function blockedAmong(node: EvmNode, payments: readonly Payment[]): Promise<readonly number[]> {
  const places = new Set<number>();
  for (const getter of ['isBlackListed', 'isBlacklisted'] as const)
    for (const [at, { contract, to }] of payments.entries()) {
      const listed = await word(node, contract, getter, to);
      // This token has no such getter.
      if (listed === null) break;
      if (listed > 0n) places.add(at);
    }
  return [...places];
}

/** What the wallet holds of a token, and what the contract of batches may move of it. Throws a ChainError. */
export async function walletFunds(
  node: EvmNode,
  { contract, from }: Pick<Payment, 'contract' | 'from'>,
  spender: string,
): Promise<{ readonly held: bigint; readonly allowed: bigint }> {
  const params = [{ to: contract, data: await allowanceCall(from, spender) }, 'latest'];
  const allowed = await node.rpc.call({ method: 'eth_call', params, shape: answer });
  const held = await word(node, contract, 'balanceOf', from);
  if (held === null || allowed.length !== WORD)
    throw new ChainError('unavailable', `${node.name} does not report what the refund wallet holds`);
  return { held, allowed: BigInt(allowed) };
}

/** Whether the issuer of a token has blocked the address. */
export async function isListed(node: EvmNode, contract: string, address: string): Promise<boolean> {
  const [older, newer] = await Promise.all([
    flag(node, contract, 'isBlackListed', address),
    flag(node, contract, 'isBlacklisted', address),
  ]);
  return older > 0n || newer > 0n;
}

const flag = async (node: EvmNode, contract: string, getter: Getter, address?: string): Promise<bigint> =>
  (await word(node, contract, getter, address)) ?? 0n;

/** One word of a getter's answer; null if the token has no such getter. */
async function word(node: EvmNode, to: string, getter: Getter, address?: string): Promise<bigint | null> {
  try {
    const params = [{ to, data: await getterCall(getter, address) }, 'latest'];
    const text = await node.rpc.call({ method: 'eth_call', params, shape: answer });
    return text.length === WORD ? BigInt(text) : null;
  } catch (error) {
    if (isRevert(error)) return null;
    throw error;
  }
}

/** USDT on Ethereum returns nothing, other tokens true; false and a revert mean refusal. */
async function simulateTransfer(node: EvmNode, { currency, contract, from, to, amount }: Payment): Promise<void> {
  try {
    const params = [{ from, to: contract, data: await transferCall(to, amount) }, 'latest'];
    const text = await node.rpc.call({ method: 'eth_call', params, shape: answer });
    if (text !== '0x' && BigInt(text) === 0n) throw refusedByContract(currency);
  } catch (error) {
    throw isRevert(error) ? refusedByContract(currency) : error;
  }
}
