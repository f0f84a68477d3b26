// A token transfer of an EVM wallet or Safe before it is drafted: its addresses as they are compared, and the gas that it takes.

import { getAddress, isAddress } from 'ethers/address';
import { ZeroAddress } from 'ethers/constants';
import { z } from 'zod';
import type { EvmNode } from '@/lib/networks/families/evm/node';
import type { EvmSpec } from '@/lib/networks/networks';
import { badRecipient, refusedByContract, type Payment } from '@/lib/networks/sending/obstacles';
import { SendHold, type PaymentOrder } from '@/lib/networks/sending/send';
import { isRevert } from './obstacles';
import { transferCall } from './write-draft';

const wei = z
  .string()
  .regex(/^0x[0-9a-fA-F]{1,64}$/)
  .transform(BigInt);
/** More than the estimate, because the state may change until the transaction is mined. */
const [GAS_MORE, GAS_OF] = [125n, 100n];
/** Minimum gas limit, whatever an endpoint estimates: unused gas costs nothing, and a payment that runs out of gas fails. */
const LEAST_GAS_LIMIT = 80_000n;

/** Throws SendRefused for a recipient that cannot be paid. */
export function paymentOf(order: PaymentOrder, sender: string): Payment {
  const { currency, amount } = order;
  const [contract, from, to] = [order.contract, sender, order.to].map((text) => text.toLowerCase()) as [
    string,
    string,
    string,
  ];
  // Mixed case is a checksum; ethers refuses a wrong one.
  const usable = isAddress(order.to) && getAddress(order.to) !== ZeroAddress && to !== contract && to !== from;
  if (!usable) throw badRecipient();
  if (!isAddress(sender) || amount <= 0n) throw new Error('this order cannot be paid');
  return { currency, contract, from, to, amount };
}

/** Without a price, so that an empty wallet also gets an estimate, and then a clear refusal. */
export async function estimateGas(
  node: EvmNode,
  { mostGas }: EvmSpec,
  { currency, contract, from, to, amount }: Payment,
): Promise<bigint> {
  try {
    const params = [{ from, to: contract, data: await transferCall(to, amount) }];
    const gas = await node.rpc.call({ method: 'eth_estimateGas', params, shape: wei });
    const limit = (gas * GAS_MORE) / GAS_OF;
    if (gas <= mostGas) return limit > LEAST_GAS_LIMIT ? limit : LEAST_GAS_LIMIT;
    throw new SendHold('fee_too_high', `a transfer of ${currency} takes more gas than is ever paid for`);
  } catch (error) {
    if (!isRevert(error)) throw error;
    throw refusedByContract(currency);
  }
}
