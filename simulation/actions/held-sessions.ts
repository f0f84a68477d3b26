// What operators do about a deposit address that holds another amount than was stored (docs/operate.md, "Isolation and quarantine"): they look at an
// explorer, and have the worker read the address again.

import { orderScan } from '@/lib/ledger/reconciliation/balances/scan-command';
import { readSnapshot } from '@/simulation/snapshot';
import type { World } from '@/simulation/world';
import { attempt } from './attempt';
import type { Action } from './action';

/** Orders a scan for each address that holds more or less than its stored transfers. Returns how many. */
export async function scanHeld(world: World): Promise<number> {
  const { harness, clock, chains, sessions } = world;
  const known = new Set(sessions.flatMap(({ addresses }) => Object.values(addresses)));
  const { discrepancies } = await readSnapshot(harness.database.pool);
  const held = discrepancies.filter(
    ({ address, network, expected, found }) =>
      known.has(address) && BigInt(found) !== BigInt(expected) && chains.some((one) => one.network === network),
  );
  for (const { address, network } of held) {
    await attempt(world, () => orderScan(harness.pool.pool, clock, { address, network, from: 1, to: null }));
  }
  return held.length;
}

export const HELD_SESSION_ACTIONS: readonly Action[] = [
  {
    name: 'an address is read again',
    weight: 2,
    act: async ({ world }) => {
      const count = await scanHeld(world);
      return count > 0 ? `An operator has ${count} addresses read again` : null;
    },
  },
];
