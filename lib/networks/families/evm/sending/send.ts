// Sending on the EVM networks: drafts a token transfer that the chain would accept now, broadcasts signed ones, and reports their
// outcome. Stateless: the caller keeps account nonces and signed bytes.

import { getAddress, isAddress } from 'ethers/address';
import { ZeroAddress } from 'ethers/constants';
import { z } from 'zod';
import { ChainError } from '@/lib/networks/chain';
import { RpcError } from '@/lib/networks/endpoints/json-rpc/faults';
import { keptForDataFee, tokenOf, type EvmSpec } from '@/lib/networks/networks';
import {
  NOTHING_UNMINED,
  SendHold,
  type ChainSender,
  type EvmDraft,
  type PaymentOrder,
  type Unmined,
} from '@/lib/networks/sending/send';
import { badRecipient, refusedByContract, unknownToken, type Payment } from '@/lib/networks/sending/obstacles';
import type { SendOptions } from '@/lib/networks/sending/endpoints';
import { acceptedBy, agreeOnOutcome, agreeOnKind, type Broadcast } from '@/lib/networks/sending/verdict';
import { evmKindOf } from '@/lib/networks/families/evm/reading/kind-of';
import type { EvmNode } from '@/lib/networks/families/evm/node';
import { readEvmTransfer, type EvmTransfer } from './read-draft';
import { evmOutcome } from './outcome';
import { openEvmSendNodes } from './nodes';
import { checkCost, checkDataFee, lastingPrices, offeredPrices, replacingPrices } from './fees';
import { checkToken, isRevert } from './obstacles';
import { hash, quantity } from '@/lib/networks/families/evm/shapes';
import { transferCall, writeEvmDraft } from './write-draft';

const wei = z
  .string()
  .regex(/^0x[0-9a-fA-F]{1,64}$/)
  .transform(BigInt);
/** More than the estimate, because the state may change until the transaction is mined. */
const [GAS_MORE, GAS_OF] = [125n, 100n];
/** Minimum gas limit, whatever an endpoint estimates: unused gas costs nothing, and a payment that runs out of gas fails. */
const LEAST_GAS_LIMIT = 80_000n;

const KNOWN =
  /already known|\bknown transaction|already imported|nonce too low|nonce is too low|already exists|AlreadyKnown|OldNonce/i;
const UNDERPRICED = /underpriced|fee cap|less than block base fee|max fee per gas|tip|gas price below/i;
const NO_COIN = /insufficient funds|insufficient balance/i;

/** Opens the sender. No request is sent before the first call. */
export function openEvmSender(options: SendOptions): ChainSender {
  const { spec } = options;
  const { chainId, network } = spec;
  if (spec.family !== 'evm') throw new Error(`${network} is not an EVM network`);
  if (chainId === null) throw new Error(`${network} has no chain id`);
  const endpoints = openEvmSendNodes(options);

  async function nextNonce(from: string): Promise<number> {
    const call = { method: 'eth_getTransactionCount', params: [from, 'pending'], shape: quantity };
    const counts = (await endpoints.all((node) => node.rpc.call(call))).toSorted((a, b) => b - a);
    // One endpoint that invents a pending transaction must not stop payments. If other endpoints are unreachable, those that respond count.
    return counts[Math.min(endpoints.needed, counts.length) - 1] as number;
  }

  /** At least this many transactions are in blocks, by the report of enough endpoints. */
  async function agreedNonce(from: string, block: 'finalized' | 'latest'): Promise<number> {
    const call = { method: 'eth_getTransactionCount', params: [from, block], shape: quantity };
    const counts = (await endpoints.all((node) => node.rpc.call(call))).toSorted((a, b) => b - a);
    const agreed = counts[endpoints.needed - 1];
    if (agreed === undefined)
      throw new ChainError('unavailable', `too few endpoints report the wallet’s ${block} nonce`);
    return agreed;
  }

  return {
    nextNonce,
    finalNonce: (from) => agreedNonce(from, 'finalized'),
    minedNonce: (from) => agreedNonce(from, 'latest'),
    async draft(order, from, given = {}) {
      const payment = paymentOf(order, from);
      if (tokenOf(spec, payment.contract)?.currency !== order.currency) throw unknownToken(network, order.currency);
      const before = given.replaces ? replacedBy(order, payment, given.replaces) : null;
      const { unmined = NOTHING_UNMINED, lasting } = given;
      const nonce = before?.nonce ?? given.nonce ?? (await nextNonce(payment.from));
      const isLasting = lasting !== undefined;
      return endpoints.draft((node) =>
        draftOn(node, { order, payment, before, spec, chainId, nonce, unmined, isLasting }),
      );
    },
    async broadcast(bytes) {
      const call = { method: 'eth_sendRawTransaction', params: [bytes], shape: hash };
      const answers = await endpoints.all(async (node): Promise<Broadcast> => {
        try {
          await node.rpc.call(call);
          return 'accepted';
        } catch (error) {
          return classifyRefusal(network, error);
        }
      });
      return acceptedBy(answers);
    },
    async outcome(attempt) {
      return agreeOnOutcome(await endpoints.all((node) => evmOutcome(node, spec, attempt)), endpoints.needed);
    },
    async kindOf(address) {
      return agreeOnKind(await endpoints.all((node) => evmKindOf(node, address)), endpoints.needed);
    },
  };
}

function paymentOf(order: PaymentOrder, sender: string): Payment {
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

/** The content of the draft to replace, if it pays the same order from the same wallet. Throws an Error otherwise. */
function replacedBy(order: PaymentOrder, payment: Payment, draft: EvmDraft): EvmTransfer {
  const before = readEvmTransfer(draft);
  const { contract, to, amount } = before;
  const isSame = contract === payment.contract && to === payment.to && amount === payment.amount;
  if (isSame && draft.intentId === order.intentId && draft.from.toLowerCase() === payment.from) return before;
  throw new Error('a payment is only ever replaced by the same payment');
}

type Drafting = {
  readonly order: PaymentOrder;
  readonly payment: Payment;
  readonly before: EvmTransfer | null;
  readonly spec: EvmSpec;
  readonly chainId: number;
  readonly nonce: number;
  readonly unmined: Unmined;
  readonly isLasting: boolean;
};

async function draftOn(node: EvmNode, drafting: Drafting): Promise<EvmDraft> {
  const { order, payment, before, spec, chainId, nonce, unmined, isLasting } = drafting;
  const { contract, from, to, amount } = payment;
  const now = await offeredPrices(node, spec);
  const offered = before ? replacingPrices(spec, before, now) : now;
  await checkToken(node, payment, unmined);
  const estimated = await estimateGas(node, spec, payment);
  const gasLimit = before && before.gasLimit > estimated ? before.gasLimit : estimated;
  const prices = isLasting ? lastingPrices(spec, offered, gasLimit) : offered;
  checkCost(spec, prices, gasLimit);
  await checkDataFee(node, spec);
  const coin = await node.rpc.call({ method: 'eth_getBalance', params: [from, 'latest'], shape: wei });
  if (coin < gasLimit * prices.maxFeePerGas + keptForDataFee(spec)) throw noCoin(spec.network);
  const transfer = { chainId, nonce, ...prices, gasLimit, contract, to, amount };
  return writeEvmDraft(transfer, { intentId: order.intentId, from });
}

/** Without a price, so that an empty wallet also gets an estimate, and then a clear refusal. */
async function estimateGas(
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

/** Classifies a node's refusal of bytes. Rethrows errors that say nothing about the bytes. */
function classifyRefusal(network: string, error: unknown): 'known' | SendHold {
  if (!(error instanceof RpcError)) throw error;
  if (error.matches(KNOWN)) return 'known';
  if (error.matches(NO_COIN)) return noCoin(network);
  if (error.matches(UNDERPRICED)) {
    return new SendHold('fee_too_low', `${network} does not take the payment at its price; it must be replaced`);
  }
  throw error;
}

const noCoin = (network: string): SendHold =>
  new SendHold(
    'no_fee_coin',
    `the refund wallet has too little coin for fees on ${network}; the payment waits for more`,
  );
