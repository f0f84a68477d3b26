// Sending on Solana: drafts a token transfer that the chain would accept now, broadcasts signed ones, and reports their outcome.
// Stateless: the caller keeps signed bytes.

import type { z } from 'zod';
import { ChainError } from '@/lib/networks/chain';
import { RpcError } from '@/lib/networks/endpoints/json-rpc/faults';
import { tokenOf } from '@/lib/networks/networks';
import {
  NOTHING_UNMINED,
  SendHold,
  SendRefused,
  type PaymentOrder,
  type SolanaDraft,
  type Unmined,
} from '@/lib/networks/sending/send';
import type { SafeSending } from '@/lib/networks/sending/safe';
import type { SendOptions } from '@/lib/networks/sending/endpoints';
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
import { openSquads } from '@/lib/networks/families/solana/squads/open';
import { solanaKindOf } from '@/lib/networks/families/solana/reading/kind-of';
import { clearCache, readTip, type SolanaNode } from '@/lib/networks/families/solana/node';
import { solanaUnknown } from '@/lib/networks/families/solana/reading/own-transactions';
import { isKey } from '@/lib/networks/families/solana/address';
import { destinationOf, networkFee, type SolanaTransfer } from './read-draft';
import { solanaOutcome } from './outcome';
import { openSolanaSendNodes } from './nodes';
import { lastValidHeight } from './last-valid-height';
import { findRoute, TOKEN_ACCOUNT_SIZE, type Route } from './obstacles';
import { readNonce } from './nonce-account';
import { offeredPrice } from './offered-price';
import * as shapes from './shapes';
import { simulatedUnits } from './simulation';
import { signature } from '@/lib/networks/families/solana/shapes';
import { writeSolanaDraft } from './write-draft';

/** Compute units that a simulation may use; a transfer that creates an account takes about 30,000. */
const TRIED_UNITS = 200_000;
/**
 * Minimum compute limit, whatever an endpoint estimates: the recipient's account may be closed before the block and must then be
 * created again.
 */
const LEAST_UNITS = 60_000;
const KNOWN = /already (?:been )?processed/i;
const NO_COIN = /insufficient funds for (?:fee|rent)|no record of a prior credit/i;

/** Opens the sender. No request is sent before the first call. */
export function openSolanaSender(options: SendOptions): SafeSending {
  const { spec } = options;
  const endpoints = openSolanaSendNodes(options);

  return {
    squads: openSquads({ spec, endpoints }),
    nextNonce: () => Promise.reject(new Error('Solana has no nonces')),
    async draft(order, from, { unmined = NOTHING_UNMINED, lasting } = {}) {
      checkOrder(order, from);
      const nonceAccount = lasting?.nonceAccount ?? null;
      if (lasting && nonceAccount === null) throw new Error('a lasting draft on Solana needs a durable nonce account');
      const found = tokenOf(spec, order.contract);
      if (found?.currency !== order.currency) throw unknownToken('solana', order.currency);
      const { decimals } = found.token;
      const drafted = await endpoints.draft((node) => draftOn(node, { order, from, decimals, unmined, nonceAccount }));
      const { lastValidBlockHeight } = drafted;
      if (nonceAccount !== null) return drafted;
      return { ...drafted, lastValidBlockHeight: await lastValidHeight(endpoints, lastValidBlockHeight) };
    },
    async durableNonce(account, authority) {
      const votes = await endpoints.all((node) => readNonce(node, { account, authority }, 'finalized'));
      const agreed = votes.find((vote) => votes.filter((other) => other === vote).length >= endpoints.needed);
      if (agreed === undefined)
        throw new ChainError('unavailable', 'too few endpoints report the same value of the nonce account');
      return agreed;
    },
    async unknownTransactions(from, query) {
      return enoughVotes(await endpoints.all((node) => solanaUnknown(node, from, query)), endpoints.needed);
    },
    async newestTime() {
      return latestOf(await endpoints.all(newestAt(readTip)), endpoints.needed);
    },
    async broadcast(bytes) {
      return acceptedBy(await endpoints.all((node) => send(node, bytes)));
    },
    async outcome(attempt) {
      const votes = await endpoints.all((node) => {
        // An endpoint that answered wrongly once would repeat it from its cache, and the payment would wait until the process ends.
        clearCache(node);
        return solanaOutcome(node, spec, attempt);
      });
      return agreeOnOutcome(votes, endpoints.needed);
    },
    async kindOf(address) {
      return agreeOnKind(await endpoints.all((node) => solanaKindOf(node, address)), endpoints.needed);
    },
  };
}

function checkOrder({ to, contract, amount }: PaymentOrder, from: string): void {
  if (!isKey(from) || amount <= 0n || amount >= 1n << 64n) throw new Error('this order cannot be paid');
  if (!isKey(to) || to === contract || to === from) {
    throw badRecipient();
  }
}

type Drafting = {
  readonly order: PaymentOrder;
  readonly from: string;
  readonly decimals: number;
  readonly unmined: Unmined;
  readonly nonceAccount: string | null;
};

async function draftOn(
  node: SolanaNode,
  { order, from, decimals, unmined, nonceAccount }: Drafting,
): Promise<SolanaDraft & { readonly rent?: bigint }> {
  const { to, contract: mint, amount, intentId: memo } = order;
  const route = await findRoute(node, order, { from, unmined });
  const { blockhash, lastValidBlockHeight } =
    nonceAccount === null
      ? await latestBlockhash(node)
      : { blockhash: await nonceValue(node, nonceAccount, from), lastValidBlockHeight: NEVER };
  const transfer: SolanaTransfer = {
    from,
    to,
    direct: route.direct,
    mint,
    decimals,
    amount,
    blockhash,
    unitLimit: TRIED_UNITS,
    unitPrice: await offeredPrice(node, [from, destinationOf({ to, mint, direct: route.direct })]),
    memo,
    nonceAccount,
  };
  const rent = await checkCoin(node, transfer, route, unmined);
  const tried = await writeSolanaDraft(transfer, lastValidBlockHeight);
  const units = await simulatedUnits(node, tried, { currency: order.currency, noCoin });
  const unitLimit = Math.min(TRIED_UNITS, Math.max(LEAST_UNITS, units));
  const draft = await writeSolanaDraft({ ...transfer, unitLimit }, lastValidBlockHeight);
  return { ...draft, ...(rent === null ? {} : { rent }) };
}

/** The last valid height of a lasting draft: only the next value of its nonce account ends it. */
const NEVER = Number.MAX_SAFE_INTEGER;

async function nonceValue(node: SolanaNode, account: string, authority: string): Promise<string> {
  const value = await readNonce(node, { account, authority }, 'finalized');
  if (value === null)
    throw new SendRefused('reverts', `${account} is not a durable nonce account whose authority is ${authority}`);
  return value;
}

async function latestBlockhash(node: SolanaNode): Promise<z.output<typeof shapes.latestBlockhash>['value']> {
  const params = [{ commitment: 'confirmed' }];
  return (await node.rpc.call({ method: 'getLatestBlockhash', params, shape: shapes.latestBlockhash })).value;
}

/**
 * Throws SendHold unless the wallet can pay the fee, the rent of a new account, the same for other payments, and its own
 * rent-exempt minimum. Returns the rent of the new account, or null.
 */
async function checkCoin(
  node: SolanaNode,
  transfer: SolanaTransfer,
  { creates, lamports }: Route,
  { payments }: Unmined,
): Promise<bigint | null> {
  const rent = async (size: number): Promise<bigint> => {
    const call = { method: 'getMinimumBalanceForRentExemption', params: [size], shape: shapes.lamports };
    return BigInt(await node.rpc.call(call));
  };
  const account = creates || payments > 0 ? await rent(TOKEN_ACCOUNT_SIZE) : 0n;
  const fee = networkFee(transfer);
  const others = BigInt(payments) * (fee + account);
  if (BigInt(lamports) < fee + (creates ? account : 0n) + others + (await rent(0))) throw noCoin();
  return creates ? account : null;
}

/** Skips the preflight, which would refuse bytes that have already landed; drafting has already simulated the transfer. */
async function send(node: SolanaNode, bytes: string): Promise<Broadcast> {
  const options = { encoding: 'base64', skipPreflight: true };
  try {
    await node.rpc.call({ method: 'sendTransaction', params: [bytes, options], shape: signature });
    return 'accepted';
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    if (error.matches(KNOWN)) return 'known';
    if (error.matches(NO_COIN)) return noCoin();
    throw error;
  }
}

const noCoin = (): SendHold =>
  new SendHold('no_fee_coin', 'the refund wallet has too little SOL for fees and rent; the payment waits for more');
