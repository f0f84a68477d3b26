// Keeps the allowance of the contract of batches high enough for payouts. The signer builds the transaction and decides
// the amount. Setting an allowance twice does no harm, so nothing is leased: the signer's journal has the last transaction, and any worker
// sends it again until it is final. While it is not, no batch is drafted.

import { ChainError } from '@/lib/networks/chain';
import { SendHold } from '@/lib/networks/sending/send';
import type { Context } from '@/lib/platform/context';
import { Refusal, type AllowParams, type LastAllowance, type SignerState } from '@/lib/signer/client';
import { AddressSourceError } from '@/lib/treasury/wallets/address-source';
import { IS_OPEN_DRAFT } from '@/lib/refunds/sending/draft/open-draft';
import { followedChain } from '@/lib/refunds/sending/follow/followed-chain';
import { isLowestNonce } from '@/lib/refunds/sending/replace';
import type { SendingContext } from '@/lib/refunds/sending/sending-context';
import { areNoncesKnown, isNonceFinal } from '@/lib/refunds/wallet-check/nonces';
import {
  markInBlock,
  openAllowances,
  recordAllowance,
  settleAllowances,
  walletOf,
  type Allowing,
  type OpenAllowance,
} from './allowance-rows';

/** The allowance is raised when it is below this part of what the signer allows, so that few transactions are needed. */
const LOW_SHARE = 4n;

type Wanted = { readonly currency: AllowParams['currency']; readonly contract: string; readonly amount: bigint };

/**
 * One run: sends the last transaction again while it is not final, also after batches were turned off, because later payments wait for its
 * nonce. Otherwise requests the next one when payouts need it.
 */
export async function keepAllowance(context: Context, sending: SendingContext): Promise<void> {
  const { signer, sender, spec, network, environment } = sending;
  const calls = signer?.calls;
  if (!calls?.allow || !calls.lastAllowance || !sender.allowance || spec.family !== 'evm') return;
  try {
    const chainId = await followedChain(context, sending);
    if (chainId === null) return;
    const state = await calls.state();
    const allowing = { context, sending, chainId };
    if (!(await settleLast(allowing, state)) || !state.batches || state.frozen) return;
    const batches = state.batches[`${network}@${spec.chain}`];
    const wanted = batches ? await findWanted(allowing, state, batches) : null;
    if (wanted) await change(allowing, state, wanted);
  } catch (error) {
    const isPassing =
      error instanceof ChainError ||
      error instanceof SendHold ||
      error instanceof Refusal ||
      error instanceof AddressSourceError;
    if (!isPassing) throw error;
    // Payouts go alone meanwhile.
    context.log.warn({ network, environment, err: error }, 'the allowance for batches of payouts cannot be set now');
  }
}

/** True when every change is final. Otherwise it is followed and sent again, at the interval of a payment. */
async function settleLast(allowing: Allowing, state: SignerState): Promise<boolean> {
  const { context, sending } = allowing;
  const { signer, sender, environment, network, intervals } = sending;
  const wallet = walletOf(sending, state);
  // Signers of former versions do not know the call.
  const last = state.batches ? ((await signer?.calls.lastAllowance?.({ environment, network })) ?? null) : null;
  if (last) await recordAllowance(allowing, wallet, last);
  const open = await openAllowances(allowing, wallet);
  if (open.length === 0) return true;
  const now = context.clock.now().getTime();
  const every = last && now - last.at < intervals.lease ? intervals.recent : intervals.old;
  if (!sender.finalNonce || open.some(({ lookedAt }) => lookedAt && now - lookedAt.getTime() < every)) return false;
  const inBlock = await followOpen(allowing, open);
  if (await settleAllowances(allowing, { wallet, final: await sender.finalNonce(wallet) })) return true;
  if (last && !inBlock.has(last.params.nonce)) await sendAgain(allowing, state, last);
  return false;
}

/** Stores which of them are in a block now, and returns their nonces. */
async function followOpen(allowing: Allowing, open: readonly OpenAllowance[]): Promise<ReadonlySet<number>> {
  const inBlock = new Set<number>();
  for (const { hash, nonce } of open) {
    const block = (await allowing.sending.sender.allowance?.inBlock(hash)) ?? null;
    await markInBlock(allowing, hash, block);
    if (block) inBlock.add(nonce);
  }
  return inBlock;
}

/**
 * The token whose allowance is too low; null for none. The chain is asked for a token that was never allowed here, and for one with open
 * payouts.
 */
async function findWanted(
  { context, sending, chainId }: Allowing,
  state: SignerState,
  batches: Readonly<Record<string, string>>,
): Promise<(Wanted & { readonly isReset: boolean }) | null> {
  const { environment, network, spec, sender } = sending;
  const { rows } = await context.pool.query<{ currency: AllowParams['currency'] }>({
    name: 'allowances-to-read',
    text: `SELECT currency FROM unnest($3::text[]) AS batched (currency)
           WHERE NOT EXISTS (SELECT FROM allowance_transactions a WHERE a.chain_id = $4 AND a.currency = batched.currency)
             OR EXISTS (SELECT FROM payouts p WHERE p.environment = $1::"Environment" AND p.network = $2
               AND p.status IN ('pending', 'processing') AND p.currency = batched.currency) ORDER BY currency`,
    values: [environment, network, Object.keys(batches), chainId],
  });
  for (const { currency } of rows) {
    const contract = spec.tokens[currency]?.contract;
    if (contract === undefined || !sender.allowance) continue;
    const most = BigInt(batches[currency] ?? 0);
    const allowed = await sender.allowance.read(state.wallets[environment].evm, contract);
    // Rounded down.
    if (allowed >= most / LOW_SHARE) continue;
    // USDT on Ethereum changes an allowance only from or to nothing.
    const isReset = allowed > 0n;
    return { currency, contract, amount: isReset ? 0n : most, isReset };
  }
  return null;
}

async function change(
  allowing: Allowing,
  state: SignerState,
  { currency, contract, amount, isReset }: Wanted & { readonly isReset: boolean },
): Promise<void> {
  const { sending } = allowing;
  const { environment, network, sender } = sending;
  const nonce = await nextNonce(allowing, state);
  const terms =
    nonce === null ? null : await sender.allowance?.terms(walletOf(sending, state), { contract, amount }, null);
  if (nonce === null || !terms) return;
  await allowAndSend(allowing, state, { environment, network, currency, reset: isReset, nonce, ...asText(terms) });
}

/** The same bytes, or the same change with a higher fee when no block has included it for some time. */
async function sendAgain(allowing: Allowing, state: SignerState, last: LastAllowance): Promise<void> {
  const { context, sending } = allowing;
  const { params, bytes, at } = last;
  const { sender, intervals, spec } = sending;
  if (bytes === null || !sender.allowance) return;
  await sender.broadcast(bytes).catch(ignoreHold);
  const token = spec.tokens[params.currency];
  const isOld = context.clock.now().getTime() - at >= intervals.replaceAfter;
  if (!isOld || !token || !(await isLowestNonce(allowing, walletOf(sending, state), params.nonce))) return;
  const allowed = state.batches?.[`${sending.network}@${spec.chain}`]?.[params.currency];
  // After batches of the token were turned off, the signer replaces the change by one that allows nothing.
  const reset = params.reset || allowed === undefined;
  const amount = reset ? 0n : BigInt(allowed);
  const before = {
    maxFeePerGas: BigInt(params.maxFeePerGas),
    maxPriorityFeePerGas: BigInt(params.maxPriorityFeePerGas),
  };
  const terms = await sender.allowance.terms(walletOf(sending, state), { contract: token.contract, amount }, before);
  await allowAndSend(allowing, state, { ...params, reset, ...asText(terms) });
}

async function allowAndSend(allowing: Allowing, state: SignerState, params: AllowParams): Promise<void> {
  const { sending } = allowing;
  const signed = await sending.signer?.calls.allow?.(params);
  if (!signed) return;
  await recordAllowance(allowing, walletOf(sending, state), { params, hash: signed.hash });
  await sending.sender.broadcast(signed.bytes).catch(ignoreHold);
}

/** An endpoint's refusal proves nothing, and the next run sends it again. */
function ignoreHold(error: unknown): void {
  if (!(error instanceof SendHold)) throw error;
}

/**
 * Null while another transaction of the wallet is drafted or has this nonce or a later one, or while it is not certain that the signer made
 * all transactions of the wallet.
 */
async function nextNonce(allowing: Allowing, state: SignerState): Promise<number | null> {
  const { context, sending, chainId } = allowing;
  const wallet = walletOf(sending, state);
  const nonce = await freeNonce(allowing, state);
  if (nonce === null) return null;
  // After an unfreeze the signer takes any nonce, also that of a signed payment which the network has lost.
  const { rowCount } = await context.pool.query({
    name: 'allowance-other-payment',
    text: `SELECT 1 FROM refund_attempts a WHERE a.chain_id = $1 AND a.ended_at IS NULL
             AND lower(a.draft->>'from') = $2 AND (${IS_OPEN_DRAFT} OR (a.validity->>'nonce')::bigint >= $3) LIMIT 1`,
    values: [chainId, wallet, nonce],
  });
  return rowCount === 0 ? nonce : null;
}

async function freeNonce({ context, sending, chainId }: Allowing, state: SignerState): Promise<number | null> {
  const { sender, network, spec } = sending;
  const wallet = walletOf(sending, state);
  const name = `${network}@${spec.chain}`;
  const used = await sender.nextNonce(wallet);
  const next = state.nextNonces[name];
  if (next !== undefined) return used <= next ? next : null;
  const final = (await sender.finalNonce?.(wallet)) ?? -1;
  if (await isNonceFinal({ context, chainId }, { address: wallet, next: final })) return null;
  const allowances = state.allowanceNonces?.[name] ?? 0;
  const isKnown =
    spec.chain === 'local' ||
    (await areNoncesKnown({ context, chainId }, { address: wallet, next: final, allowances }));
  return used <= final && isKnown ? final : null;
}

const asText = (terms: { maxFeePerGas: bigint; maxPriorityFeePerGas: bigint; gasLimit: bigint }) => ({
  maxFeePerGas: String(terms.maxFeePerGas),
  maxPriorityFeePerGas: String(terms.maxPriorityFeePerGas),
  gasLimit: String(terms.gasLimit),
});
