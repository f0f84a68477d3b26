// A store's proofs of reserves: the newest one as the page shows it, the list of the earlier ones, and the document as a file.

import { tokenText } from '@/lib/dashboard/payment/payment';
import { fileResponse } from '@/lib/dashboard/lists/csv';
import type { NetworkText, TokenText } from '@/lib/ledger/proofs/compose';
import {
  listProofs,
  readProof,
  type MadeProof,
  type ProofDocument,
  type StoreScope,
} from '@/lib/ledger/proofs/document';
import type { Context } from '@/lib/platform/context';
import { ServiceError } from '@/lib/platform/errors/errors';

/** Amounts are exact decimal text. */
export type ProofRow = {
  readonly network: string;
  readonly currency: string;
  readonly own: string;
  readonly owed: string;
  /** Null while the network could not be read. */
  readonly held: string | null;
  readonly block: number | null;
  readonly unread: NetworkText['unread'];
  /** What is missing to cover what is owed; null if nothing is, or the network was not read. */
  readonly missing: string | null;
};

export type ShownProofs = {
  /** Null before the first proof. */
  readonly newest: { readonly proof: MadeProof; readonly rows: readonly ProofRow[] } | null;
  readonly earlier: readonly MadeProof[];
};

/** A daily proof and a few that operators requested, of thirty days. */
const MOST_SHOWN = 60;

/** Tokens of which nothing is held or owed are left out of the page; the document has them. */
export async function readProofs({ pool }: Pick<Context, 'pool'>, of: StoreScope): Promise<ShownProofs> {
  const [proof, ...earlier] = await listProofs(pool, of.environment, MOST_SHOWN);
  const document = proof && (await readProof(pool, of, proof.id));
  return { newest: document ? { proof, rows: rowsOf(document) } : null, earlier };
}

const rowsOf = ({ statement, store }: ProofDocument): ProofRow[] =>
  statement.networks.flatMap((network) =>
    network.tokens
      .map((token) => {
        const own = store.balances.find((one) => one.network === network.network && one.currency === token.currency);
        const parts = own ? [own.available, own.unresolved, own.refunds, own.payouts] : [];
        return rowOf(
          network,
          token,
          parts.reduce((sum, part) => sum + BigInt(part), 0n),
        );
      })
      .filter((_, at) => isShown(network.tokens[at] as TokenText)),
  );

const isShown = ({ owed, held }: TokenText): boolean => owed !== '0' || (held !== null && held.total !== '0');

/** Of a token whose decimals are not known any more, base units. */
function rowOf(
  { network, block, unread }: NetworkText,
  { currency, decimals, owed, held }: TokenText,
  own: bigint,
): ProofRow {
  const text = (units: bigint): string => tokenText(units, decimals ?? 0);
  const missing = held ? BigInt(owed) - BigInt(held.total) : 0n;
  return {
    ...{ network, currency, unread, own: text(own), owed: text(BigInt(owed)) },
    held: held && text(BigInt(held.total)),
    block: block?.number ?? null,
    missing: missing > 0n ? text(missing) : null,
  };
}

/** Throws NOT_FOUND for a proof that the store's environment does not have. */
export async function downloadProof(
  { pool }: Pick<Context, 'pool'>,
  of: StoreScope,
  proofId: string,
): Promise<Response> {
  const document = await readProof(pool, of, proofId);
  if (!document) throw new ServiceError('NOT_FOUND');
  const day = document.statement.made_at.slice(0, 10);
  return fileResponse(
    { name: `proof-of-reserves-${of.environment}-${day}-${proofId}.json`, type: 'application/json' },
    (async function* () {
      yield `${JSON.stringify(document, null, 2)}\n`;
    })(),
  );
}
