// Reads the payers from the stored transfers: for a merchant's refund every payer of the session on any network, for the refund of a
// payment exception the sender of that transfer. A transfer below one cent names no payer: anyone can send dust.

import type { NetworkFamily } from '@/lib/networks/chain';
import { NETWORKS } from '@/lib/networks/networks';
import { unixSeconds } from '@/lib/platform/clock';
import type { MacKeys } from '@/lib/platform/crypto';
import type { Db } from '@/lib/platform/database/db';
import type { Environment } from '@/lib/platform/ids';
import { toCommon } from '@/lib/money/amounts';
import { isAttested } from '@/lib/signer/attestations/payer-evidence';
import { decisionOf, objection } from '@/lib/payments/sessions/settle/judge';
import type { ExceptionState, SessionStatus } from '@/prisma/generated/enums';

/** The refund whose destination is needed. `id` is its own id (intentIdOf). `caseId`: null for a merchant's refund. */
export type DestinedRefund = {
  readonly id: string;
  readonly storeId: string;
  readonly environment: Environment;
  readonly sessionId: string;
  readonly network: string;
  readonly caseId: bigint | string | null;
};

/** Who sent a transfer. */
export type Payer = {
  readonly address: string;
  readonly network: string;
  readonly currency: string;
  /** Names the transfer. */
  readonly reference: string;
  /** Whether the watcher's MAC over the transfer is valid. */
  readonly isProven: boolean;
  /** As in FoundTransfer; null where it was not recorded yet. */
  readonly isPlain: boolean | null;
  /** The part that counts towards the session's price, at the common precision; 0 when it does not count or is refunded completely. */
  readonly counted: bigint;
};

/** The payers ordered by block time, one per transfer. Without a key none is proven. */
export async function readPayers(
  db: Db,
  refund: Omit<DestinedRefund, 'id' | 'network'>,
  key: MacKeys | undefined,
): Promise<readonly Payer[]> {
  const rows = (await readTransfers(db, refund)).filter(
    (row) => BigInt(row.amount) * 100n >= 10n ** BigInt(row.decimals),
  );
  return rows
    .filter((row) => isConcerned(refund, row))
    .map((row) => ({
      address: row.payer,
      network: row.network,
      currency: row.currency,
      reference: referenceOf(row),
      isProven: isProven(refund, row, key),
      isPlain: row.is_plain,
      counted: counted(row),
    }));
}

export type ReceivedTransfer = {
  readonly network: string;
  readonly currency: string;
  readonly amount: bigint;
  readonly payer: string;
  readonly recipient: string;
  /** Whether the refund is about this transfer: of its session, or of its exception. */
  readonly isConcerned: boolean;
};

/**
 * All proven transfers of a refund's session, at the common precision: those below one cent too, and each transfer once,
 * even if several rows name it. The watcher's MAC covers these facts. Prices, and what counts, are columns that the web process writes.
 */
export async function readProvenTransfers(
  db: Db,
  refund: Omit<DestinedRefund, 'id' | 'network'>,
  key: MacKeys,
): Promise<readonly ReceivedTransfer[]> {
  const proven = new Map<string, ReceivedTransfer>();
  for (const row of await readTransfers(db, refund)) {
    if (!isProven(refund, row, key)) continue;
    const { network, currency, decimals, payer, recipient } = row;
    const amount = toCommon(BigInt(row.amount), decimals);
    const received = { network, currency, amount, payer, recipient, isConcerned: isConcerned(refund, row) };
    proven.set(referenceOf(row), received);
  }
  return [...proven.values()];
}

const referenceOf = ({ network, transaction_hash: hash, ordinal }: Columns): string => `${network}/${hash}/${ordinal}`;

const isConcerned = ({ caseId }: Pick<DestinedRefund, 'caseId'>, row: Columns): boolean =>
  caseId === null ? !isSentBack(row) : row.case_id === String(caseId);

const isProven = (refund: EvidenceScope, row: Columns, key: MacKeys | undefined): boolean =>
  key !== undefined && isAttested(key, transferFacts(refund, row), row.mac);

async function readTransfers(db: Db, refund: Omit<DestinedRefund, 'id' | 'network'>): Promise<readonly Columns[]> {
  const { rows } = await db.query<Columns>({
    name: 'refund-payers',
    text: `SELECT c.genesis, t.network, t.transaction_hash, t.ordinal, t.block_number, t.block_hash, t.block_time, t.currency,
             t.contract, t.payer, t.recipient, t.amount, t.decimals, t.is_plain, t.mac, p.id AS case_id, p.kind AS case_kind,
             p.amount AS case_amount, p.counted AS case_counted, ${decisionOf('p')} AS case_state, s.status, s.accepted_from,
             s.networks, s.offered_pairs, s.created_at, s.expires_at
           FROM transfers t JOIN sessions s ON s.id = t.session_id JOIN chains c ON c.id = t.chain_id AND c.network = t.network
           LEFT JOIN payment_exceptions p ON p.transfer_id = t.id
           WHERE t.session_id = $1 AND s.store_id = $2 AND s.environment = $3::"Environment"
             AND c.environment = $3::"Environment" ORDER BY t.block_time, t.transaction_hash, t.ordinal`,
    values: [refund.sessionId, refund.storeId, refund.environment],
  });
  return rows;
}

/** The number of different payers. One key pays on every network of its family under one address. */
export const payerCount = (payers: readonly Payer[]): number =>
  new Set(payers.map(({ network, address }) => `${familyOf(network)} ${address}`)).size;

const familyOf = (network: string): NetworkFamily | undefined =>
  NETWORKS.find((spec) => spec.network === network)?.family;

/** The whole transfer goes back to its sender by its own refund, so the sender has no part in what the merchant refunds. */
const isSentBack = (row: Columns): boolean => row.case_state === 'refund';

/** A surplus, and the rest of a partly accepted transfer, is a separate exception, so it is no part of the price. */
function counted(row: Columns): bigint {
  if (isSentBack(row)) return 0n;
  const session = {
    status: row.status,
    acceptedFrom: row.accepted_from,
    networks: row.networks,
    offeredPairs: row.offered_pairs,
    createdAt: unixSeconds(row.created_at),
    expiresAt: unixSeconds(row.expires_at),
  };
  const payment = {
    network: row.network,
    currency: row.currency,
    blockTime: unixSeconds(row.block_time),
    decision: row.case_state,
  };
  if (objection(session, payment) !== null) return 0n;
  const [whole, accepted] = [BigInt(row.amount), BigInt(row.case_counted ?? 0)];
  const surplus = row.case_kind === 'over' ? BigInt(row.case_amount ?? 0) : 0n;
  const taken = accepted > 0n ? accepted : whole - surplus;
  // The web process writes the exception's amounts; only the transfer's own amount is proven.
  const most = taken < whole ? taken : whole;
  return toCommon(most > 0n ? most : 0n, row.decimals);
}

type EvidenceScope = Pick<DestinedRefund, 'environment' | 'sessionId'>;

/** What the watcher's MAC over a transfer covers. */
export const transferFacts = ({ environment, sessionId }: EvidenceScope, row: TransferColumns) => ({
  environment,
  network: row.network,
  sessionId,
  genesis: row.genesis,
  transactionHash: row.transaction_hash,
  ordinal: row.ordinal,
  blockNumber: Number(row.block_number),
  blockHash: row.block_hash,
  blockTime: unixSeconds(row.block_time),
  currency: row.currency,
  contract: row.contract,
  payer: row.payer,
  recipient: row.recipient,
  amount: BigInt(row.amount),
  decimals: row.decimals,
  isPlain: row.is_plain,
});

/** The columns of a transfer with its chain's genesis. */
export type TransferColumns = {
  genesis: string;
  network: string;
  transaction_hash: string;
  ordinal: number;
  block_number: string;
  block_hash: string;
  block_time: Date;
  currency: string;
  contract: string;
  payer: string;
  recipient: string;
  amount: string;
  decimals: number;
  is_plain: boolean | null;
  mac: Buffer | null;
};

type Columns = TransferColumns & {
  case_id: string | null;
  case_kind: string | null;
  case_amount: string | null;
  case_counted: string | null;
  case_state: ExceptionState | null;
  status: SessionStatus;
  accepted_from: SessionStatus | null;
  networks: string[];
  offered_pairs: string[];
  created_at: Date;
  expires_at: Date;
};
