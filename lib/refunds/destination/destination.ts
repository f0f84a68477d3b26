// Where a refund goes: to the address that its customer named, or else to the one payer, if that payer ordered the payment and can be
// paid back. Every other refund is on hold until the customer names an address by its claim link. Only recorded addresses and proven
// transfers are used: a text from a merchant never becomes a destination.

import { readRecipient } from '@/lib/networks/recipients/recipient';
import type { Context } from '@/lib/platform/context';
import { isProvenByPayer, type AddressSignature } from '@/lib/refunds/customer-address/signature';
import { isOwnAddress } from '@/lib/refunds/customer-address/own-address';
import { DESTINATION_NEEDED, openClaim } from '@/lib/refunds/customer-address/claim-links';
import { findPayer, type PayingChain } from './payer';
import { payerCount, readPayers, type DestinedRefund, type Payer } from './payers';
import { holdSentence, type HoldCode } from '@/lib/refunds/holds';

/** `reference` goes to the signer as the evidence: it names the transfer, or the address that the customer gave. */
type Destination = {
  readonly address: string;
  readonly kind: 'payer' | 'claim';
  readonly reference: string;
  /** Whether the wallet that paid signed for the address. */
  readonly isSigned?: boolean;
};

/** The message explains the hold to merchant and operator. */
export type FoundDestination =
  { readonly destination: Destination } | { readonly hold: HoldCode; readonly message: string };

/**
 * Finds the destination of a refund that is being processed and is not signed yet, or opens its claim link. Throws a ChainError when the
 * chain does not say whether the payer is a contract; nothing is decided then, and the caller retries later.
 */
export async function findDestination(
  context: Context,
  chain: PayingChain,
  refund: DestinedRefund,
): Promise<FoundDestination> {
  const choices = await readMerchantChoices(context, refund);
  const given = await givenAddress(context, refund);
  const ofClaim = given.find(({ isOfClaim }) => isOfClaim);
  if (ofClaim) {
    if (await isPayable(context, chain, ofClaim.address)) return byCustomer(ofClaim);
    // A link takes one address, so this refund cannot get a different one.
    return {
      hold: DESTINATION_NEEDED,
      message: 'The address that the customer gave cannot be paid. Cancel this refund and make a new one.',
    };
  }
  if (choices.wantsAddress) return hold(context, refund, 'The shop asks the customer for an address.');
  const payers = await readPayers(context.pool, refund, context.config.EVIDENCE_KEY);
  const count = payerCount(payers);
  if (choices.payer === null && count > 1) {
    return hold(
      context,
      refund,
      `The payment was made by ${count} payers. Each can be paid back by a refund of its own.`,
    );
  }
  const [ofPage] = given;
  if (ofPage && isForPage(refund, choices)) {
    if (!(await isPayable(context, chain, ofPage.address))) {
      return hold(context, refund, 'The address that the customer gave cannot be paid.');
    }
    const isSigned = await isProvenByPayer(
      context,
      chain.spec,
      { ...ofPage, sessionId: refund.sessionId },
      { payers, due: choices.due },
    );
    if (isSigned || isConfirmed(chain, ofPage, { payers, choices })) return byCustomer(ofPage, isSigned);
    return { hold: UNCONFIRMED, message: holdSentence(UNCONFIRMED) };
  }
  const found = await findPayer(context, chain, refund, {
    ...choices,
    payers,
    isPayable: (address) => isPayable(context, chain, address),
  });
  if ('objection' in found) return hold(context, refund, found.objection);
  const { address, reference } = found.payer;
  return { destination: { address, kind: 'payer', reference } };
}

/**
 * The address from the payment's page applies only to the whole session's refund: never to another sender's payment, nor to one payer's
 * share.
 */
const isForPage = ({ caseId }: DestinedRefund, { payer }: MerchantChoices): boolean =>
  caseId === null && payer === null;

const UNCONFIRMED: HoldCode = 'address_unconfirmed';

/**
 * People other than the customer can open a page. So real money goes to an address that neither paid nor was signed for by the wallet
 * that paid only if the merchant agrees.
 */
const isConfirmed = (
  { spec }: PayingChain,
  { id, address }: GivenAddress,
  { payers, choices }: { readonly payers: readonly Payer[]; readonly choices: MerchantChoices },
): boolean =>
  spec.chain !== 'mainnet' ||
  choices.confirmedAddressId === id ||
  payers.some((one) => one.isProven && one.address === address);

const byCustomer = ({ id, address }: GivenAddress, isSigned = false): FoundDestination => ({
  destination: { address, kind: 'claim', reference: `address/${id}`, ...(isSigned ? { isSigned } : {}) },
});

/** What the merchant requested with the refund or later. */
type MerchantChoices = {
  /** The customer must name an address by the link, regardless of what else is known. */
  readonly wantsAddress: boolean;
  /** The one payer that this refund pays back; null unless several paid. */
  readonly payer: string | null;
  readonly currency: string;
  /** The session's price in cents. */
  readonly due: string;
  /** The address from the payment's page that the merchant accepted. */
  readonly confirmedAddressId: string | null;
};

async function readMerchantChoices({ pool }: Context, refund: DestinedRefund): Promise<MerchantChoices> {
  const { rows } = await pool.query<MerchantChoices>({
    name: 'refund-wishes',
    text: `SELECT r.wants_address AS "wantsAddress", r.payer, r.currency, r.confirmed_address_id AS "confirmedAddressId",
             s.amount_due AS due
           FROM refunds r JOIN sessions s ON s.id = r.session_id WHERE r.id = $1`,
    values: [refund.id],
  });
  const [choices] = rows;
  if (!choices) throw new Error(`there is no refund ${refund.id}`);
  return choices;
}

type GivenAddress = {
  readonly id: string;
  readonly address: string;
  readonly isOfClaim: boolean;
  readonly givenAt: Date;
  readonly signed: AddressSignature | null;
};

/** The address given by this refund's claim link, and the one given on the payment's page. */
async function givenAddress({ pool }: Context, refund: DestinedRefund): Promise<readonly GivenAddress[]> {
  const { rows } = await pool.query<
    Omit<GivenAddress, 'signed'> & { signature: Buffer | null; requestedAt: Date | null }
  >({
    name: 'refund-given-address',
    text: `SELECT id, address, intent_id IS NOT NULL AS "isOfClaim", given_at AS "givenAt", signature,
             signature_requested_at AS "requestedAt"
           FROM refund_addresses WHERE session_id = $1 AND network = $2 AND (intent_id = $3 OR intent_id IS NULL)`,
    values: [refund.sessionId, refund.network, refund.id],
  });
  return rows.map(({ signature, requestedAt, ...given }) => ({
    ...given,
    signed: signature && requestedAt && { signature, requestedAt },
  }));
}

/** Whether a stored address can be paid exactly as it is and is not one of ours. */
async function isPayable({ pool }: Context, { spec, wallet }: PayingChain, address: string): Promise<boolean> {
  const read = readRecipient(spec, address);
  if ('refused' in read || read.address !== address) return false;
  return address !== wallet?.toLowerCase() && address !== wallet && !(await isOwnAddress(pool, spec.family, address));
}

async function hold(context: Context, refund: DestinedRefund, why: string): Promise<FoundDestination> {
  const expires = await openClaim(context, refund.id);
  const next =
    expires === null || expires > context.clock.now()
      ? 'Send the customer the claim link, so that they name an address.'
      : 'The claim link has expired; make a new one and send it to the customer.';
  return { hold: DESTINATION_NEEDED, message: `${why} ${next}` };
}
