// Takes energy back from deposit addresses that do not need it any more. Whom the sponsor lends to is read from the chain, so that no
// crash, no lapsed transaction and no restored database leaves energy lent. Addresses that are not ours are left alone.

import type { Candidate } from '@/lib/sweeps/rules';
import type { SweepHold } from '@/lib/sweeps/reasons';
import { isOwn } from './own-keys';
import type { TronRun } from './run';
import { startSweep } from './send';

/** How long energy may stay at an address whose transfer does not go. */
const UNUSED_SECONDS = 3600;
/** In one run. */
const MOST = 10;

/** Begins one transaction for each such address. Returns why one cannot go, or null. */
export async function takeBackEnergy(run: TronRun): Promise<SweepHold | null> {
  const { context, tron, wallets } = run;
  const now = context.clock.now().getTime();
  if (now < tron.known.lentReadAgainAt) return null;
  const addresses = await tron.chain.borrowers(wallets.active);
  const free = addresses.length === 0 ? [] : await readIdle(run, addresses);
  // While there is more to take back, or an address is about to use its energy, the next run looks again.
  if (addresses.length === 0) tron.known.lentReadAgainAt = now + tron.lasts;
  let hold: SweepHold | null = null;
  for (const one of free) {
    const balance = await tron.chain.lent(wallets.active, one.address);
    if (balance === 0n || !(await isOwn(run, one))) continue;
    const request = { kind: 'undelegate' as const, index: one.addressIndex, balance: balance.toString() };
    hold ??= await startSweep(run, { currency: one.currency, items: [one], sender: wallets.active, request });
  }
  return hold;
}

/** Those of the addresses that are in no sweep and have nothing to send soon, longest swept first. */
async function readIdle(
  { context, tron, chainId }: TronRun,
  addresses: readonly string[],
): Promise<readonly Candidate[]> {
  const now = context.clock.now();
  const [currency = ''] = Object.keys(tron.spec.tokens);
  const { rows } = await context.pool.query<Pick<Candidate, 'address' | 'addressIndex' | 'evmAddress' | 'sessionId'>>({
    name: 'sweep-tron-idle',
    text: `SELECT s.tron_address AS address, s.address_index AS "addressIndex", s.evm_address AS "evmAddress", s.id AS "sessionId"
           FROM sessions s LEFT JOIN LATERAL (SELECT max(i.ended_at) AS at FROM sweep_items i
             WHERE i.session_id = s.id AND i.chain_id = $2 AND i.address = s.tron_address AND i.reason = 'energy_lent') lent ON true
           WHERE s.tron_address = ANY($1) AND s.environment = $5::"Environment"
             AND NOT EXISTS (SELECT FROM sweep_items i WHERE i.chain_id = $2 AND i.address = s.tron_address AND i.ended_at IS NULL)
             AND NOT EXISTS (SELECT FROM deposit_balances d WHERE d.chain_id = $2 AND d.address = s.tron_address AND d.amount > 0
               AND (d.not_before IS NULL OR d.not_before <= $3) AND lent.at > $4)
           ORDER BY lent.at NULLS FIRST, s.address_index LIMIT ${MOST}`,
    values: [addresses, chainId, now, new Date(now.getTime() - UNUSED_SECONDS * 1000), tron.spec.environment],
  });
  const decimals = tron.spec.tokens[currency]?.decimals ?? 0;
  return rows.map((row) => ({
    ...row,
    factory: null,
    currency,
    decimals,
    amount: 0n,
    cents: 0n,
    since: now,
    readyAt: now,
    skips: 0,
  }));
}
