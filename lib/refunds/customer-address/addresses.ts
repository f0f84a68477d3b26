// The refund addresses that customers give. Each is given once and never changed: on the page of a paid session for all its refunds on a
// network, or by the claim link of one refund that waits for it. Only the unguessable link identifies the customer. So a given address is
// never replaced, and no address is accepted after a signature request.

import { checksumAddress } from '@/lib/networks/families/evm/address';
import { networkSpec } from '@/lib/networks/networks';
import type { RecipientRefusal } from '@/lib/networks/recipients/recipient';
import { transaction, type Db, type Tx } from '@/lib/platform/database/db';
import { sha256 } from '@/lib/platform/crypto';
import { ServiceError } from '@/lib/platform/errors/errors';
import { isClaimToken, type Environment } from '@/lib/platform/ids';
import type { SessionStatus } from '@/prisma/generated/enums';
import { isSignedByPayer, type AddressSignature } from './signature';
import { claimState, findClaim, type ClaimRow } from './from-claim-link';
import { checkAddress } from './check';
import type { AddressContext } from './kind';
import { DESTINATION_NEEDED } from './claim-links';
import { readPayers } from '@/lib/refunds/destination/payers';

// The page of a claim link needs these beside `giveClaimAddress`.
export { readClaim } from './from-claim-link';

/**
 * `given_already`: an address exists; ask the shop for a claim link. `being_sent`: a refund is already on its way.
 * `not_paid`: the session is not completed. `link_unknown`, `link_expired`: ask the shop for another link. `not_waiting`: the
 * refund does not wait for an address, or has ended. `not_signed`: the signature is not the payer's, not for this address, or too old.
 */
type AddressFault =
  'given_already' | 'being_sent' | 'not_paid' | 'link_unknown' | 'link_expired' | 'not_waiting' | 'not_signed';

type AddressRefusal = RecipientRefusal | { readonly code: AddressFault };
export type GivenAddress =
  { readonly given: { readonly network: string; readonly address: string } } | { readonly refused: AddressRefusal };

const refuse = (code: AddressFault): { refused: AddressRefusal } => ({ refused: { code } });

/**
 * Stores where refunds of a paid session go on a network. Refunds of it that are not signed yet go there too. `signed`: the signature of
 * the wallet that paid; an invalid signature stores nothing. Throws SESSION_NOT_FOUND, and the errors of `checkAddress`.
 */
export async function giveSessionAddress(
  context: AddressContext,
  sessionId: string,
  network: string,
  typed: string,
  signed: AddressSignature | null = null,
): Promise<GivenAddress> {
  const session = await findSession(context.pool, sessionId);
  if (!session) throw new ServiceError('SESSION_NOT_FOUND', { param: 'session_id' });
  if (session.status !== 'completed') return refuse('not_paid');
  const before = await sessionFault(context.pool, sessionId, network);
  if (before) return refuse(before);
  const { environment } = session;
  const checked = await checkAddress(context, { environment, network, typed, takesContracts: false });
  if ('refused' in checked) return checked;
  const { address } = checked;
  const now = context.clock.now();
  const given = { sessionId, address, givenAt: now, signed };
  if (signed && !(await isSigned(context, session, network, given))) return refuse('not_signed');
  return transaction(context.pool, async (tx): Promise<GivenAddress> => {
    // The worker requests a signature under this lock too, and only if the refund's epoch has not changed.
    await tx.query({
      name: 'lock-refunds-of-session',
      text: `SELECT FROM refunds WHERE session_id = $1 AND network = $2 ORDER BY id FOR UPDATE`,
      values: [sessionId, network],
    });
    const fault = await sessionFault(tx, sessionId, network);
    if (fault) return refuse(fault);
    if (!(await insertAddress(tx, { sessionId, network, address, isContract: false, intentId: null, now, signed })))
      return refuse('given_already');
    await tx.query({
      name: 'redirect-refunds-of-session',
      text: `UPDATE refunds r SET destination = NULL, destination_kind = NULL, destination_reference = NULL, next_at = $3,
               epoch = epoch + 1, hold = nullif(hold, $4), hold_message = CASE WHEN hold <> $4 THEN hold_message END,
               held_at = CASE WHEN hold <> $4 THEN held_at END
             WHERE session_id = $1 AND network = $2 AND status = 'processing' AND signature_requested_at IS NULL
               AND case_id IS NULL AND payer IS NULL
               AND NOT EXISTS (SELECT FROM refund_addresses a WHERE a.intent_id = r.id)`,
      values: [sessionId, network, now, DESTINATION_NEEDED],
    });
    return { given: { network, address } };
  });
}

/**
 * Stores where the refund of a claim link goes, and resumes the refund at once. `takesContracts`: the customer confirmed that the
 * address is their smart wallet and can receive. Throws the errors of `checkAddress`.
 */
export async function giveClaimAddress(
  context: AddressContext,
  token: string,
  { typed, takesContracts }: { readonly typed: string; readonly takesContracts: boolean },
): Promise<GivenAddress> {
  if (!isClaimToken(token)) return refuse('link_unknown');
  const hash = sha256(token);
  const claim = await findClaim(context.pool, hash);
  const now = context.clock.now();
  const before = claimFault(claim, now);
  if (!claim || before) return refuse(before ?? 'link_unknown');
  const { id: intentId, environment, network, session_id: sessionId } = claim;
  const checked = await checkAddress(context, { environment, network, typed, takesContracts });
  if ('refused' in checked) return checked;
  const { address, isContract } = checked;
  return transaction(context.pool, async (tx): Promise<GivenAddress> => {
    await tx.query({
      name: 'lock-claimed-refund',
      text: 'SELECT FROM refunds WHERE id = $1 FOR UPDATE',
      values: [intentId],
    });
    const fault = claimFault(await findClaim(tx, hash), now);
    if (fault) return refuse(fault);
    if (!(await insertAddress(tx, { sessionId, network, address, isContract, intentId, now, signed: null })))
      return refuse('given_already');
    await tx.query({
      name: 'claimed-refund-goes-on',
      text: `UPDATE refunds SET hold = NULL, hold_message = NULL, held_at = NULL, next_at = $2, epoch = epoch + 1
             WHERE id = $1 AND hold = $3`,
      values: [intentId, now, DESTINATION_NEEDED],
    });
    return { given: { network, address } };
  });
}

export type RefundAddress = { readonly network: string; readonly address: string; readonly givenAt: Date };

/** The addresses that were given on a session's page, at most one per network. */
export async function readRefundAddress({ pool }: { readonly pool: Db }, sessionId: string): Promise<RefundAddress[]> {
  const { rows } = await pool.query<{ network: string; address: string; given_at: Date }>({
    name: 'read-refund-addresses',
    text: `SELECT network, address, given_at FROM refund_addresses WHERE session_id = $1 AND intent_id IS NULL
           ORDER BY network`,
    values: [sessionId],
  });
  return rows.map(({ network, address, given_at: givenAt }) => ({ network, address, givenAt }));
}

/**
 * An address in groups of four, which a person can compare with what their wallet shows. EVM addresses have their checksum capitals,
 * and the 0x is a group of its own. Pure.
 */
export function addressGroups(address: string): readonly string[] {
  const isEvm = /^0x[0-9a-fA-F]{40}$/.test(address);
  const digits = isEvm ? checksumAddress(address.toLowerCase()).slice(2) : address;
  return [...(isEvm ? ['0x'] : []), ...(digits.match(/.{1,4}/g) ?? [])];
}

type Session = { readonly status: SessionStatus; readonly environment: Environment; readonly storeId: string };

async function findSession(db: Db, sessionId: string): Promise<Session | null> {
  const text = 'SELECT status, environment, store_id AS "storeId" FROM sessions WHERE id = $1';
  const { rows } = await db.query<Session>({ name: 'address-session', text, values: [sessionId] });
  return rows[0] ?? null;
}

async function isSigned(
  context: AddressContext,
  { environment, storeId }: Session,
  network: string,
  given: Parameters<typeof isSignedByPayer>[2],
): Promise<boolean> {
  const spec = networkSpec(environment, network, context.config.TEST_CHAINS);
  const { sessionId } = given;
  const payers = await readPayers(context.pool, { storeId, environment, sessionId, caseId: null }, undefined);
  return spec !== null && isSignedByPayer(context, spec, given, payers);
}

async function sessionFault(db: Db, sessionId: string, network: string): Promise<AddressFault | null> {
  const { rows } = await db.query<{ given: boolean; requested: boolean }>({
    name: 'why-no-session-address',
    text: `SELECT EXISTS (SELECT FROM refund_addresses WHERE session_id = $1 AND network = $2 AND intent_id IS NULL) AS given,
             EXISTS (SELECT FROM refunds WHERE session_id = $1 AND network = $2 AND status = 'processing'
                       AND signature_requested_at IS NOT NULL) AS requested`,
    values: [sessionId, network],
  });
  if (rows[0]?.given) return 'given_already';
  return rows[0]?.requested ? 'being_sent' : null;
}

function claimFault(claim: ClaimRow | null, now: Date): AddressFault | null {
  if (!claim) return 'link_unknown';
  switch (claimState(claim, now)) {
    case 'open':
      return null;
    case 'given':
      return 'given_already';
    case 'expired':
      return 'link_expired';
    case 'closed':
      return 'not_waiting';
  }
}

type NewAddress = {
  readonly sessionId: string;
  readonly network: string;
  readonly address: string;
  readonly isContract: boolean;
  readonly intentId: string | null;
  readonly now: Date;
  readonly signed: AddressSignature | null;
};

/** False when the address exists already. */
async function insertAddress(tx: Tx, given: NewAddress): Promise<boolean> {
  const { sessionId, network, address, isContract, intentId, now, signed } = given;
  const { rowCount } = await tx.query({
    name: 'keep-refund-address',
    text: `INSERT INTO refund_addresses
             (session_id, network, address, intent_id, given_at, is_contract, signature, signature_requested_at)
           VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
           ON CONFLICT DO NOTHING`,
    values: [
      ...[sessionId, network, address, intentId, now, isContract],
      ...[signed && Buffer.from(signed.signature), signed?.requestedAt ?? null],
    ],
  });
  return rowCount === 1;
}
