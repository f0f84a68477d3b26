// Adds a payout address to a store. It is not used before the worker has announced it to the owners and the delay has passed. Nothing is
// ever replaced: the former address stays in use meanwhile, and after the new one was stopped.

import type { NetworkFamily } from '@/lib/networks/chain';
import { displayAddress } from '@/lib/networks/payment-uri';
import type { RecipientRefusal } from '@/lib/networks/recipients/recipient';
import { transaction, type Tx } from '@/lib/platform/database/db';
import { newPayoutAddressId, type Environment } from '@/lib/platform/ids';
import { auditStore, type Actor } from '@/lib/merchants/stores/actor';
import type { AddressContext } from '@/lib/refunds/customer-address/kind';
import { checkPayoutAddress, payoutNetwork } from './check';
import { withStates } from './list';
import { looksAlike } from './look-alike';
import { isSignedByAddress, type AddressProof } from './proof';

export type NewPayoutAddress = {
  readonly storeId: string;
  readonly environment: Environment;
  readonly network: string;
  readonly typed: string;
  /** The person confirmed that the address is their smart wallet on this network. */
  readonly isContractConfirmed: boolean;
  /** The person compared the whole address, although it looks like another one of the store. */
  readonly isLookAlikeConfirmed: boolean;
  /** The address's own signature; null when the person did not sign. */
  readonly proof: AddressProof | null;
  readonly userId: string;
};

/**
 * `contract`, `look_alike`: need a confirmation. `same`: it is in use or waits already. `not_signed`: the signature is not of this address,
 * not for this store, or too old. `too_many`: try again tomorrow.
 */
type PayoutAddressRefusal =
  | RecipientRefusal
  | { readonly code: 'contract' | 'same' | 'not_signed' | 'too_many' }
  /** Both as wallets show them. */
  | { readonly code: 'look_alike'; readonly address: string; readonly other: string };

export type AddedPayoutAddress = { readonly id: string } | { readonly refused: PayoutAddressRefusal };

/** Each one mails all owners. */
const MAX_PER_DAY = 10;
/** More than a store ever had. Older ones are not compared. */
const MAX_COMPARED = 1000;

/** Throws the errors of `checkPayoutAddress`. */
export async function addPayoutAddress(
  context: AddressContext,
  given: NewPayoutAddress,
  actor: Actor,
): Promise<AddedPayoutAddress> {
  const { storeId, environment, network } = given;
  const { family } = payoutNetwork(context.config, environment, network);
  const checked = await checkPayoutAddress(context, given);
  if ('refused' in checked) return checked;
  const { address, isContract } = checked;
  const now = context.clock.now();
  const isSigned = given.proof !== null;
  if (given.proof && !isSignedByAddress(context, { ...given, family, address }, given.proof))
    return { refused: { code: 'not_signed' } };
  return transaction(context.pool, async (tx): Promise<AddedPayoutAddress> => {
    await tx.query({
      name: 'payout-address-lock-store',
      text: 'SELECT FROM stores WHERE id = $1 FOR NO KEY UPDATE',
      values: [storeId],
    });
    const refused = await objection(tx, given, { family, address, now });
    if (refused) return { refused };
    const id = newPayoutAddressId();
    await tx.query({
      name: 'payout-address-add',
      text: `INSERT INTO payout_addresses
               (id, store_id, environment, network, address, is_contract, is_signed, created_at, created_by)
             VALUES ($1, $2, $3::"Environment", $4, $5, $6, $7, $8, $9)`,
      values: [id, storeId, environment, network, address, isContract, isSigned, now, given.userId],
    });
    const details = { environment, network, address, is_contract: String(isContract), is_signed: String(isSigned) };
    await auditStore(tx, actor, { storeId, action: 'payout_address.add', target: id, details, now });
    return { id };
  });
}

type Kept = {
  readonly network: string;
  readonly address: string;
  readonly createdAt: Date;
  readonly payAfter: Date | null;
  readonly stoppedAt: Date | null;
};

/** What the store's other addresses say against a new one; null for nothing. */
async function objection(
  tx: Tx,
  { storeId, environment, network, isLookAlikeConfirmed }: NewPayoutAddress,
  { family, address, now }: { readonly family: NetworkFamily; readonly address: string; readonly now: Date },
): Promise<PayoutAddressRefusal | null> {
  const { rows } = await tx.query<Kept>({
    name: 'payout-addresses-kept',
    text: `SELECT network, address, created_at AS "createdAt", pay_after AS "payAfter", stopped_at AS "stoppedAt"
           FROM payout_addresses WHERE store_id = $1 AND environment = $2::"Environment"
           ORDER BY pay_after DESC NULLS FIRST, created_at DESC, id DESC LIMIT ${MAX_COMPARED}`,
    values: [storeId, environment],
  });
  const inUse = withStates(rows, now).filter(({ state }) => state !== 'former' && state !== 'stopped');
  if (inUse.some((one) => one.network === network && one.address === address)) return { code: 'same' };
  const dayAgo = now.getTime() - 86_400_000;
  if (rows.filter(({ createdAt }) => createdAt.getTime() > dayAgo).length >= MAX_PER_DAY) return { code: 'too_many' };
  const other = rows.find((one) => looksAlike(family, one.address, address))?.address;
  if (other === undefined || isLookAlikeConfirmed) return null;
  const [shown, shownOther] = [displayAddress(family, address), displayAddress(family, other)];
  return { code: 'look_alike', address: shown, other: shownOther };
}
