// Chooses the deposit addresses to read next: suspects, addresses with an open discrepancy, and then the next page of
// the rotation over all paid addresses on the chain, in the order of their derivation.

import type { FollowedChain } from '@/lib/networks/registry';
import type { Db } from '@/lib/platform/database/db';

export type AddressPage = {
  readonly addresses: readonly string[];
  /** Known token accounts besides the usual one, per address and token. */
  readonly accounts: ReadonlyMap<string, readonly string[]>;
  /** Derivation index that the rotation has reached; -1 when the next rotation begins. */
  readonly through: number;
};

export type AddressRequest = {
  readonly chain: FollowedChain;
  readonly chainId: number;
  readonly reader: { readonly most: number };
  readonly checkedThrough: number;
  /** Keys of address and token. */
  readonly suspects: ReadonlySet<string>;
};

/** Sessions that one run examines; most of them may never have been paid. */
const MAX_SESSIONS = 2000;

/** An address and a token as one key. Addresses contain no spaces. */
export const keyOf = ({ address, currency }: { readonly address: string; readonly currency: string }): string =>
  `${address} ${currency}`;

export async function nextAddresses(db: Db, request: AddressRequest): Promise<AddressPage> {
  const { chainId, reader, suspects } = request;
  const doubtful = [...suspects].map((key) => key.slice(0, key.indexOf(' ')));
  const open = await openDiscrepancies(db, request);
  // Reserve half of each run for the rotation, so that many open discrepancies do not stop it.
  const again = [...new Set([...doubtful, ...open])].slice(0, Math.ceil(reader.most / 2));
  const next = await nextPiece(db, request, reader.most - again.length);
  const addresses = [...new Set([...again, ...next.addresses])];
  return { addresses, through: next.through, accounts: await knownAccounts(db, chainId, addresses) };
}

/** Open discrepancies of deposit addresses, oldest first. Those of the refund wallet are checked in wallet.ts. */
async function openDiscrepancies(db: Db, { chainId, reader }: AddressRequest): Promise<string[]> {
  const { rows } = await db.query<{ address: string }>({
    name: 'reconcile-open',
    text: `SELECT d.address FROM discrepancies d WHERE d.chain_id = $1 AND d.ended_at IS NULL
             AND NOT EXISTS (SELECT FROM wallet_balances w WHERE w.chain_id = d.chain_id AND w.address = d.address)
           ORDER BY d.id LIMIT $2`,
    values: [chainId, reader.most],
  });
  return rows.map(({ address }) => address);
}

async function nextPiece(
  db: Db,
  { chain, chainId, checkedThrough }: AddressRequest,
  most: number,
): Promise<{ addresses: string[]; through: number }> {
  const { rows } = await db.query<{ through: number | null; passed: string; addresses: string[] | null }>({
    name: 'reconcile-next',
    text: `WITH piece AS (SELECT id, address_index FROM sessions
               WHERE environment = $1::"Environment" AND address_index > $2 ORDER BY address_index LIMIT ${MAX_SESSIONS}),
             paid AS (SELECT p.address_index, min(t.recipient) AS recipient FROM piece p
               JOIN transfers t ON t.session_id = p.id AND t.chain_id = $3
               GROUP BY p.address_index ORDER BY p.address_index LIMIT $4)
           SELECT (SELECT count(*) FROM piece) AS passed, (SELECT array_agg(recipient ORDER BY address_index) FROM paid) AS addresses,
             (SELECT CASE WHEN (SELECT count(*) FROM paid) = $4 THEN (SELECT max(address_index) FROM paid)
                          ELSE max(address_index) END FROM piece) AS through`,
    values: [chain.environment, checkedThrough, chainId, most],
  });
  const { passed, through = null, addresses } = rows[0] ?? { passed: '0', addresses: null };
  const found = addresses ?? [];
  const isOver = Number(passed) < MAX_SESSIONS && found.length < most;
  return { addresses: found, through: isOver || through === null ? -1 : through };
}

async function knownAccounts(db: Db, chainId: number, addresses: readonly string[]): Promise<Map<string, string[]>> {
  const { rows } = await db.query<{ owner: string; currency: string; accounts: string[] }>({
    name: 'reconcile-accounts',
    text: `SELECT owner, currency, array_agg(account) AS accounts FROM account_cursors
           WHERE chain_id = $1 AND owner = ANY($2) GROUP BY owner, currency`,
    values: [chainId, addresses],
  });
  return new Map(rows.map(({ owner, currency, accounts }) => [keyOf({ address: owner, currency }), accounts]));
}
