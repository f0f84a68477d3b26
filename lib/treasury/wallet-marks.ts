// What the treasury wallets and the sponsors with water marks hold, and which of them are outside their marks. Reads what the worker has
// stored.

import { offers } from '@/lib/networks/registry';
import { walletMarks, type Marks } from '@/lib/networks/wallet-marks';
import type { Context } from '@/lib/platform/context';

/** Three readings of the treasury (lib/ledger/reconciliation/step). An older one says nothing about now. */
const READING_SECONDS = 900;

/** `amount`: smallest units; null without a recent reading. */
export type MarkReading = Marks & { readonly amount: bigint | null; readonly outside: 'low' | 'high' | null };

type Row = {
  readonly wallet: Marks['wallet'];
  readonly environment: string;
  readonly network: string;
  /** Null for the coin of the network. */
  readonly currency: string | null;
  readonly amount: string;
};

/** Of the networks that are followed, in the order of the settings. No statement without marks. */
export async function readMarks({
  pool,
  clock,
  config,
}: Pick<Context, 'pool' | 'clock' | 'config'>): Promise<readonly MarkReading[]> {
  const specs = offers(config).map(({ spec }) => spec);
  const marks = walletMarks(config).filter(({ spec }) => specs.includes(spec));
  if (marks.length === 0) return [];
  const { rows } = await pool.query<Row>({
    name: 'wallet-marks',
    text: `SELECT 'treasury' AS wallet, c.environment, c.network, b.currency, b.amount::text AS amount
           FROM treasury_balances b JOIN chains c ON c.id = b.chain_id AND c.retired_at IS NULL
           WHERE b.read_at > $1::timestamptz - interval '${READING_SECONDS} seconds'
           UNION ALL SELECT 'sponsor', environment, network, NULL, coin::text FROM sweep_states
           WHERE coin IS NOT NULL AND read_at > $1::timestamptz - interval '${READING_SECONDS} seconds'`,
    values: [clock.now()],
  });
  return marks.map((one) => {
    const { wallet, spec, asset } = one;
    const row = rows.find(
      ({ environment, network, currency, ...of }) =>
        of.wallet === wallet &&
        environment === spec.environment &&
        network === spec.network &&
        (currency === null || currency === asset),
    );
    const amount = row ? BigInt(row.amount) : null;
    return { ...one, amount, outside: outsideOf(one, amount) };
  });
}

function outsideOf({ low, high }: Marks, amount: bigint | null): MarkReading['outside'] {
  if (amount === null || (amount >= low && amount <= high)) return null;
  return amount < low ? 'low' : 'high';
}
