// Freezes signing for transactions that the tip step has stored, once for each of them. The reason names the wallet and the transaction, so
// that the operator who ends the freeze has read them.

import { isCoin } from '@/lib/networks/coins';
import { stopsSigning } from '@/lib/networks/networks';
import type { FollowedChain } from '@/lib/networks/registry';
import type { Context } from '@/lib/platform/context';
import { rememberUnknown } from '@/lib/refunds/wallet-check/known';
import type { SignerClient } from '@/lib/signer/client';
import { AddressSourceError } from '@/lib/treasury/wallets/address-source';
import { markActed, readKnown, readWaiting, type WaitingOutflow } from './rows';
import type { OwnWallets } from './unexplained';

/** Records of the signer's journal, the newest ones, in which a transaction of a block near the tip can be. */
const NEWEST_RECORDS = 2000;

export type FreezingSigner = Pick<SignerClient, 'freeze' | 'state' | 'journal' | 'signedSweeps'>;

type Waiting = {
  readonly chain: FollowedChain;
  readonly chainId: number;
  readonly signer: FreezingSigner;
  readonly wallets: OwnWallets;
  /** Those of these addresses that are deposit addresses. */
  readonly depositsAmong: (addresses: readonly string[]) => Promise<ReadonlySet<string>>;
  /** When the step first saw the present freeze; null if it began before the step, or there is none. */
  readonly frozenSince: Date | null;
};

/** A freeze for another reason is about transactions until then, because that check reads later blocks than this step. */
const SAME_EVENT_MILLISECONDS = 60_000;

/**
 * Freezes once for all transactions that wait. During a freeze for another reason they wait on: an operator who ends it has not read of them.
 */
export async function freezeForWaiting(context: Context, of: Waiting): Promise<void> {
  const { chain, chainId, signer, wallets } = of;
  const waiting = await readWaiting(context.pool, chainId);
  if (waiting.length === 0) return;
  const acted = async (some: readonly WaitingOutflow[]): Promise<void> => {
    // Otherwise the hourly comparison of the refund wallet would freeze once more for the same transactions.
    const times = some
      .filter(({ payer }) => payer === wallets.refundWallet)
      .map(({ blockTime }) => blockTime.getTime());
    if (times.length > 0) await rememberUnknown({ context, chainId }, new Date(Math.max(...times)));
    await markDone(some);
  };
  const markDone = (some: readonly WaitingOutflow[]): Promise<void> =>
    markActed(
      context.pool,
      chainId,
      some.map(({ transactionHash }) => transactionHash),
      context.clock.now(),
    );
  // A public test network stops nothing. The log has the transaction.
  if (!stopsSigning(chain.spec)) return markDone(waiting);
  const { frozen, reason } = await signer.state();
  if (frozen) {
    // As after a crash between the freeze and its record.
    const isOurs = reason === reasonOf(waiting, chain, wallets);
    return acted(isOurs ? waiting : waiting.filter((one) => isAboutWallet(one, of, reason)));
  }
  const { explained, stolen } = await explain(context, of, waiting);
  await markDone(explained);
  if (stolen.length === 0) return;
  await signer.freeze(reasonOf(stolen, chain, wallets));
  // Another reason may have come first.
  if ((await signer.state()).reason === reasonOf(stolen, chain, wallets)) await acted(stolen);
}

/** A restored database does not know what the signer has signed. The check of the journal freezes for that, with its own words. */
async function explain(
  context: Context,
  of: Waiting,
  waiting: readonly WaitingOutflow[],
): Promise<{ readonly explained: readonly WaitingOutflow[]; readonly stolen: readonly WaitingOutflow[] }> {
  const { chainId, signer, wallets } = of;
  const hashes = waiting.map(({ transactionHash }) => transactionHash);
  const { signed } = await readKnown(context.pool, { chainId, hashes, now: context.clock.now() });
  const known = new Set([...signed, ...(await signedAmong(signer, hashes))]);
  const sweeps = await sweepsAmong(
    of,
    waiting.filter(({ currency }) => isCoin(currency)),
  );
  const isOurs = ({ payer, currency, transactionHash }: WaitingOutflow): boolean =>
    isCoin(currency) ? sweeps.has(transactionHash) : wallets.signing.has(payer) && known.has(transactionHash);
  return { explained: waiting.filter(isOurs), stolen: waiting.filter((one) => !isOurs(one)) };
}

/**
 * The signer signs coin for own deposit addresses only, also for those that a restored database has forgotten. A signer of an older version
 * does not know the call; then a deposit address as recipient is enough.
 */
async function sweepsAmong(
  { signer, depositsAmong }: Waiting,
  ofCoin: readonly WaitingOutflow[],
): Promise<ReadonlySet<string>> {
  if (ofCoin.length === 0) return new Set();
  try {
    return new Set(await signer.signedSweeps(ofCoin.map(({ transactionHash }) => transactionHash)));
  } catch (error) {
    if (!(error instanceof AddressSourceError) || error.fault !== 'refused') throw error;
    const deposits = await depositsAmong(ofCoin.map(({ recipient }) => recipient));
    return new Set(ofCoin.filter(({ recipient }) => deposits.has(recipient)).map((one) => one.transactionHash));
  }
}

async function signedAmong(signer: FreezingSigner, hashes: readonly string[]): Promise<readonly string[]> {
  const found: string[] = [];
  const { records } = (await signer.state()).journal;
  for (let [next, skip] = [Math.max(0, records - NEWEST_RECORDS), 0]; next < records;) {
    const page = await signer.journal(next, undefined, skip);
    const signed = new Set(page.intents.flatMap(({ attempts }) => attempts.map(({ hash }) => hash)));
    found.push(...hashes.filter((hash) => signed.has(hash)));
    [next, skip] = [page.next, page.skip ?? 0];
  }
  return found;
}

/**
 * Whether the account nonce, or the list of the wallet's transactions, froze for it first (lib/refunds): its operator looks at the wallet. What
 * leaves the wallet later, during that freeze, is a matter of its own.
 */
const isAboutWallet = (
  { payer, blockTime }: WaitingOutflow,
  { chain: { network }, wallets: { refundWallet }, frozenSince }: Waiting,
  reason: string | null,
): boolean =>
  payer === refundWallet &&
  reason !== null &&
  reason.includes('refund wallet') &&
  reason.includes(network) &&
  frozenSince !== null &&
  blockTime.getTime() <= frozenSince.getTime() + SAME_EVENT_MILLISECONDS;

/** Names the transaction that matters most, and how many others there are. The signer accepts at most 200 characters. */
function reasonOf(
  outflows: readonly WaitingOutflow[],
  { environment, network }: FollowedChain,
  { refundWallet, signing }: OwnWallets,
): string {
  const first = outflows.find(({ payer }) => signing.has(payer)) ?? outflows[0];
  if (!first) throw new RangeError('a freeze without a transaction has no reason');
  const { payer, currency, transactionHash } = first;
  const wallet = payer === refundWallet ? 'the refund wallet' : signing.has(payer) ? 'a sponsor' : 'a deposit address';
  const more = outflows.length > 1 ? `, and ${outflows.length - 1} more in the log` : '';
  return `${currency} left ${wallet} on ${network} (${environment}) without an intent: ${transactionHash}${more}`;
}
