// What reached a session and the product could not know when it closed: an endpoint left out the payment, and a thief, or the operator
// with a tool of their own, moved it on before the balance of the deposit address was compared. Then neither the transfers nor the balance
// show it. It is found later, with what left the address, and waits for a decision as a late payment (docs/simulation.md).

import { fineAmount } from '@/simulation/chain/units';
import type { Snapshot } from '@/simulation/snapshot';
import { depositAddress, isOffered, type Terms } from '@/simulation/stores';
import type { World } from '@/simulation/world';
import { lossesOf } from './outflows';

/**
 * Fine units that left the session's addresses before it closed and that the product did not know of then. The comparison of balances
 * adds what it knows, so that a theft that was read hides nothing.
 */
export function takenUnseen(world: World, terms: Terms, { outflows, sessions }: Snapshot): bigint {
  const closed = sessions.find(({ id }) => id === terms.id)?.closed_at ?? null;
  if (closed === null) return 0n;
  const lied = new Set(world.endpoints.filter(({ hasLied }) => hasLied).map(({ chain }) => chain.network));
  const known = new Set(
    outflows.filter((one) => one.stored_at <= closed).map(({ network, hash }) => `${network} ${hash}`),
  );
  return world.chains
    .filter(({ network }) => lied.has(network))
    .flatMap((chain) =>
      [...lossesOf(world).values()]
        .filter(({ network, address }) => network === chain.network && address === depositAddress(terms, chain))
        .filter(({ network, currency }) => isOffered(terms, network, currency))
        .filter(({ network, hash, blockTime }) => blockTime * 1000 <= closed && !known.has(`${network} ${hash}`))
        .map(({ currency, amount }) => fineAmount(chain, currency, amount)),
    )
    .reduce((sum, amount) => sum + amount, 0n);
}
