// Reads what the cold wallet of a network holds, for the proof of reserves. What the operator moves from there is not in the ledger, so
// nothing is compared and nothing stops, as with the treasury wallet. Also tells operators when money of a given-up return may have arrived.

import type { BalanceReader } from '@/lib/networks/endpoints/balances-reader';
import type { FollowedChain } from '@/lib/networks/registry';
import { coldWallets, isSameChain } from '@/lib/networks/wallet-levels';
import { recordAudit } from '@/lib/merchants/audit/record';
import type { Context } from '@/lib/platform/context';
import type { Tx } from '@/lib/platform/database/db';
import type { Lease } from './rows';

export type ColdWalletRun = {
  readonly chain: FollowedChain;
  readonly lease: Pick<Lease, 'chainId'>;
  readonly reader: BalanceReader;
  /** Whether the endpoints still serve the chain of this run. */
  readonly isSameChain: () => Promise<boolean>;
};

/** Stores the balance of each token. A balance without enough agreement stays as it was, unless it is of another wallet. Throws a ChainError. */
export async function readColdWallet({ pool, clock, config }: Context, run: ColdWalletRun): Promise<void> {
  const { chain, lease, reader } = run;
  const wallet = coldWallets(config.COLD_WALLETS).find(({ spec }) => isSameChain(spec, chain.spec));
  await pool.query({
    name: 'cold-balance-forget',
    text: 'DELETE FROM cold_balances WHERE chain_id = $1 AND address IS DISTINCT FROM $2',
    values: [lease.chainId, wallet?.address ?? null],
  });
  if (!wallet || !(await run.isSameChain())) return;
  const { address } = wallet;
  for (const currency of Object.keys(chain.spec.tokens)) {
    const held = (await reader.tokens([{ address }], currency)).get(address);
    if (held === undefined) continue;
    await pool.query({
      name: 'cold-balance-keep',
      text: `INSERT INTO cold_balances (chain_id, currency, address, amount, block_number, read_at) VALUES ($1, $2, $3, $4, $5, $6)
             ON CONFLICT (chain_id, currency) DO UPDATE SET address = EXCLUDED.address, amount = EXCLUDED.amount,
               block_number = EXCLUDED.block_number, read_at = EXCLUDED.read_at`,
      values: [lease.chainId, currency, address, held.amount.toString(), held.through.number, clock.now()],
    });
  }
}

type Funding = {
  readonly chainId: number;
  /** The refund wallet, as it is stored. */
  readonly wallet: string;
  readonly currency: string;
  /** Base units that were booked as the operator's funding. */
  readonly amount: bigint;
  readonly now: Date;
};

/** Records in the audit log which given-up returns (lib/cold-storage/returns) this funding may be, each once, the oldest first. */
export async function noteGivenUp(tx: Tx, { chainId, wallet, currency, amount, now }: Funding): Promise<void> {
  const { rows } = await tx.query<{ target: string; network: string; amount: string; hash: string | null }>({
    name: 'cold-returns-given-up',
    text: `SELECT 'cold_return/' || id AS target, network, amount::text AS amount, transaction_hash AS hash FROM cold_returns r
           WHERE chain_id = $1 AND recipient = $2 AND currency = $3 AND outcome = 'given_up'
             AND NOT EXISTS (SELECT FROM audit_entries a WHERE a.action = '${ARRIVED}' AND a.target = 'cold_return/' || r.id)
           ORDER BY signed_at, position`,
    values: [chainId, wallet, currency],
  });
  let left = amount;
  for (const one of rows) {
    if (BigInt(one.amount) > left) continue;
    left -= BigInt(one.amount);
    const details = {
      network: one.network,
      currency,
      amount: one.amount,
      transactionHash: one.hash,
      booked: 'funding',
    };
    const entry = { actor: 'worker', storeId: null, action: ARRIVED, target: one.target };
    await recordAudit(tx, { ...entry, details, address: '', now });
  }
}

const ARRIVED = 'cold_return.may_have_arrived';
