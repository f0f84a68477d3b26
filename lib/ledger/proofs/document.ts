// The proofs as they are shown: the list, the public keys, and the document of a store with its own part of a proof. The signature covers the
// statement, and the statement covers the store's part by the roots of the trees, so what shows it cannot change it unnoticed.

import type { Db } from '@/lib/platform/database/db';
import type { Environment } from '@/lib/platform/ids';
import type { Statement } from './compose';
import { FORMAT, type Share } from './liabilities';
import { NODE_BYTES, nodeFrom, siblingsOf } from './tree';

export type StoreScope = { readonly storeId: string; readonly environment: Environment };

export type MadeProof = { readonly id: string; readonly madeAt: Date };

/** The newest first. All that are kept fit a page: one a day, and those that operators requested. */
export async function listProofs(db: Db, environment: Environment, most: number): Promise<readonly MadeProof[]> {
  const { rows } = await db.query<MadeProof>({
    name: 'reserve-proofs-list',
    text: `SELECT id::text, made_at AS "madeAt" FROM reserve_proofs WHERE environment = $1::"Environment"
           ORDER BY made_at DESC, id DESC LIMIT $2`,
    values: [environment, most],
  });
  return rows;
}

export type PublishedKey = { readonly publicKey: Buffer; readonly since: Date; readonly until: Date };

/** The keys of the proofs that are kept, the newest first. `since`, `until`: the first and the last proof of each. */
export async function listKeys(db: Db): Promise<readonly PublishedKey[]> {
  const { rows } = await db.query<PublishedKey>({
    name: 'reserve-keys',
    text: `SELECT public_key AS "publicKey", min(made_at) AS since, max(made_at) AS until FROM reserve_proofs
           GROUP BY public_key ORDER BY until DESC LIMIT 100`,
  });
  return rows;
}

/** Amounts are base units as text. */
type StoreBalance = {
  readonly network: string;
  readonly currency: string;
  readonly available: string;
  readonly unresolved: string;
  readonly refunds: string;
  readonly payouts: string;
  readonly salt: string;
  readonly shares: readonly {
    readonly amount: string;
    readonly index: number;
    readonly path: readonly { readonly hash: string; readonly sum: string }[];
  }[];
};

export type ProofDocument = {
  readonly format: typeof FORMAT;
  readonly statement: Statement;
  readonly signature: { readonly algorithm: 'Ed25519'; readonly public_key: string; readonly value: string };
  readonly store: { readonly id: string; readonly balances: readonly StoreBalance[] };
};

/** Null if the environment of the store has no such proof. A store that was created later has no balances in it. */
export async function readProof(db: Db, of: StoreScope, proofId: string): Promise<ProofDocument | null> {
  if (!/^\d{1,18}$/.test(proofId)) return null;
  const { rows } = await db.query<{ statement: string; signature: Buffer; public_key: Buffer }>({
    name: 'reserve-proof',
    text: `SELECT statement, signature, public_key FROM reserve_proofs WHERE id = $1 AND environment = $2::"Environment"`,
    values: [proofId, of.environment],
  });
  const [row] = rows;
  if (!row) return null;
  // The worker wrote it with JSON.stringify, so the same text comes out of it again.
  const statement = JSON.parse(row.statement) as Statement;
  return {
    format: FORMAT,
    statement,
    signature: {
      algorithm: 'Ed25519',
      public_key: row.public_key.toString('base64'),
      value: row.signature.toString('base64'),
    },
    store: { id: of.storeId, balances: await readBalances(db, of.storeId, { proofId, statement }) },
  };
}

type LeafRow = {
  readonly network: string;
  readonly currency: string;
  readonly available: string;
  readonly unresolved: string;
  readonly refunds: string;
  readonly payouts: string;
  readonly salt: string;
  readonly shares: readonly { readonly amount: string; readonly index: Share['index'] }[];
};

async function readBalances(
  db: Db,
  storeId: string,
  { proofId, statement }: { readonly proofId: string; readonly statement: Statement },
): Promise<readonly StoreBalance[]> {
  const { rows } = await db.query<LeafRow>({
    name: 'reserve-leaves',
    text: `SELECT network, currency, available::text, unresolved::text, refunds::text, payouts::text, encode(salt, 'hex') AS salt, shares
           FROM reserve_leaves WHERE proof_id = $1 AND store_id = $2 ORDER BY network, currency`,
    values: [proofId, storeId],
  });
  const depths = new Map(
    statement.networks.flatMap(({ network, tokens }) =>
      tokens.map(({ currency, depth }) => [`${network} ${currency}`, depth] as const),
    ),
  );
  const leaves = rows.map((leaf) => ({
    ...leaf,
    shares: leaf.shares.map((share) => ({
      ...share,
      siblings: siblingsOf(share.index, depths.get(`${leaf.network} ${leaf.currency}`) ?? 0),
    })),
  }));
  const nodes = await readNodes(
    db,
    proofId,
    leaves.flatMap(({ network, currency, shares }) =>
      shares.flatMap(({ siblings }) => siblings.map((node) => ({ network, currency, node }))),
    ),
  );
  return leaves.map(({ shares, ...leaf }) => ({
    ...leaf,
    shares: shares.map(({ amount, index, siblings }) => ({
      ...{ amount, index },
      path: siblings.map((node) => nodeFrom(nodes.get(`${leaf.network} ${leaf.currency} ${node}`) as Buffer)),
    })),
  }));
}

type NodeName = { readonly network: string; readonly currency: string; readonly node: number };

/** Reads slices of the trees, because a tree can have megabytes. */
async function readNodes(db: Db, proofId: string, names: readonly NodeName[]): Promise<ReadonlyMap<string, Buffer>> {
  const { rows } = await db.query<NodeName & { readonly bytes: Buffer }>({
    name: 'reserve-nodes',
    text: `SELECT n.network, n.currency, n.node, substring(t.nodes FROM n.node * ${NODE_BYTES} + 1 FOR ${NODE_BYTES}) AS bytes
           FROM unnest($2::text[], $3::text[], $4::int[]) AS n (network, currency, node)
             JOIN reserve_trees t ON t.proof_id = $1 AND t.network = n.network AND t.currency = n.currency`,
    values: [
      proofId,
      names.map(({ network }) => network),
      names.map(({ currency }) => currency),
      names.map(({ node }) => node),
    ],
  });
  return new Map(rows.map(({ network, currency, node, bytes }) => [`${network} ${currency} ${node}`, bytes]));
}
