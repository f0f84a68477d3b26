// What is left of the signer's fee budget of the hour, by the signer's own count. The worker stores no sweep that the signer would refuse:
// it would plan the same one again in each run.

import { ACTIVATION, LEAST_SHARE, SUN_PER_BYTE, type TronSweepOrder } from '@/lib/signer/client';
import type { TronRun } from './run';

/** No transaction of a single address has more bytes. */
const MOST_BYTES = 400n;

/** Sun. */
export const leftOf = ({ wallets }: TronRun): bigint => BigInt(wallets.feesPerHour) - BigInt(wallets.feesLastHour);

/** What the signer counts at least, whatever a transaction costs, in sun. */
export const leastCounted = ({ tron }: TronRun): bigint => tron.spec.feeCap / LEAST_SHARE;

/** Whether the budget covers a transaction of a single address. `feeLimit`: sun for its energy. */
export function isInBudget(
  run: TronRun,
  request: Exclude<TronSweepOrder, { kind: 'flush' }>,
  feeLimit: bigint,
): boolean {
  const cost = feeLimit + coinOf(request) + MOST_BYTES * SUN_PER_BYTE;
  const least = leastCounted(run);
  return (cost > least ? cost : least) <= leftOf(run);
}

/** Sun that the sponsor sends, and what the network takes for the account that it may create. */
function coinOf(request: Exclude<TronSweepOrder, { kind: 'flush' }>): bigint {
  if (request.kind === 'activate') return ACTIVATION;
  return request.kind === 'top_up' ? BigInt(request.amount) + ACTIVATION : 0n;
}
