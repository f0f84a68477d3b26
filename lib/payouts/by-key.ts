// Payouts as a store's server requests and cancels them with its API key. The transaction of the effect spends the nonce.

import { spendNonce, type Caller } from '@/lib/merchants/api-keys/nonces';
import { recordAudit } from '@/lib/merchants/audit/record';
import { centsToText } from '@/lib/money/amounts';
import type { Context } from '@/lib/platform/context';
import { transaction, type Tx } from '@/lib/platform/database/db';
import { ServiceError } from '@/lib/platform/errors/errors';
import { noPayout } from './read';
import { LEAST_PAYOUT_CENTS, PAYOUT_COLUMNS, payoutOf, type Payout, type PayoutRow } from './payout';
import { cancelIn } from './cancel';
import { requestPayout, type PayoutMaker, type PayoutRefusal } from './request';
import { merchantIdIn } from '@/lib/platform/request-text';
import type { CreatePayoutRequest } from './schema';

/** `address`: where the request came from, for the audit log. */
export type PayoutCaller = { readonly caller: Caller; readonly address: string };

/** Requests the payout, or returns the one that the same request made before. Throws ServiceError; then nothing is stored. */
export async function createPayout(
  context: Context,
  by: PayoutCaller,
  { payout_id: payoutId, amount, currency, network, description, max_costs: most }: CreatePayoutRequest,
): Promise<Payout> {
  const request = { payoutId, amount: BigInt(amount), currency, network, description: description ?? null };
  const begin = (tx: Tx) => spendNonce(tx, by.caller);
  const details = { network, currency, amount };
  const made = await requestPayout(
    context,
    { ...makerOf(context, by, 'payout.request', details), begin },
    request,
    most === undefined ? null : BigInt(most),
  );
  if ('refused' in made) throw errorOf(made.refused);
  const { rows } = await context.pool.query<PayoutRow>({
    name: 'payout-requested',
    text: `SELECT ${PAYOUT_COLUMNS} FROM payouts p WHERE id = $1`,
    values: [made.id],
  });
  return payoutOf(rows[0] as PayoutRow);
}

/** `payoutId` as in a path. Throws PAYOUT_NOT_FOUND and CANNOT_CANCEL_PAYOUT. */
export const cancelPayoutByKey = (
  context: Context,
  by: PayoutCaller,
  payoutId: string,
): Promise<{ payoutId: string; canceledAt: Date }> =>
  transaction(context.pool, async (tx) => {
    const { key } = by.caller;
    await spendNonce(tx, by.caller);
    const { rows } = await tx.query<{ id: string; payoutId: string }>({
      name: 'payout-lock-named',
      text: `SELECT id, payout_id AS "payoutId" FROM payouts
             WHERE payout_id = $1 AND store_id = $2 AND environment = $3::"Environment" FOR UPDATE`,
      values: [merchantIdIn(payoutId), key.storeId, key.environment],
    });
    const [found] = rows;
    if (!found) throw noPayout();
    const canceledAt = context.clock.now();
    if (!(await cancelIn(tx, makerOf(context, by, 'payout.cancel'), found, canceledAt)))
      throw new ServiceError('CANNOT_CANCEL_PAYOUT', { param: 'payout_id' });
    return { payoutId: found.payoutId, canceledAt };
  });

function makerOf(
  { clock }: Pick<Context, 'clock'>,
  { caller: { key }, address }: PayoutCaller,
  action: string,
  details: Readonly<Record<string, string | number>> = {},
): PayoutMaker {
  const { storeId, environment } = key;
  return {
    storeId,
    environment,
    record: (tx, target) =>
      recordAudit(tx, {
        actor: `key:${key.id}`,
        storeId,
        action,
        target,
        details: { environment, ...details },
        address,
        now: clock.now(),
      }),
  };
}

function errorOf(refused: PayoutRefusal): ServiceError {
  switch (refused.code) {
    case 'unknown_asset': {
      const message = 'This network does not exist here, or it has no such token.';
      return new ServiceError('INVALID_PARAMETER', { param: 'network', message });
    }
    case 'too_small': {
      const message = `A payout is at least ${centsToText(LEAST_PAYOUT_CENTS)}.`;
      return new ServiceError('INVALID_AMOUNT', { message });
    }
    case 'no_address':
      return new ServiceError('NO_PAYOUT_ADDRESS');
    case 'direct': {
      const message = 'There are no payouts: this installation sends money straight to the merchant’s own wallet.';
      return new ServiceError('NO_PAYOUT_ADDRESS', { message });
    }
    case 'too_many':
      return new ServiceError('TOO_MANY_PAYOUTS', { retryAfter: refused.retryAfter });
    case 'conflict':
      return new ServiceError('PAYOUT_ID_CONFLICT');
    case 'costs': {
      const { fee, networkCost } = refused.costs;
      const message = `The payout costs ${centsToText(fee + networkCost)}, which is more than max_costs.`;
      return new ServiceError('INVALID_PARAMETER', { param: 'max_costs', message });
    }
    case 'balance': {
      const { fee, networkCost } = refused.costs;
      const costs = fee + networkCost === 0n ? '' : ` and its costs of ${centsToText(fee + networkCost)}`;
      const missing = `The store can pay out ${centsToText(refused.missing)} less than this amount${costs} in this token on this network.`;
      const message = [missing, ...keptTexts(refused)].join(' ');
      return new ServiceError('INSUFFICIENT_BALANCE', { message });
    }
  }
}

/** Why a part of the balance cannot be paid out. */
const keptTexts = ({ reserve, pending }: { readonly reserve: bigint; readonly pending: bigint }): string[] => [
  ...(reserve > 0n ? [`Its refund reserve of ${centsToText(reserve)} is not paid out.`] : []),
  ...(pending > 0n ? [`${centsToText(pending)} are pending.`] : []),
];
