// Sending on TRON: drafts a token transfer that the chain would accept now, broadcasts signed ones, and reports their outcome.
// Stateless: the caller keeps signed bytes.

import { createHash } from 'node:crypto';
import { ChainError } from '@/lib/networks/chain';
import { tokenOf } from '@/lib/networks/networks';
import {
  NOTHING_UNMINED,
  SendHold,
  type ChainSender,
  type PaymentOrder,
  type TronDraft,
  type Unmined,
} from '@/lib/networks/sending/send';
import { badRecipient, unknownToken } from '@/lib/networks/sending/obstacles';
import {
  acceptedBy,
  agreeOnKind,
  agreeOnOutcome,
  enoughVotes,
  latestOf,
  newestAt,
  type Broadcast,
} from '@/lib/networks/sending/verdict';
import { addressBytes } from '@/lib/networks/families/tron/address';
import { tronKindOf } from '@/lib/networks/families/tron/reading/kind-of';
import { readHead, readTip, type TronNode } from '@/lib/networks/families/tron/node';
import { tronUnknown } from '@/lib/networks/families/tron/reading/own-transactions';
import { checkFunds, feeLimitOf, readPrices } from './costs';
import { agreeOnPermissions, readPermissions } from './permissions';
import { bandwidthOf, MULTI_SIGN_FEE } from './read-draft';
import { tronOutcome } from './outcome';
import { openTronSendNodes, type TronSendOptions } from './nodes';
import { simulatePayment } from './obstacles';
import { broadcast } from './shapes';
import { LASTING_MS, LATER_BITS, VALID_MS, writeTronDraft } from './write-draft';

const ZERO = '0'.repeat(40);
/** The owner permission of an account that nothing else was set for. */
const ONE_KEY = { id: 0, signatures: 1 } as const;

/** Opens the sender. No request is sent before the first call. Throws an Error for an unusable URL. */
export function openTronSender(options: TronSendOptions): ChainSender {
  const { spec } = options;
  const endpoints = openTronSendNodes(options);
  return {
    nextNonce: () => Promise.reject(new Error('TRON has no nonces')),
    async draft(order, from, { unmined = NOTHING_UNMINED, lasting } = {}) {
      checkOrder(order, from);
      const validMs = lasting ? LASTING_MS : VALID_MS;
      const permission = lasting?.permission ?? ONE_KEY;
      if (tokenOf(spec, order.contract)?.currency !== order.currency) throw unknownToken('tron', order.currency);
      return endpoints.draft((node) => draftOn(node, options, { order, from, unmined, validMs, permission }));
    },
    async permissions(address, state) {
      return agreeOnPermissions(await endpoints.all((node) => readPermissions(node, address, state)), endpoints.needed);
    },
    async unknownTransactions(from, query) {
      return enoughVotes(await endpoints.all((node) => tronUnknown(node, spec, from, query)), endpoints.needed);
    },
    async newestTime() {
      return latestOf(await endpoints.all(newestAt(readTip)), endpoints.needed);
    },
    async broadcast(bytes) {
      return acceptedBy(await endpoints.all((node) => send(node, bytes)));
    },
    async outcome(attempt) {
      return agreeOnOutcome(await endpoints.all((node) => tronOutcome(node, spec, attempt)), endpoints.needed);
    },
    async kindOf(address) {
      return agreeOnKind(await endpoints.all((node) => tronKindOf(node, address)), endpoints.needed);
    },
  };
}

function checkOrder({ to, contract, amount }: PaymentOrder, from: string): void {
  if (amount <= 0n) throw new Error('this order cannot be paid');
  addressBytes(from);
  let bytes: string | null = null;
  try {
    bytes = addressBytes(to);
  } catch {
    // Reported below.
  }
  if (bytes === null || bytes === ZERO || to === contract || to === from) {
    throw badRecipient();
  }
}

type Drafting = {
  readonly order: PaymentOrder;
  readonly from: string;
  readonly unmined: Unmined;
  readonly validMs: number;
  readonly permission: { readonly id: number; readonly signatures: number };
};

async function draftOn(
  node: TronNode,
  { spec }: TronSendOptions,
  { order, from, unmined, validMs, permission }: Drafting,
): Promise<TronDraft> {
  const { contract, to, amount, intentId } = order;
  const energy = await simulatePayment(node, { ...order, from }, unmined);
  const prices = await readPrices(node);
  const feeLimit = feeLimitOf(energy, prices);
  const { tip, final } = await readHead(node, spec);
  const own = distinctFields(intentId);
  const transfer = {
    owner: from,
    contract,
    to,
    amount,
    // Bytes 6 to 8 of the solid block's height and 8 to 16 of its id, so that no fork can invalidate the transaction.
    refBlockBytes: final.hash.slice(12, 16),
    refBlockHash: final.hash.slice(16, 32),
    expiration: tip.time * 1000 + validMs + own.later,
    timestamp: tip.time * 1000 - own.earlier,
    feeLimit: feeLimit + own.sun,
    permissionId: permission.id,
  };
  const draft = await writeTronDraft(transfer, intentId);
  // Each of the other payments may burn as much: a payment that runs out of energy in a block has failed permanently.
  const payments = unmined.payments + 1;
  const feeLimits = transfer.feeLimit * BigInt(payments);
  const { signatures } = permission;
  const bytes = bandwidthOf(draft, signatures) * payments;
  const extra = signatures > 1 ? MULTI_SIGN_FEE * BigInt(payments) : 0n;
  await checkFunds(node, from, { feeLimit: feeLimits, bytes, extra, prices });
  return draft;
}

/**
 * Two payments of one amount to one recipient, drafted on the same block, would be the same transaction, and only one would be
 * paid. Small variations in three fields make intents distinct (2^51 ways).
 */
function distinctFields(intentId: string): { later: number; earlier: number; sun: bigint } {
  const digest = createHash('sha256').update(intentId).digest();
  const part = (at: number, bits: number): number => digest.readUInt32BE(at) >>> (32 - bits);
  return { later: part(0, LATER_BITS), earlier: part(4, 18), sun: BigInt(part(8, 17)) };
}

async function send(node: TronNode, bytes: string): Promise<Broadcast> {
  const request = { side: 'wallet', api: 'broadcasthex', body: { transaction: bytes }, shape: broadcast } as const;
  const { result, code = 'no code' } = await node.client.request(request);
  if (result === true) return 'accepted';
  if (code === 'DUP_TRANSACTION_ERROR') return 'known';
  if (code === 'BANDWITH_ERROR' || code === 'CONTRACT_VALIDATE_ERROR') {
    return new SendHold(
      'no_fee_coin',
      'the refund wallet has too little TRX for bandwidth; the payment waits for more',
    );
  }
  const named = /^[A-Z_]{1,40}$/.test(code) ? code : 'another code';
  throw new ChainError('unavailable', `${node.name} did not take the payment (${named})`, { demotes: false });
}
