// The stored cold returns: one row for each transfer of a signing request, from its unsigned bytes to its outcome on the chain.

import type { AccountTerms } from '@/lib/cold-storage/accounts/account';
import { describeItem } from '@/lib/cold-storage/accounts/describe';
import type { NetworkSpec } from '@/lib/networks/networks';
import type { ChainSender } from '@/lib/networks/sending/send';
import type { Db } from '@/lib/platform/database/db';
import type { Environment } from '@/lib/platform/ids';
import { makeRequest, type Request } from './request-file';

/** The chain of the returns: the one that is followed now. */
export type ReturnChain = {
  /** Its row in `chains`. */
  readonly chainId: number;
  readonly environment: Environment;
  readonly spec: NetworkSpec;
  readonly sender: ChainSender;
};

export type ColdReturn = {
  readonly id: string;
  readonly requestId: string;
  readonly requestSha256: string;
  readonly environment: Environment;
  readonly network: string;
  readonly chainId: number;
  readonly currency: string;
  /** Base units. */
  readonly amount: bigint;
  readonly sender: string;
  readonly recipient: string;
  /** Null: the cold wallet is a plain account. */
  readonly account: AccountTerms | null;
  readonly unsigned: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly signedBytes: string | null;
  readonly transactionHash: string | null;
  readonly signedAt: Date | null;
  /** `landed`, `reverted`, `lapsed` or `superseded`; null while it is open. */
  readonly outcome: string | null;
};

/** The returns of one request, in the order of its items. */
export async function readReturns(db: Db, requestId: string): Promise<readonly ColdReturn[]> {
  const { rows } = await db.query<Omit<ColdReturn, 'amount'> & { readonly amount: string }>({
    name: 'cold-returns-of-request',
    text: `SELECT id, request_id AS "requestId", request_sha256 AS "requestSha256", environment, network, chain_id AS "chainId", currency,
             amount::text AS amount, sender, recipient, account, unsigned, created_at AS "createdAt", expires_at AS "expiresAt",
             signed_bytes AS "signedBytes", transaction_hash AS "transactionHash", signed_at AS "signedAt", outcome
           FROM cold_returns WHERE request_id = $1 ORDER BY position`,
    values: [requestId],
  });
  return rows.map((row) => ({ ...row, amount: BigInt(row.amount) }));
}

/** The request that these rows are, made again from their unsigned bytes. Throws BadDraft. */
export function requestOf(spec: NetworkSpec, rows: readonly ColdReturn[]): Request {
  const [first] = rows;
  if (!first) throw new Error('a request has at least one transfer');
  const { account: terms } = first;
  const items = rows.map(({ id, unsigned, sender }) =>
    describeItem(spec, { intent: id, unsigned, from: sender }, terms),
  );
  return makeRequest({ id: first.requestId, items, spec, created: first.createdAt, terms });
}
