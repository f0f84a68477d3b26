// Reasons why a token cannot move on TRON, read from the token itself: its issuer's lists and switches, the balance, and a
// simulation of the transfer, which also measures its energy.

import { ChainError } from '@/lib/networks/chain';
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
import { addressBytes, requestAddress } from '@/lib/networks/families/tron/address';
import type { TronNode } from '@/lib/networks/families/tron/node';
import { transferParameter } from './write-draft';
import { triedCall } from './shapes';

const WORD = 64;

/** Energy that the transfer takes. Throws SendRefused or SendHold for the first obstacle. */
export async function simulatePayment(node: TronNode, payment: Payment, unmined: Unmined): Promise<number> {
  const { currency, contract, from, to, amount } = payment;
  const obstacle = await obstacleOf(node, payment);
  if (obstacle) throw obstacle;
  if ((await flag(node, contract, 'basisPointsRate()')) > 0n) throw tokenFee(currency);
  const held = await word(node, contract, 'balanceOf(address)', from);
  if (held === null) throw new ChainError('unavailable', `${node.name} does not report the balance of ${currency}`);
  if (held < amount + unmined.tokens) throw tooFewTokens(currency);
  // The return value is ignored: the genuine USDT returns nothing.
  const parameter = await transferParameter(to, amount);
  const tried = await call(node, { from, contract, selector: 'transfer(address,uint256)', parameter });
  if (tried.failed) throw refusedByContract(currency);
  return tried.energy;
}

/** The issuer's reason against the payment, or null. Only a block of the recipient is permanent. */
export async function obstacleOf(node: TronNode, payment: Payment): Promise<SendHold | SendRefused | null> {
  const { currency, contract, from, to } = payment;
  if ((await flag(node, contract, 'paused()')) > 0n) return tokenPaused(currency);
  if (await isListed(node, contract, from)) return walletBlocked(currency);
  // A blocked address can receive tokens, but its owner cannot use them.
  if (await isListed(node, contract, to)) return recipientBlocked(currency);
  return null;
}

/** Whether the issuer of a token has blocked the address. */
export const isListed = async (node: TronNode, contract: string, address: string): Promise<boolean> =>
  (await flag(node, contract, 'isBlackListed(address)', address)) > 0n ||
  (await flag(node, contract, 'isBlacklisted(address)', address)) > 0n;

const flag = async (node: TronNode, contract: string, selector: string, address?: string): Promise<bigint> =>
  (await word(node, contract, selector, address)) ?? 0n;

/** One word of a getter's answer; null if the token has no such getter. */
async function word(node: TronNode, contract: string, selector: string, address?: string): Promise<bigint | null> {
  const parameter = address === undefined ? '' : addressBytes(address).padStart(WORD, '0');
  const { failed, word: text } = await call(node, { from: contract, contract, selector, parameter });
  return !failed && text.length === WORD ? BigInt(`0x${text}`) : null;
}

type Call = { readonly from: string; readonly contract: string; readonly selector: string; readonly parameter: string };

async function call(node: TronNode, { from, contract, selector, parameter }: Call) {
  const body = {
    owner_address: requestAddress(from),
    contract_address: requestAddress(contract),
    function_selector: selector,
    parameter,
  };
  const request = { side: 'wallet', api: 'triggerconstantcontract', body, shape: triedCall } as const;
  const answer = await node.client.request(request);
  if (answer.refused) throw new ChainError('unavailable', `${node.name} refuses to simulate a transfer`);
  return answer;
}
