// Sending on the EVM networks: drafts a token transfer that the chain would accept now, broadcasts signed ones, and reports their
// outcome. Stateless: the caller keeps account nonces and signed bytes.

import { z } from 'zod';
import { ChainError } from '@/lib/networks/chain';
import { RpcError } from '@/lib/networks/endpoints/json-rpc/faults';
import { keptForDataFee, tokenOf, type EvmSpec } from '@/lib/networks/networks';
import { NOTHING_UNMINED, SendHold, type EvmDraft, type PaymentOrder, type Unmined } from '@/lib/networks/sending/send';
import { noFeeCoin, unknownToken, type Payment } from '@/lib/networks/sending/obstacles';
import type { SafeSending } from '@/lib/networks/sending/safe';
import type { SendOptions } from '@/lib/networks/sending/endpoints';
import { acceptedBy, agreeOnOutcome, agreeOnKind, type Broadcast } from '@/lib/networks/sending/verdict';
import { openSafes } from '@/lib/networks/families/evm/safe/open';
import { evmKindOf } from '@/lib/networks/families/evm/reading/kind-of';
import type { EvmNode } from '@/lib/networks/families/evm/node';
import { openAllowance } from './allowance';
import { draftBatchOn } from './draft-batch';
import { readEvmBatch, readEvmTransfer, type EvmBatch, type EvmTransfer } from './read-draft';
import { evmOutcome } from './outcome';
import { openEvmSendNodes } from './nodes';
import { checkCost, checkDataFee, lastingPrices, offeredPrices, replacingPrices } from './fees';
import { checkToken } from './obstacles';
import { estimateGas, paymentOf } from './payment';
import { hash, quantity } from '@/lib/networks/families/evm/shapes';
import { writeEvmDraft } from './write-draft';

const wei = z
  .string()
  .regex(/^0x[0-9a-fA-F]{1,64}$/)
  .transform(BigInt);

const KNOWN =
  /already known|\bknown transaction|already imported|nonce too low|nonce is too low|already exists|AlreadyKnown|OldNonce/i;
const UNDERPRICED = /underpriced|fee cap|less than block base fee|max fee per gas|tip|gas price below/i;
const NO_COIN = /insufficient funds|insufficient balance/i;
/** A limit in the settings of the node (rpc.txfeecap of geth). */
const ABOVE_NODE_CAP = /exceeds the configured cap/i;

/** Opens the sender. No request is sent before the first call. */
export function openEvmSender(options: SendOptions): SafeSending {
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
    safes: openSafes({ spec, endpoints, nextNonce }),
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
    async draftBatch(orders, from, { nonce, unmined, replaces }) {
      const payments = orders.map((order) => paymentOf(order, from));
      const currencies = new Set(orders.map(({ currency }) => currency));
      const areKnown = payments.every(({ contract, currency }) => tokenOf(spec, contract)?.currency === currency);
      if (currencies.size !== 1 || !areKnown) throw new Error('a batch pays one token of its network');
      const before = replaces ? replacedBatch(payments, replaces) : null;
      const drafting = { spec, chainId, nonce: before?.nonce ?? nonce, payments, before, unmined };
      return endpoints.draft((node) => draftBatchOn(node, drafting));
    },
    allowance: openAllowance(spec, endpoints),
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

/** The content of the draft to replace, if it pays the same order from the same wallet. Throws an Error otherwise. */
function replacedBy(order: PaymentOrder, payment: Payment, draft: EvmDraft): EvmTransfer {
  const before = readEvmTransfer(draft);
  const { contract, to, amount } = before;
  const isSame = contract === payment.contract && to === payment.to && amount === payment.amount;
  if (isSame && draft.intentId === order.intentId && draft.from.toLowerCase() === payment.from) return before;
  throw new Error('a payment is only ever replaced by the same payment');
}

/** The batch to replace, if it pays exactly these payments from the same wallet. Throws an Error otherwise. */
function replacedBatch(payments: readonly Payment[], draft: EvmDraft): EvmBatch {
  const before = readEvmBatch(draft);
  const isSame =
    before.items.length === payments.length &&
    payments.every(({ contract, from, to, amount }, at) => {
      const item = before.items[at];
      return (
        before.token === contract && draft.from.toLowerCase() === from && item?.to === to && item.amount === amount
      );
    });
  if (isSame) return before;
  throw new Error('a batch is only ever replaced by the same batch');
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
  checkCost(spec, prices, { gasLimit });
  await checkDataFee(node, spec);
  const coin = await node.rpc.call({ method: 'eth_getBalance', params: [from, 'latest'], shape: wei });
  if (coin < gasLimit * prices.maxFeePerGas + keptForDataFee(spec)) throw noFeeCoin(spec.network);
  const transfer = { chainId, nonce, ...prices, gasLimit, contract, to, amount };
  return writeEvmDraft(transfer, { intentId: order.intentId, from });
}

/** Classifies a node's refusal of bytes. Rethrows errors that say nothing about the bytes. */
function classifyRefusal(network: string, error: unknown): 'known' | SendHold {
  if (!(error instanceof RpcError)) throw error;
  if (error.matches(KNOWN)) return 'known';
  if (error.matches(NO_COIN)) return noFeeCoin(network);
  if (error.matches(ABOVE_NODE_CAP)) {
    return new SendHold('fee_too_high', `the nodes of ${network} do not take a transaction that may cost so much`);
  }
  if (error.matches(UNDERPRICED)) {
    return new SendHold('fee_too_low', `${network} does not take the payment at its price; it must be replaced`);
  }
  throw error;
}
