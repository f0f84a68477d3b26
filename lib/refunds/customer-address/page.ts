// What the customer's pages show about a refund address: where refunds of a paid session go, as far as known, and the result for a typed
// address. An address is stored only by a form that carries its seal, and only the page that shows the address makes the seal.
// So a customer cannot submit an address that no page has shown, and another site cannot submit one for them.

import type { NetworkFamily } from '@/lib/networks/chain';
import { displayAddress } from '@/lib/networks/payment-uri';
import { networkSpec, type NetworkSpec } from '@/lib/networks/networks';
import type { RecipientRefusal } from '@/lib/networks/recipients/recipient';
import { openSecret, sealSecret, sha256 } from '@/lib/platform/crypto';
import { ServiceError } from '@/lib/platform/errors/errors';
import { isSessionId, type Environment } from '@/lib/platform/ids';
import {
  brandOf,
  logoOf,
  type Brand,
  type BrandColumns,
  type LogoColumns,
  type LogoFacts,
} from '@/lib/merchants/branding/logo-columns';
import { openRateLimit } from '@/lib/platform/rate-limit/token-bucket';
import { signingPayer, signingText } from './signature';
import { readRefundAddress } from './addresses';
import { readClaim, type Claim } from './from-claim-link';
import { checkAddress } from './check';
import type { AddressContext } from './kind';
import { exchangeObjection } from '@/lib/refunds/destination/exchange';
import { payerObjection } from '@/lib/refunds/destination/payer';
import { payerCount, readPayers, type Payer } from '@/lib/refunds/destination/payers';
import { browserOf, IS_PAYER_SQL, TILL_ORDERS } from '@/lib/refunds/destination/payer-browser';

/** Where refunds of a paid session go, with addresses in the form that wallets show. */
export type RefundRoute = {
  readonly environment: Environment;
  /** The name that the hosted page shows. */
  readonly storeName: string;
  readonly logo: LogoFacts | null;
  readonly brand: Brand;
  /** How the customer reaches the shop; null when the shop gave no contact. */
  readonly supportContact: string | null;
  readonly network: string;
  /** The token that the customer paid with. */
  readonly currency: string;
  /** The address that the customer gave; null when there is none. */
  readonly given: string | null;
  /** The one address that paid, if it can be paid back as far as the database knows; otherwise null. */
  readonly payer: string | null;
  /** The one address that paid, in stored form, if its wallet may sign for a different address; otherwise null. */
  readonly signer: string | null;
  /** Whether the shop has to confirm an address that the payer's wallet did not sign for. */
  readonly isConfirmedByShop: boolean;
  readonly addressEntry: AddressEntry;
};

/**
 * Whether an address can be given now. `signed`: with the signature of the wallet that paid, in any browser. `elsewhere`: only in
 * the browser that the customer paid from. `closed`: no longer possible.
 */
type AddressEntry = 'here' | 'signed' | 'elsewhere' | 'closed';

type Row = LogoColumns &
  BrandColumns & {
    environment: Environment;
    store_id: string;
    store_name: string;
    support_contact: string | null;
    network: string;
    currency: string;
    is_sending: boolean;
    is_payer: boolean;
    is_till: boolean;
  };

/** The refund route of a completed session, for a browser with this `payer` cookie; null for every other session. */
export async function readRefundRoute(
  context: AddressContext,
  sessionId: string,
  payerToken: string | undefined,
): Promise<RefundRoute | null> {
  if (!isSessionId(sessionId)) return null;
  const { rows } = await context.pool.query<Row>({
    name: 'refund-route',
    text: ROUTE,
    values: [sessionId, browserOf(payerToken)],
  });
  const [row] = rows;
  if (!row) return null;
  const { environment, network } = row;
  const spec = networkSpec(environment, network, context.config.TEST_CHAINS);
  if (!spec) return null;
  const given = (await readRefundAddress(context, sessionId)).find((one) => one.network === network);
  const payers = given
    ? []
    : await readPayers(context.pool, { storeId: row.store_id, environment, sessionId, caseId: null }, undefined);
  const payer = given ? null : await onlyPayer(context, spec, payers);
  const signer = given ? null : await signingPayer(context, spec, payers);
  return {
    environment,
    storeName: row.store_name,
    logo: logoOf(row),
    brand: brandOf(row),
    supportContact: row.support_contact,
    network,
    currency: row.currency,
    given: given ? displayAddress(spec.family, given.address) : null,
    payer: payer === null ? null : displayAddress(spec.family, payer),
    signer,
    isConfirmedByShop: spec.chain === 'mainnet',
    // With several payers, none of them may name an address for all of the money.
    addressEntry: given || row.is_sending || payerCount(payers) > 1 ? 'closed' : addressEntryOf(row, signer),
  };
}

function addressEntryOf({ is_till: isTill, is_payer: isPayer }: Row, signer: string | null): AddressEntry {
  // A point of sale shows the page in the shop's browser, so only the wallet identifies the customer.
  if (isPayer && !isTill) return 'here';
  if (signer !== null) return 'signed';
  return isTill ? 'closed' : 'elsewhere';
}

async function onlyPayer(context: AddressContext, spec: NetworkSpec, payers: readonly Payer[]): Promise<string | null> {
  const [payer] = payers;
  if (!payer || payerObjection(spec, spec.network, payers) !== null) return null;
  return (await exchangeObjection(context, spec, payers)) === null ? payer.address : null;
}

/** What the page of a claim link shows, the address in display form; null for a link that is unknown, replaced or expired. */
export async function readShownClaim(context: AddressContext, token: string): Promise<Claim | null> {
  const claim = await readClaim(context, token);
  if (!claim || claim.state === 'expired') return null;
  const spec = networkSpec(claim.environment, claim.network, context.config.TEST_CHAINS);
  const address = claim.address === null || !spec ? claim.address : displayAddress(spec.family, claim.address);
  return { ...claim, address };
}

/** The page on which an address is typed. The seal of one page does not open on another. */
export type AddressPlace = { readonly sessionId: string } | { readonly claimToken: string };

/** `unchecked`: the network is unavailable now, or the rate limit was reached. */
export type AddressCheck =
  | { readonly refusal: RecipientRefusal['code'] | 'unchecked'; readonly typed: string }
  /** The form that stores the address carries `seal`. `isContract`: the customer has to confirm that it can receive. */
  | {
      readonly refusal: null;
      readonly address: string;
      readonly seal: string;
      readonly isContract: boolean;
      readonly signing: Signing | null;
    };

/** What the wallet that paid may sign; `signer` is its address in display form. */
export type Signing = { readonly family: NetworkFamily; readonly signer: string; readonly text: string };

/** `signer`: the payer, in stored form, whose wallet may sign for the address. */
type Typed = {
  readonly environment: Environment;
  readonly network: string;
  readonly typed: string;
  readonly signer?: string | null;
};

/** Checks an address and seals it together with the time if it is valid; stores nothing. */
export async function checkForPage(context: AddressContext, place: AddressPlace, given: Typed): Promise<AddressCheck> {
  const typed = given.typed.trim();
  const spec = networkSpec(given.environment, given.network, context.config.TEST_CHAINS);
  if (!spec || isRateLimited(context, place)) return { refusal: 'unchecked', typed };
  try {
    const checked = await checkAddress(context, { ...given, typed, takesContracts: 'claimToken' in place });
    if ('refused' in checked) return { refusal: checked.refused.code, typed };
    const address = displayAddress(spec.family, checked.address);
    const { isContract } = checked;
    const shownAt = context.clock.now();
    const sealed = `${shownAt.getTime()} ${address}`;
    const seal = sealSecret(context.config.MASTER_KEYS, sealed, sealPurpose(place, isContract)).toString('base64url');
    const signing = signingOf(context, place, spec, { ...given, address: checked.address, requestedAt: shownAt });
    return { refusal: null, address, seal, isContract, signing };
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'SERVICE_UNAVAILABLE') return { refusal: 'unchecked', typed };
    throw error;
  }
}

/** Null where no wallet can sign. */
function signingOf(
  { config }: AddressContext,
  place: AddressPlace,
  spec: NetworkSpec,
  { signer = null, address, requestedAt }: Pick<Typed, 'signer'> & { address: string; requestedAt: Date },
): Signing | null {
  if (!('sessionId' in place) || signer === null) return null;
  const text = signingText(config.PUBLIC_URL, spec, { sessionId: place.sessionId, address, signer, requestedAt });
  return { family: spec.family, signer: displayAddress(spec.family, signer), text };
}

/**
 * The address that a page has shown back, and when; null for a seal that this page did not make. `isContract`: the customer confirmed
 * the page's warning about contracts, which the page shows only for a contract.
 */
export function shownAddress(
  { config }: Pick<AddressContext, 'config'>,
  place: AddressPlace,
  { seal, isContract }: { readonly seal: string; readonly isContract: boolean },
): { readonly address: string; readonly shownAt: Date } | null {
  try {
    const sealed = openSecret(config.MASTER_KEYS, Buffer.from(seal, 'base64url'), sealPurpose(place, isContract));
    const [milliseconds, address] = sealed.split(' ');
    // Pages of the previous version sealed no time.
    return address === undefined ? null : { address, shownAt: new Date(Number(milliseconds)) };
  } catch {
    return null;
  }
}

const sealPurpose = (place: AddressPlace, isContract: boolean): string =>
  `refund ${isContract ? 'contract' : 'address'} shown to ${placeName(place)}`;

const placeName = (place: AddressPlace): string =>
  'sessionId' in place ? place.sessionId : sha256(place.claimToken).toString('hex');

/** Each check may call the chain, and the watcher needs the operator's endpoint quota first. */
const ofPlace = openRateLimit({ rate: 1, burst: 10 });
const ofAll = openRateLimit({ rate: 10, burst: 60 });

function isRateLimited({ clock }: AddressContext, place: AddressPlace): boolean {
  const now = clock.now().getTime();
  return ofPlace(placeName(place), now) > 0 || ofAll('all', now) > 0;
}

const ROUTE = `
SELECT s.environment, s.store_id, coalesce(l.display_name, st.name) AS store_name,
       l.support_contact, l.logo_hash, l.logo_width, l.logo_height, l.brand_color, l.theme, s.completed_network AS network, s.completed_currency AS currency,
       EXISTS (SELECT FROM refunds r WHERE r.session_id = s.id AND r.network = s.completed_network
                  AND r.status = 'processing' AND r.signature_requested_at IS NOT NULL) AS is_sending,
       coalesce(${IS_PAYER_SQL}, false) AS is_payer, starts_with(s.order_id, '${TILL_ORDERS}') AS is_till
  FROM sessions s JOIN stores st ON st.id = s.store_id LEFT JOIN store_branding l ON l.store_id = s.store_id
       LEFT JOIN payer_browsers b ON b.session_id = s.id
 WHERE s.id = $1 AND s.status = 'completed' AND s.completed_network IS NOT NULL AND s.completed_currency IS NOT NULL`;
