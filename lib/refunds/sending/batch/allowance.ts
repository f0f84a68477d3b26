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
import type { SendingContext } from '@/lib/refunds/sending/sending-context';
import { areNoncesKnown } from '@/lib/refunds/wallet-check/known';

/** The allowance is raised when it is below this part of what the signer allows, so that few transactions are needed. */
const LOW_SHARE = 4n;

type Allowing = { readonly context: Context; readonly sending: SendingContext; readonly chainId: number };
type Wanted = { readonly currency: AllowParams['currency']; readonly contract: string; readonly amount: bigint };

/** Whether the last change of an allowance on this network is final. Throws AddressSourceError and ChainError. */
export async function isAllowanceSettled(sending: SendingContext, state: SignerState): Promise<boolean> {
  const { signer, sender, environment, network } = sending;
  if (!signer?.calls.lastAllowance || !sender.finalNonce) return false;
  const last = await signer.calls.lastAllowance({ environment, network });
  return last === null || (await sender.finalNonce(state.wallets[environment].evm)) > last.params.nonce;
}

/**
 * One run: sends the last transaction again while it is not final, also after batches were turned off, because later payments wait for its
 * nonce. Otherwise requests the next one when payouts need it.
 */
export async function keepAllowance(context: Context, sending: SendingContext): Promise<void> {
  const { signer, sender, spec, network, environment } = sending;
  const calls = signer?.calls;
  if (!calls?.allow || !calls.lastAllowance || !sender.allowance || spec.family !== 'evm') return;
  try {
    const state = await calls.state();
    if (!state.batches || state.frozen) return;
    const chainId = await followedChain(context, sending);
    if (chainId === null) return;
    const allowing = { context, sending, chainId };
    const last = await calls.lastAllowance({ environment, network });
    if (last && !(await isAllowanceSettled(sending, state))) return await sendAgain(allowing, state, last);
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
  await allowAndSend(allowing, { environment, network, currency, reset: isReset, nonce, ...asText(terms) });
}

/** The same bytes, or the same change with a higher fee when no block has included it for some time. */
async function sendAgain(allowing: Allowing, state: SignerState, last: LastAllowance): Promise<void> {
  const { context, sending } = allowing;
  const { params, hash, bytes, at } = last;
  const { sender, intervals, spec } = sending;
  if (bytes === null || !sender.allowance) return;
  await record(allowing, { params, hash });
  await sender.broadcast(bytes).catch(ignoreHold);
  const token = spec.tokens[params.currency];
  const isOld = context.clock.now().getTime() - at >= intervals.replaceAfter;
  if (!isOld || !token || (await sender.allowance.isInBlock(hash))) return;
  const allowed = state.batches?.[`${sending.network}@${spec.chain}`]?.[params.currency];
  // After batches of the token were turned off, the signer replaces the change by one that allows nothing.
  const reset = params.reset || allowed === undefined;
  const amount = reset ? 0n : BigInt(allowed);
  const before = {
    maxFeePerGas: BigInt(params.maxFeePerGas),
    maxPriorityFeePerGas: BigInt(params.maxPriorityFeePerGas),
  };
  const terms = await sender.allowance.terms(walletOf(sending, state), { contract: token.contract, amount }, before);
  await allowAndSend(allowing, { ...params, reset, ...asText(terms) });
}

async function allowAndSend(allowing: Allowing, params: AllowParams): Promise<void> {
  const { sending } = allowing;
  const signed = await sending.signer?.calls.allow?.(params);
  if (!signed) return;
  await record(allowing, { params, hash: signed.hash });
  await sending.sender.broadcast(signed.bytes).catch(ignoreHold);
}

/** An endpoint's refusal proves nothing, and the next run sends it again. */
function ignoreHold(error: unknown): void {
  if (!(error instanceof SendHold)) throw error;
}

/** So that the database knows all account nonces of the wallet. */
async function record(
  { context, chainId }: Allowing,
  { params, hash }: { readonly params: AllowParams; readonly hash: string },
): Promise<void> {
  await context.pool.query({
    name: 'allowance-signed',
    text: `INSERT INTO allowance_transactions (chain_id, hash, nonce, currency, is_reset, signed_at)
           VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING`,
    values: [chainId, hash, params.nonce, params.currency, params.reset, context.clock.now()],
  });
}

/** Null while another transaction of the wallet is drafted, or while it is not certain that the signer made all transactions of the wallet. */
async function nextNonce({ context, sending, chainId }: Allowing, state: SignerState): Promise<number | null> {
  const { rowCount } = await context.pool.query({
    name: 'allowance-other-draft',
    text: `SELECT 1 FROM refund_attempts a WHERE a.chain_id = $1 AND ${IS_OPEN_DRAFT} LIMIT 1`,
    values: [chainId],
  });
  if (rowCount !== 0) return null;
  const { sender, network, spec } = sending;
  const wallet = walletOf(sending, state);
  const used = await sender.nextNonce(wallet);
  const next = state.nextNonces[`${network}@${spec.chain}`];
  if (next !== undefined) return used <= next ? next : null;
  const final = (await sender.finalNonce?.(wallet)) ?? -1;
  const isKnown = spec.chain === 'local' || (await areNoncesKnown({ context, chainId }, final));
  return used <= final && isKnown ? final : null;
}

const walletOf = ({ environment }: SendingContext, { wallets }: SignerState): string => wallets[environment].evm;

const asText = (terms: { maxFeePerGas: bigint; maxPriorityFeePerGas: bigint; gasLimit: bigint }) => ({
  maxFeePerGas: String(terms.maxFeePerGas),
  maxPriorityFeePerGas: String(terms.maxPriorityFeePerGas),
  gasLimit: String(terms.gasLimit),
});
