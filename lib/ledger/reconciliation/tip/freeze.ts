// Freezes signing for transactions that the step of the tip has stored: once for each of them, and so that an operator who ends the freeze
// has read of it. Says in the reason which wallet and which transaction to look at.

import { stopsSigning } from '@/lib/networks/networks';
import type { FollowedChain } from '@/lib/networks/registry';
import type { Context } from '@/lib/platform/context';
import { rememberUnknown } from '@/lib/refunds/wallet-check/known';
import type { SignerClient } from '@/lib/signer/client';
import { markActed, readKnown, readWaiting, type WaitingOutflow } from './rows';
import type { OwnWallets } from './unexplained';

/** Records of the signer's journal, the newest ones, in which a transaction of a block near the tip can be. */
const NEWEST_RECORDS = 2000;

export type FreezingSigner = Pick<SignerClient, 'freeze' | 'state' | 'journal'>;

type Waiting = {
  readonly chain: FollowedChain;
  readonly chainId: number;
  readonly signer: FreezingSigner;
  readonly wallets: OwnWallets;
};

/**
 * Freezes for the first transaction that waits. The others that are there by then belong to the same freeze. During a freeze for another
 * reason they wait: an operator who ends it would not learn of them.
 */
export async function freezeForWaiting(context: Context, { chain, chainId, signer, wallets }: Waiting): Promise<void> {
  const { pool, clock } = context;
  const waiting = await readWaiting(pool, chainId);
  if (waiting.length === 0) return;
  const done = (some: readonly WaitingOutflow[]): Promise<void> =>
    markActed(
      pool,
      chainId,
      some.map(({ transactionHash }) => transactionHash),
      clock.now(),
    );
  // A public test network stops nothing. The log has the transaction.
  if (!stopsSigning(chain.spec)) return done(waiting);
  const state = await signer.state();
  const isFrozenForAnother = state.frozen && !waiting.some((one) => isReasonFor(one, chain, wallets, state.reason));
  if (isFrozenForAnother) return;
  // A restored database does not know what the signer has signed. The check of the journal freezes for that, with its own words.
  const hashes = waiting.map(({ transactionHash }) => transactionHash);
  const known = new Set([...(await readKnown(pool, chainId, hashes)).signed, ...(await signedAmong(signer, hashes))]);
  const isOurs = ({ payer, transactionHash }: WaitingOutflow) =>
    wallets.signing.has(payer) && known.has(transactionHash);
  const explained = waiting.filter(isOurs);
  if (explained.length > 0) await done(explained);
  const stolen = waiting.filter((one) => !isOurs(one));
  const [first] = stolen;
  if (!first) return;
  await signer.freeze(reasonOf(first, chain, wallets));
  const { reason } = await signer.state();
  if (!stolen.some((one) => isReasonFor(one, chain, wallets, reason))) return;
  // Otherwise the hourly comparison of the wallet would freeze once more for the same transactions.
  const own = stolen.filter(({ payer }) => payer === wallets.refundWallet).map(({ blockTime }) => blockTime.getTime());
  if (own.length > 0) await rememberUnknown({ context, chainId }, new Date(Math.max(...own)));
  await done(stolen);
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

/** Whether an operator who reads this reason of a freeze looks at the transaction. */
const isReasonFor = (one: WaitingOutflow, chain: FollowedChain, wallets: OwnWallets, reason: string | null): boolean =>
  reason === reasonOf(one, chain, wallets) ||
  // The account nonce or the list of the wallet's transactions showed it first (lib/refunds).
  (one.payer === wallets.refundWallet &&
    reason !== null &&
    reason.includes('refund wallet') &&
    reason.includes(chain.network));

/** The signer accepts at most 200 characters. */
function reasonOf(
  { payer, currency, transactionHash }: WaitingOutflow,
  { environment, network }: FollowedChain,
  { refundWallet, signing }: OwnWallets,
): string {
  const wallet = payer === refundWallet ? 'the refund wallet' : signing.has(payer) ? 'a sponsor' : 'a deposit address';
  return `${currency} left ${wallet} on ${network} (${environment}) without an intent: ${transactionHash}`;
}
