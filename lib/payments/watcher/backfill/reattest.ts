// Attests payments that were stored without EVIDENCE_KEY or with a former key, so that their payers can be refunded. Each payment
// is read from the chain again, as the watcher reads it. It gets its MAC only when the chain matches the stored row exactly.

import { ChainError, type FoundTransfer, type Scan, type Watch } from '@/lib/networks/chain';
import type { FollowedChain } from '@/lib/networks/registry';
import { unixSeconds } from '@/lib/platform/clock';
import type { MacKeys } from '@/lib/platform/crypto';
import type { Context } from '@/lib/platform/context';
import { isAttested, transferMac, type TransferFacts } from '@/lib/signer/attestations/payer-evidence';

/** Rows in one query; the total is not bounded. */
const PAGE = 200;

export type Reattested = {
  readonly proven: number;
  /** One sentence for each payment that could not be attested, with the reason. */
  readonly failed: readonly string[];
};

/** Attests the payments of one chain, and drops the sums of what stores provably received. Throws a ChainError when the endpoints do not report which chain they serve. */
export async function reattest(context: Context, chain: FollowedChain, key: MacKeys): Promise<Reattested> {
  const genesis = await chain.adapter.genesis();
  const failed: string[] = [];
  let proven = 0;
  let after = '0';
  for (;;) {
    const rows = await transfersAfter(context, chain, { genesis, after });
    for (const row of rows) {
      const facts = factsOf(row, { environment: chain.environment, genesis });
      if (isAttested(key, facts, row.mac)) continue;
      const why = await prove(context, chain, { row, facts, key });
      if (why === null) proven++;
      else failed.push(`${row.network} ${row.transactionHash}: ${why}`);
    }
    const last = rows.at(-1);
    if (!last) break;
    after = last.id;
  }
  // The worker keeps sums of what was proven before. It counts again from the first transfer.
  await context.pool.query('DELETE FROM payout_backing WHERE environment = $1::"Environment"', [chain.environment]);
  return { proven, failed };
}

type Row = Omit<TransferFacts, 'environment' | 'genesis' | 'blockNumber' | 'blockTime' | 'amount'> & {
  readonly id: string;
  readonly blockNumber: string;
  readonly blockTime: Date;
  readonly amount: string;
  readonly mac: Buffer | null;
  /** Whether the recipient is a deposit address of the session. */
  readonly isOurs: boolean;
};

async function transfersAfter(
  { pool }: Context,
  { environment, network }: FollowedChain,
  { genesis, after }: { genesis: string; after: string },
): Promise<Row[]> {
  const { rows } = await pool.query<Row>({
    name: 'transfers-to-vouch',
    text: `SELECT t.id, t.network, t.session_id AS "sessionId", t.transaction_hash AS "transactionHash", t.ordinal,
             t.block_number AS "blockNumber", t.block_hash AS "blockHash", t.block_time AS "blockTime", t.currency,
             t.contract, t.payer, t.recipient, t.amount, t.decimals, t.is_plain AS "isPlain", t.mac,
             t.recipient IN (s.evm_address, s.tron_address, s.solana_address) AS "isOurs"
           FROM transfers t JOIN chains c ON c.id = t.chain_id JOIN sessions s ON s.id = t.session_id
           WHERE t.id > $4 AND c.environment = $1::"Environment" AND c.network = $2 AND c.genesis = $3
           ORDER BY t.id LIMIT ${PAGE}`,
    values: [environment, network, genesis, after],
  });
  return rows;
}

const factsOf = (row: Row, chain: Pick<TransferFacts, 'environment' | 'genesis'>): TransferFacts => ({
  ...row,
  ...chain,
  blockNumber: Number(row.blockNumber),
  blockTime: unixSeconds(row.blockTime),
  amount: BigInt(row.amount),
});

/** Null when the MAC is stored; otherwise the reason why not. */
async function prove(
  context: Context,
  chain: FollowedChain,
  { row, facts, key }: { row: Row; facts: TransferFacts; key: MacKeys },
): Promise<string | null> {
  if (!row.isOurs) return 'its recipient is no address of its session';
  try {
    const { transfers } = await readAgain(chain, facts);
    if (!transfers.some((one) => isSame(one, facts))) return 'the chain does not match the stored payment';
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    return `it could not be read (${error.fault}: ${error.message}); try again later`;
  }
  await context.pool.query({
    name: 'transfer-vouch',
    text: 'UPDATE transfers SET mac = $2 WHERE id = $1 AND mac IS NOT DISTINCT FROM $3',
    values: [row.id, transferMac(key, facts), row.mac],
  });
  return null;
}

/** The block of a transfer, or the whole history of its recipient on a network read by account. */
async function readAgain({ adapter }: FollowedChain, { recipient, blockNumber }: TransferFacts): Promise<Scan> {
  const watch: Watch = {
    among: async (recipients) => new Set(recipients.filter((one) => one === recipient)),
    dueAddresses: async () => [{ owner: recipient, accountCursors: [] }],
  };
  const block = adapter.readsBlocks ? blockNumber : (await adapter.head()).final.number;
  return adapter.scan({ from: block, to: block, parentHash: null, final: true }, watch);
}

const isSame = (found: FoundTransfer, stored: TransferFacts): boolean =>
  found.transactionHash === stored.transactionHash &&
  found.ordinal === stored.ordinal &&
  found.blockNumber === stored.blockNumber &&
  found.blockHash === stored.blockHash &&
  found.blockTime === stored.blockTime &&
  found.currency === stored.currency &&
  found.contract === stored.contract &&
  found.payer === stored.payer &&
  found.recipient === stored.recipient &&
  found.amount === stored.amount;
