// The rules of cold transfers: they go to the cold wallet of the settings, which the signer has pinned too, and take nothing that
// refunds and payouts need. The operator pays their network cost.

import { postColdTransfer } from '@/lib/ledger/post-cold';
import { FAMILIES } from '@/lib/networks/families/family';
import { coldWallets, isSameChain, walletLevels } from '@/lib/networks/wallet-levels';
import type { Db } from '@/lib/platform/database/db';
import type { Destination, LeasedColdTransfer } from '@/lib/refunds/rows';
import { lacksTokens } from '@/lib/refunds/sending/remaining-hold';
import { holdOf, orderFor, putOnHold, type PaymentRules, type Work } from '@/lib/refunds/sending/sending-context';
import { callOrHold } from '@/lib/refunds/sending/sign/call';
import { isSettled } from '@/lib/refunds/sending/worker-macs';
import { coldEvidence } from '@/lib/signer/attestations/refund-evidence';
import type { SignerState } from '@/lib/signer/client';
import { isStillExcess } from './decide';
import { readFunds } from './funds';

type ColdWork = Work<LeasedColdTransfer>;

export const COLD_RULES: PaymentRules<LeasedColdTransfer> = {
  remainingHold: async (work) =>
    work.payment.hold === 'no_tokens' && ((await lacksTokens(work)) || !(await isAffordable(work.context.pool, work)))
      ? holdOf('no_tokens')
      : null,
  chooseDestination,
  isProven,
  async isApproved(work, destination, state) {
    const isAllowed = isPinned(work, destination, state);
    if (isAllowed && !(await isFreezing(work.context.pool))) return true;
    await putOnHold(work, holdOf(isAllowed ? 'frozen' : 'not_allowed'));
    return false;
  },
  isMoneyFrozen: async () => false,
  isBacked: (work) => isAffordable(work.context.pool, work),
  unbackedHold: async () => holdOf('no_tokens'),
  isConvertible: async () => true,
  reserve: async (tx, work) => ((await isAffordable(tx, work)) ? null : holdOf('no_tokens')),
  boundOf: async ({ payment }) => ({ session: coldEvidence(payment.id), mostCents: String(payment.amount) }),
  signatures: async () => [],
  recordRefused: async () => {},
  async complete(tx, work) {
    const { id: intentId, environment, network, currency } = work.payment;
    const { amount } = orderFor(work, work.payment.destination?.address ?? '');
    await postColdTransfer(tx, { intentId, environment, moved: { network, currency, amount } });
  },
  // Nothing was reserved for it.
  fail: async () => {},
};

/** The cold wallet of the settings; the one in the signature request if the signer has signed that: it signs no other order. */
async function chooseDestination(work: ColdWork): Promise<Destination | null> {
  const { context, sending, payment } = work;
  const { spec, signer } = sending;
  if (payment.signatureRequestedAt !== null && payment.destination && signer) {
    // Every draft of it has an outcome by now, so what the signer does not list was not signed.
    const signed = await callOrHold(work, () => signer.calls.attempts(payment.id));
    if (signed === null) return null;
    if (signed.length > 0) return payment.destination;
  }
  const wallet = coldWallets(context.config.COLD_WALLETS).find((one) => isSameChain(one.spec, spec));
  if (wallet) return { address: wallet.address, kind: 'cold', reference: `${spec.network}@${spec.chain}` };
  await putOnHold(work, holdOf('destination_needed'));
  return null;
}

/** Whether the signer has signed this transfer before, and signs no other order for it; or the worker chose the destination. */
async function isProven({ sending, payment }: ColdWork): Promise<boolean> {
  const { signer } = sending;
  if (!signer || !payment.destination) return false;
  return isSettled(signer.evidenceKey, payment) || (await signer.calls.attempts(payment.id)).length > 0;
}

/** The signer refuses any other wallet; this saves the draft. */
function isPinned(
  { sending, payment }: ColdWork,
  destination: Destination,
  { coldWallets: pinned = {}, limits }: SignerState,
): boolean {
  const { spec } = sending;
  const address = pinned[`${spec.network}@${spec.chain}`];
  return (
    address !== undefined &&
    FAMILIES[spec.family].storedAddress(address) === destination.address &&
    payment.amount <= BigInt(limits.cold?.perRefund ?? 0)
  );
}

/** Whether an operator has requested a freeze that the signer does not have yet. */
async function isFreezing(db: Db): Promise<boolean> {
  const { rows } = await db.query<{ is_freezing: boolean }>({
    name: 'cold-freezing',
    text: 'SELECT EXISTS (SELECT FROM freeze_requests WHERE carried_out_at IS NULL) AS is_freezing',
  });
  return rows[0]?.is_freezing !== false;
}

/** Once the signature of an amount was requested, only its outcome counts. */
async function isAffordable(db: Db, work: ColdWork): Promise<boolean> {
  const { context, sending, payment } = work;
  const levels = walletLevels(context.config.REFUND_WALLET_LEVELS).find(
    ({ spec, currency }) => isSameChain(spec, sending.spec) && currency === payment.currency,
  );
  const funds = await readFunds(
    db,
    { spec: sending.spec, currency: payment.currency },
    context.clock.now(),
    payment.id,
  );
  // An operator who removed the marks wants nothing to move.
  return levels !== undefined && isStillExcess(levels, funds, orderFor(work, '').amount);
}
