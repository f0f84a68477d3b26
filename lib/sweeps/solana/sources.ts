// The token accounts from which deposit addresses can be swept: the associated one of each, and of the others, which anybody can open for
// it, the one that holds most by the stored transfers. The next one follows in a later run.

import { associatedAccount } from '@/lib/networks/families/solana/address';
import type { TokenAccount } from '@/lib/networks/families/solana/sweeping/chain';
import type { Candidate } from '@/lib/sweeps/rules';
import type { SolanaRun } from './run';

export type Source = TokenAccount & {
  readonly candidate: Candidate;
  readonly isAssociated: boolean;
  /** Base units of the stored transfers that it holds at most. What is beyond is not screened. */
  readonly stored: bigint;
};

type Row = {
  readonly owner: string;
  readonly account: string | null;
  readonly amount: string | null;
  readonly elsewhere: string;
};

/** Of candidates of one token. Leaves out those whose stored transfers changed since they were chosen: the next run reads them again. */
export async function readSources(
  { context, chainId }: SolanaRun,
  batch: readonly Candidate[],
  mint: string,
): Promise<readonly Source[]> {
  const associated = new Map(batch.map(({ address }) => [address, associatedAccount(address, mint)]));
  const { rows } = await context.pool.query<Row>({
    name: 'sweep-solana-sources',
    // An account cursor changes in the transaction that stores the transfers, so in one statement both agree. Only of an account that somebody
    // floods with payments is the cursor behind.
    text: `SELECT e.owner, a.account, a.amount::text AS amount, coalesce(a.elsewhere, 0)::text AS elsewhere
           FROM unnest($2::text[], $3::numeric[], $4::text[]) AS e (owner, amount, associated)
           JOIN deposit_balances d ON d.chain_id = $1 AND d.address = e.owner AND d.currency = $5 AND d.amount = e.amount
           LEFT JOIN LATERAL (SELECT c.account, c.amount, sum(c.amount) OVER () AS elsewhere FROM account_cursors c
             WHERE c.chain_id = $1 AND c.owner = e.owner AND c.currency = $5 AND c.account <> e.associated AND c.amount > 0
             ORDER BY c.amount DESC, c.account LIMIT 1) a ON true`,
    values: [
      chainId,
      batch.map(({ address }) => address),
      batch.map(({ amount }) => amount.toString()),
      batch.map(({ address }) => associated.get(address)),
      batch[0]?.currency ?? '',
    ],
  });
  const found = new Map(rows.map((row) => [row.owner, row]));
  return batch.flatMap((candidate): Source[] => {
    const { address: owner, amount } = candidate;
    const row = found.get(owner);
    if (!row) return [];
    const own = associated.get(owner) as string;
    const stored = amount - BigInt(row.elsewhere);
    const usual = { candidate, owner, account: own, isAssociated: true, stored: stored > 0n ? stored : 0n };
    if (row.account === null || row.amount === null) return [usual];
    const most = BigInt(row.amount);
    const other = {
      candidate,
      owner,
      account: row.account,
      isAssociated: false,
      stored: most < amount ? most : amount,
    };
    return [usual, other];
  });
}
