// One refund as its merchant sees it: its payment, its destination, why it waits, and all its transactions.

import { networkSpec } from '@/lib/networks/networks';
import { displayAddress, explorerUrl } from '@/lib/networks/payment-uri';
import type { Config } from '@/lib/platform/config/config';
import type { Context } from '@/lib/platform/context';
import { openSecret } from '@/lib/platform/crypto';
import { centsToText } from '@/lib/money/amounts';
import { isHoldCode, type HoldCode } from '@/lib/refunds/holds';
import { HOLD_UNTIL } from '@/lib/refunds/read';
import { isPageAddressSigned } from '@/lib/refunds/customer-address/signed-address';
import { claimPurpose } from '@/lib/refunds/view';
import type { RefundStatus } from '@/prisma/generated/enums';
import { attemptsOf, eventsAbout, unix, type AttemptFacts, type AttemptView } from './attempts';
import type { EventFacts } from './facts';
import type { StoreScope } from '@/lib/dashboard/lists/payments';

type Facts = {
  readonly id: string;
  readonly refund_id: string;
  readonly session_id: string;
  readonly order_id: string;
  readonly case_id: string | null;
  readonly status: RefundStatus;
  readonly amount: string;
  readonly currency: string;
  readonly network: string;
  readonly reason: string | null;
  readonly description: string | null;
  readonly created_at: number;
  readonly sign_after: number | null;
  readonly processed_at: number | null;
  readonly destination: string | null;
  readonly destination_kind: string | null;
  readonly hold: string | null;
  readonly hold_message: string | null;
  readonly hold_until: number | null;
  readonly held_at: number | null;
  readonly is_asked: boolean;
  readonly is_address_named: boolean;
  /** Whether the address from its claim link is a contract. */
  readonly is_contract: boolean;
  readonly page_address: string | null;
  readonly named_address: string | null;
  readonly failure_reason: string | null;
  readonly transaction_hash: string | null;
  readonly receipt_number: string | null;
  readonly cost_bearer: string | null;
  readonly cost_quoted: string | null;
  readonly cost_charged: string | null;
  readonly cost_short: string | null;
  readonly claim_ciphertext: Buffer | null;
  readonly claim_expires_at: number | null;
  readonly attempts: readonly AttemptFacts[];
  readonly changes: readonly { readonly move: string; readonly to: RefundStatus; readonly at: number }[];
  readonly events: readonly EventFacts[];
};

export type RefundView = Omit<
  Facts,
  | 'hold'
  | 'claim_ciphertext'
  | 'attempts'
  | 'is_asked'
  | 'is_address_named'
  | 'is_contract'
  | 'page_address'
  | 'named_address'
  | 'hold_until'
  | 'claim_expires_at'
  | 'refund_id'
  | 'session_id'
  | 'order_id'
> & {
  /** Who pays the network cost, with the dollar amount that the balance lacks, that is reserved, or that was charged. */
  readonly cost:
    { readonly kind: 'operator' } | { readonly kind: 'short' | 'reserved' | 'charged'; readonly amount: string } | null;
  readonly refundId: string;
  readonly sessionId: string;
  readonly orderId: string;
  readonly hold: HoldCode | null;
  /** When it resumes, in Unix seconds; null when unknown. */
  readonly holdUntil: number | null;
  readonly explorerUrl: string | null;
  readonly receiptUrl: string | null;
  readonly attempts: readonly AttemptView[];
  /** Its claim link: whether one is still valid, and until when. */
  readonly claim: { readonly expiresAt: number | null } | null;
  /** Whether the customer named an address by this refund's claim link. */
  readonly isAddressNamed: boolean;
  /** Whether that address is a smart wallet's, as the customer confirmed. */
  readonly isContract: boolean;
  /** The address from its claim link, or else from the payment's page, in the format of wallets. */
  readonly namedAddress: string | null;
  /** Whether that address is from the payment's page, and the wallet that paid signed for it. */
  readonly isAddressSigned: boolean;
  /** The address from the payment's page, in the format of wallets; null when none was named. */
  readonly pageAddress: string | null;
  /** Whether the merchant may still cancel it. */
  readonly isCancelable: boolean;
  /** Whether it waits for the customer's address, so that the link can be renewed. */
  readonly needsAddress: boolean;
};

/** Null when the store has no such refund in this environment. `id`: the service's id of it. */
export async function readStoreRefund(
  context: Pick<Context, 'pool' | 'config'>,
  of: StoreScope,
  id: string,
): Promise<RefundView | null> {
  const values = [id, of.storeId, of.environment];
  const { rows } = await context.pool.query<Facts>({ name: 'dashboard-refund', text: REFUND_SQL, values });
  const [row] = rows;
  if (!row) return null;
  // An address from a claim link replaces the page's. An address whose signature the worker refused is not called signed.
  const mayBeSigned = row.page_address !== null && !row.is_address_named && row.hold !== 'address_unconfirmed';
  const { session_id: sessionId, network } = row;
  const isAddressSigned = mayBeSigned && (await isPageAddressSigned(context, { ...of, sessionId, network }));
  return { ...refundView(row, of, context.config), isAddressSigned };
}

/** The claim link of a refund that waits for its customer's address, to hand to them; null when it has none. */
export async function readClaimUrl(
  { pool, config }: Pick<Context, 'pool' | 'config'>,
  of: StoreScope,
  id: string,
): Promise<string | null> {
  const { rows } = await pool.query<{ sealed: Buffer }>({
    name: 'dashboard-claim',
    text: `SELECT claim_ciphertext AS sealed FROM refunds WHERE id = $1 AND store_id = $2 AND environment = $3::"Environment"
             AND status = 'processing' AND destination IS NULL AND claim_ciphertext IS NOT NULL`,
    values: [id, of.storeId, of.environment],
  });
  const sealed = rows[0]?.sealed;
  return sealed ? `${config.PUBLIC_URL}/claim/${openSecret(config.MASTER_KEYS, sealed, claimPurpose(id))}` : null;
}

function refundView(
  facts: Facts,
  { environment }: StoreScope,
  config: Pick<Config, 'TEST_CHAINS' | 'PUBLIC_URL'>,
): Omit<RefundView, 'isAddressSigned'> {
  const {
    claim_ciphertext: sealed,
    claim_expires_at: expiresAt,
    is_asked: isAsked,
    is_address_named: isAddressNamed,
    is_contract: isContract,
    page_address: pageAddress,
    named_address: namedAddress,
    hold_until: holdUntil,
    ...others
  } = facts;
  const spec = networkSpec(environment, facts.network, config.TEST_CHAINS);
  const linkOf = (hash: string | null): string | null => (spec && hash !== null ? explorerUrl(spec, hash) : null);
  const hold = facts.hold !== null && isHoldCode(facts.hold) ? facts.hold : null;
  const needsAddress = facts.status === 'processing' && hold === 'destination_needed' && !isAsked;
  return {
    ...others,
    refundId: facts.refund_id,
    sessionId: facts.session_id,
    orderId: facts.order_id,
    amount: centsToText(BigInt(facts.amount)),
    destination: facts.destination && (spec ? displayAddress(spec.family, facts.destination) : facts.destination),
    hold,
    holdUntil,
    explorerUrl: linkOf(facts.transaction_hash),
    receiptUrl: facts.receipt_number === null ? null : `${config.PUBLIC_URL}/receipt/${facts.receipt_number}`,
    attempts: facts.attempts.map((attempt) => ({ ...attempt, explorerUrl: linkOf(attempt.hash) })),
    claim: sealed !== null && facts.destination === null && facts.status === 'processing' ? { expiresAt } : null,
    isCancelable: facts.status === 'pending' || (facts.status === 'processing' && !isAsked),
    needsAddress,
    isAddressNamed,
    isContract,
    namedAddress: namedAddress && (spec ? displayAddress(spec.family, namedAddress) : namedAddress),
    cost: costOf(facts),
    pageAddress: pageAddress && (spec ? displayAddress(spec.family, pageAddress) : pageAddress),
  };
}

function costOf({
  cost_bearer: bearer,
  cost_quoted: quoted,
  cost_charged: charged,
  cost_short: short,
}: Facts): RefundView['cost'] {
  if (charged !== null) return { kind: 'charged', amount: centsToText(BigInt(charged)) };
  if (quoted !== null) return { kind: 'reserved', amount: centsToText(BigInt(quoted)) };
  if (bearer !== null) return { kind: 'operator' };
  return short === null ? null : { kind: 'short', amount: centsToText(BigInt(short)) };
}

/** A refund has only a few. */
const MAX_CHANGES = 100;

const REFUND_SQL = `
SELECT r.id, r.refund_id, r.session_id, r.order_id, r.case_id::text, r.status, r.amount::text, r.currency, r.network, r.reason,
       r.description, ${unix('r.created_at')} AS created_at, ${unix('r.sign_after')} AS sign_after,
       ${unix('r.processed_at')} AS processed_at, r.destination, r.destination_kind, r.hold, r.hold_message,
       ${unix(HOLD_UNTIL)} AS hold_until, ${unix('r.held_at')} AS held_at, r.signature_requested_at IS NOT NULL AS is_asked,
       EXISTS (SELECT FROM refund_addresses a WHERE a.intent_id = r.id) AS is_address_named,
       EXISTS (SELECT FROM refund_addresses a WHERE a.intent_id = r.id AND a.is_contract) AS is_contract,
       (SELECT a.address FROM refund_addresses a WHERE a.session_id = r.session_id AND a.network = r.network
         AND (a.intent_id = r.id OR a.intent_id IS NULL) ORDER BY a.intent_id LIMIT 1) AS named_address,
       (SELECT a.address FROM refund_addresses a
         WHERE a.session_id = r.session_id AND a.network = r.network AND a.intent_id IS NULL) AS page_address, r.failure_reason, r.transaction_hash, r.receipt_number,
       r.cost_bearer, r.cost_quoted::text, r.cost_charged::text, r.cost_short::text, r.claim_ciphertext, ${unix('r.claim_expires_at')} AS claim_expires_at,
       ${attemptsOf('r.id')} AS attempts,
       coalesce((SELECT json_agg(c) FROM (
         SELECT move, "to", ${unix('at')} AS at FROM refund_status_changes WHERE intent_id = r.id ORDER BY id LIMIT ${MAX_CHANGES}) c), '[]') AS changes,
       ${eventsAbout('r.id')} AS events
  FROM refunds r WHERE r.id = $1 AND r.store_id = $2 AND r.environment = $3::"Environment"`;
