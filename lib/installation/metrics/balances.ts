// Reconciliation metrics for Prometheus: the refund wallet's last reading, open discrepancies between the ledger and the
// chains, and the age of the last complete comparison. For operators only; the status page shows none of it.

import type { NetworkSpec } from '@/lib/networks/networks';
import { readWalletLevels } from '@/lib/cold-storage/report';
import { offers } from '@/lib/networks/registry';
import type { Context } from '@/lib/platform/context';
import { wholes, type Numbers } from './numbers';

type Deps = Pick<Context, 'pool' | 'clock' | 'config'>;

type Row = {
  readonly environment: string;
  readonly network: string;
  readonly differences: number;
  /** Seconds; null before the first. */
  readonly age: number | null;
  readonly balances: readonly { readonly asset: string; readonly amount: string }[] | null;
};

/** A network that was never compared has no sample of its wallet or age. */
export async function balanceNumbers({ pool, clock, config }: Deps): Promise<Numbers[]> {
  const specs = offers(config).map(({ spec }) => spec);
  const text = `SELECT c.environment, c.network,
      (SELECT count(*)::int FROM discrepancies d WHERE d.chain_id = c.id AND d.ended_at IS NULL) AS differences,
      (SELECT GREATEST(0, extract(epoch FROM $3::timestamptz - r.done_at))::float8 FROM reconciliations r
        WHERE r.chain_id = c.id) AS age,
      (SELECT json_agg(json_build_object('asset', w.asset, 'amount', w.amount::text)) FROM (
        SELECT DISTINCT ON (asset) asset, amount FROM wallet_balances
        WHERE chain_id = c.id ORDER BY asset, read_at DESC) w) AS balances
    FROM unnest($1::"Environment"[], $2::text[]) AS wanted (environment, network)
    JOIN chains c ON c.environment = wanted.environment AND c.network = wanted.network AND c.retired_at IS NULL`;
  const values = [specs.map(({ environment }) => environment), specs.map(({ network }) => network), clock.now()];
  const { rows } = await pool.query<Row>({ name: 'metrics_balances', text, values });
  const levels = await readWalletLevels({ pool, clock, config });
  const labelled = rows.map((row) => ({ row, labels: { environment: row.environment, network: row.network } }));
  return [
    {
      name: 'differences',
      help: 'Open discrepancies between the ledger and the chain.',
      samples: labelled.map(({ row, labels }) => ({ labels, value: row.differences })),
    },
    {
      name: 'reconciled_age_seconds',
      help: 'Seconds since the ledger was last compared with the chain without trouble.',
      samples: labelled.flatMap(({ row, labels }) => (row.age === null ? [] : [{ labels, value: row.age }])),
    },
    {
      name: 'refund_wallet_balance',
      help: 'Balance of the refund wallet at its last reading, in whole tokens or coins; `fee` is the coin for fees.',
      samples: labelled.flatMap(({ row, labels }) =>
        (row.balances ?? []).flatMap(({ asset, amount }) => {
          const spec = specs.find((one) => one.environment === row.environment && one.network === row.network);
          return spec ? [{ labels: { ...labels, asset }, value: wholes(amount, decimalsOf(spec, asset)) }] : [];
        }),
      ),
    },
    {
      name: 'refund_wallet_missing',
      help: 'Whole tokens to send to the refund wallet, which is below its low-water mark; 0 while it is not.',
      samples: levels.flatMap(({ spec: { environment, network }, currency, funds, missing }) =>
        // An unread wallet is not one that has enough.
        funds === null ? [] : [{ labels: { environment, network, asset: currency }, value: missing?.tokens ?? 0 }],
      ),
    },
  ];
}

const decimalsOf = ({ coin, tokens }: NetworkSpec, asset: string): number => tokens[asset]?.decimals ?? coin.decimals;
