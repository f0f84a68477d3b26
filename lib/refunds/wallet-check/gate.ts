// What the worker does with the verdict about the refund wallet (check.ts): before each draft, and once an hour also without a draft. So
// the next start compares at most an hour, and a restored machine freezes before a refund is due. On Solana every half a minute, because
// nothing else shows there within a minute that the wallet's key was stolen (elsewhere lib/ledger/reconciliation/tip).

import { ChainError } from '@/lib/networks/chain';
import { stopsSigning } from '@/lib/networks/networks';
import type { Context } from '@/lib/platform/context';
import { AddressSourceError } from '@/lib/treasury/wallets/address-source';
import type { Hold } from '@/lib/refunds/sending/lease';
import { followedChain } from '@/lib/refunds/sending/follow/followed-chain';
import { asSentence, holdOf, type SendingContext, type RefundSigning } from '@/lib/refunds/sending/sending-context';
import { recordFailedComparison } from './alarm';
import { readLastComparison, rememberUnknown } from './known';
import { areNoncesKnown, isNonceFinal, type WalletNonce } from './nonces';
import type { WalletStop } from './verdict';

type Gated = { readonly context: Context; readonly sending: SendingContext; readonly chainId: number };
type Calls = Pick<RefundSigning, 'freeze' | 'state'>;

const COMPARE_EVERY_MILLISECONDS = 3_600_000;
/** How often the worker checks whether that is due. */
const CHECK_DUE_EVERY_MILLISECONDS = 60_000;
/** The list of transactions on Solana is that of confirmed ones, so it shows a theft after some seconds. */
const COMPARE_SOLANA_EVERY_MILLISECONDS = 30_000;

/** Freezes the signer because of a fact on the chain, and returns the hold. A public test network only puts its own refunds on hold. */
export async function stopSigning(
  { context, sending }: Omit<Gated, 'chainId'>,
  calls: Calls,
  reason: string,
): Promise<Hold> {
  const about = { network: sending.network, environment: sending.environment, reason };
  if (stopsSigning(sending.spec)) {
    context.log.error(about, 'refunds are stopped because of a fact of the chain');
    await calls.freeze(reason);
    return holdOf('frozen');
  }
  context.log.error(about, 'the refunds of a test network are on hold');
  return { code: 'chain_unavailable', message: asSentence(reason) };
}

/** The hold while the wallet has signed something that the database does not know, or while that is not certain; otherwise null. */
export async function walletHold(gated: Gated, calls: Calls, address: string): Promise<Hold | null> {
  const obstacle = await gated.sending.walletCheck?.judge(gated, address);
  if (!obstacle) return null;
  if (obstacle.kind === 'stop') return stopFor(gated, calls, obstacle);
  return { code: 'chain_unavailable', message: `The refund waits for the endpoints of the network: ${obstacle.why}.` };
}

/**
 * The hold of a signer's first payment on an EVM network when the wallet has made `final.next` transactions there and this database does not
 * know all of them: the machine may have been restored to before its first payment. Also the hold when it knows more of them as final: the
 * endpoints are behind. Otherwise null. A local chain is never restored.
 */
export async function firstNonceHold(gated: Gated, calls: Calls, final: WalletNonce): Promise<Hold | null> {
  const { network, spec } = gated.sending;
  if (await isNonceFinal(gated, final)) {
    const message = `The refund waits: the endpoints of ${network} report fewer transactions of the refund wallet than are final.`;
    return { code: 'chain_unavailable', message };
  }
  if (spec.chain === 'local') return null;
  const allowances = (await calls.state()).allowanceNonces?.[`${network}@${spec.chain}`] ?? 0;
  if (await areNoncesKnown(gated, { ...final, allowances })) return null;
  const reason = `the wallet made ${final.next} transactions on ${network}, and signer and database do not know all of them`;
  return stopFor(gated, calls, { kind: 'stop', reason, at: gated.context.clock.now(), hashes: [] });
}

async function stopFor(gated: Gated, calls: Calls, { reason, at, hashes }: WalletStop): Promise<Hold> {
  const { network, environment } = gated.sending;
  gated.context.log.error({ network, environment, transactions: hashes }, reason);
  const hold = await stopSigning(gated, calls, reason);
  // If the signer was frozen for another reason, an operator who unfreezes it does not know of this one, so it must freeze again. On a
  // public test network an operator has to confirm the check (npm run refunds -- looked).
  if (stopsSigning(gated.sending.spec) && (await calls.state()).reason === reason) await rememberUnknown(gated, at);
  return hold;
}

/**
 * Compares the wallet when that is due. When an endpoint or the signer does not answer, the next check retries. Also runs during
 * a freeze: endpoints delete old transactions meanwhile, and a gap in what is known would freeze the signer again afterwards.
 */
export async function checkWallet(context: Context, sending: SendingContext): Promise<void> {
  const { walletCheck, signer, sender } = sending;
  const now = context.clock.now();
  const isSolana = sending.spec.family === 'solana';
  const interval = isSolana ? COMPARE_SOLANA_EVERY_MILLISECONDS : CHECK_DUE_EVERY_MILLISECONDS;
  if (!walletCheck || !signer || !sender.unknownTransactions || !walletCheck.isIntervalOver(now, interval)) return;
  const chainId = await followedChain(context, sending);
  if (chainId === null) return;
  const gated = { context, sending, chainId };
  await walletCheck.settle(gated);
  const lastComparison = await readLastComparison(gated);
  const ago = now.getTime() - (lastComparison?.getTime() ?? -Infinity);
  if (!isSolana && ago >= 0 && ago < COMPARE_EVERY_MILLISECONDS) return;
  const about = { network: sending.network, environment: sending.environment };
  try {
    const state = await signer.calls.state();
    const obstacle = await walletCheck.compare(gated, state.wallets[sending.environment][sending.spec.family]);
    // A result that requires a freeze during another freeze applies again once the operator has unfrozen the signer.
    if (obstacle?.kind === 'stop' && !state.frozen) await stopFor(gated, signer.calls, obstacle);
    if (obstacle?.kind === 'stop' && state.frozen) {
      const message = `after the end of the freeze the signer would be frozen again: ${obstacle.reason}`;
      context.log.warn({ ...about, transactions: obstacle.hashes }, message);
    }
    if (obstacle?.kind === 'wait') {
      context.log.warn(about, `the refund wallet cannot be compared: ${obstacle.why}`);
      await recordFailedComparison(gated, { error: new Error(obstacle.why), lastComparison });
    }
  } catch (error) {
    if (!(error instanceof ChainError || error instanceof AddressSourceError)) throw error;
    context.log.warn({ ...about, err: error }, 'the refund wallet cannot be compared now');
    await recordFailedComparison(gated, { error, lastComparison });
  }
}
