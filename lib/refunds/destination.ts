// Where a refund goes: to the address that its customer named, else to the one sender of the payment, when that sender can be
// paid back. Everybody else is held until the customer names an address by the refund's claim link. Only recorded addresses
// and proven transfers are looked at: no text of a merchant ever becomes a destination.

import { ChainError } from '@/lib/chains/chain';
import type { NetworkSpec } from '@/lib/chains/networks';
import { readRecipient } from '@/lib/chains/recipient';
import type { ChainSender } from '@/lib/chains/send';
import type { Context } from '@/lib/context';
import { isOwnAddress } from './addresses-own';
import { DESTINATION_NEEDED, openClaim } from './claims';
import { payersOf, type DestinedRefund, type Payer } from './destination-payers';

/** What vouches for it goes to the signer: `reference` names the transfer, or the address that the customer gave. */
export type Destination = {
  readonly address: string;
  readonly kind: 'payer' | 'claim';
  readonly reference: string;
};

/** The message says why, to merchant and operator. */
export type FoundDestination =
  { readonly destination: Destination } | { readonly hold: typeof DESTINATION_NEEDED; readonly message: string };

/** `wallet`: the refund wallet, to which nothing may go; as the draft's `from`. */
export type PayingChain = {
  readonly spec: NetworkSpec;
  readonly sender: Pick<ChainSender, 'kindOf'>;
  readonly wallet?: string;
};

/**
 * Finds the destination of a refund that is being worked on and was not signed, or opens its claim link. Throws a ChainError
 * when the chain does not tell what the sender is; nothing was decided then, and it is to be asked again later.
 */
export async function findDestination(
  context: Context,
  chain: PayingChain,
  refund: DestinedRefund,
): Promise<FoundDestination> {
  const wantsAddress = await isAddressWanted(context, refund);
  const given = await givenAddress(context, refund, wantsAddress);
  if (given) {
    if (await isPayable(context, chain, given.address)) {
      return { destination: { address: given.address, kind: 'claim', reference: `address/${given.id}` } };
    }
    const why = 'The address that the customer gave cannot be paid.';
    // A link takes one address, so this refund cannot get another.
    if (given.isOfClaim) return { hold: DESTINATION_NEEDED, message: `${why} Cancel this refund and make a new one.` };
    return hold(context, refund, why);
  }
  if (wantsAddress) return hold(context, refund, 'The shop asks the customer for an address.');
  const payers = await payersOf(context.pool, refund, context.config.EVIDENCE_KEY);
  const found = await onlyPayer(context, chain, payers);
  if ('objection' in found) return hold(context, refund, found.objection);
  const { address, reference } = found.payer;
  return { destination: { address, kind: 'payer', reference } };
}

/** Whether the merchant wants the customer to name an address by the link, whatever else is known. */
async function isAddressWanted({ pool }: Context, refund: DestinedRefund): Promise<boolean> {
  const { rows } = await pool.query<{ wants_address: boolean }>({
    name: 'refund-address-wanted',
    text: 'SELECT wants_address FROM refunds WHERE id = $1',
    values: [refund.id],
  });
  return rows[0]?.wants_address ?? false;
}

/** By the link of this very refund, or else by the payment's page. */
async function givenAddress(
  { pool }: Context,
  refund: DestinedRefund,
  wantsAddress: boolean,
): Promise<{ readonly id: string; readonly address: string; readonly isOfClaim: boolean } | null> {
  const { rows } = await pool.query<{ id: string; address: string; isOfClaim: boolean }>({
    name: 'refund-given-address',
    text: `SELECT id, address, intent_id IS NOT NULL AS "isOfClaim" FROM refund_addresses
           WHERE session_id = $1 AND network = $2 AND (intent_id = $3 OR (intent_id IS NULL AND NOT $4))
           ORDER BY intent_id NULLS LAST LIMIT 1`,
    values: [refund.sessionId, refund.network, refund.id, wantsAddress],
  });
  return rows[0] ?? null;
}

/** Whether an address is, exactly as it is stored, one that can be paid and none of ours. */
async function isPayable({ pool }: Context, { spec, wallet }: PayingChain, address: string): Promise<boolean> {
  const read = readRecipient(spec, address);
  if ('refused' in read || read.address !== address) return false;
  return address !== wallet?.toLowerCase() && address !== wallet && !(await isOwnAddress(pool, spec.family, address));
}

/** The one payer of all transfers, or the reason why money does not go back to where it came from. */
async function onlyPayer(
  context: Context,
  chain: PayingChain,
  payers: readonly Payer[],
): Promise<{ readonly payer: Payer } | { readonly objection: string }> {
  const [payer] = payers;
  if (!payer) return { objection: 'There is no recorded payment on this network whose sender could be paid back.' };
  const senders = new Set(payers.map(({ address }) => address)).size;
  if (senders > 1) return { objection: `The payment was made by ${senders} senders.` };
  if (!payers.every(({ isProven }) => isProven)) {
    return { objection: 'It is not proven who sent the payment, because it was recorded without the evidence key.' };
  }
  if (!(await isPayable(context, chain, payer.address))) {
    return { objection: 'The payment came from an address that cannot be paid back.' };
  }
  const label = await heldLabel(context, chain.spec.network, payer.address);
  if (label !== null)
    return { objection: `The payment came from ${label}, which does not pass coins on to its customer.` };
  switch (await chain.sender.kindOf(payer.address)) {
    case 'wallet':
      return { payer };
    case 'contract':
      return { objection: 'The payment came from a contract, which may not be able to use what it is sent.' };
    case 'unknown':
      throw new ChainError('unavailable', 'too few endpoints tell what the sender of the payment is');
  }
}

/** What the operator calls a sender that many people share, such as an exchange; null for all others. */
async function heldLabel({ pool }: Context, network: string, address: string): Promise<string | null> {
  const { rows } = await pool.query<{ label: string }>({
    name: 'held-sender',
    text: 'SELECT label FROM held_senders WHERE network = $1 AND address = $2',
    values: [network, address],
  });
  return rows[0]?.label ?? null;
}

async function hold(context: Context, refund: DestinedRefund, why: string): Promise<FoundDestination> {
  const expires = await openClaim(context, refund.id);
  const next =
    expires === null || expires > context.clock.now()
      ? 'Send the customer the claim link, so that they name an address.'
      : 'The claim link has expired; make a new one and send it to the customer.';
  return { hold: DESTINATION_NEEDED, message: `${why} ${next}` };
}
