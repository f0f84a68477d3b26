// What the world says about the refund wallet at one moment, by the chains and the records of people alone.

import { centOf } from '@/simulation/chain/units';
import { WALLET } from '@/simulation/parties';
import type { World } from '@/simulation/world';
import type { ColdLook } from './signed';

/** Base units of a token in the refund wallet after the newest final block, by the chain alone. */
export function walletBalance(
  { chains, firstFunds }: Pick<World, 'chains' | 'firstFunds'>,
  { network, currency }: { readonly network: string; readonly currency: string },
): bigint {
  const chain = chains.find((one) => one.network === network);
  if (!chain) return 0n;
  const [token, wallet] = [chain.spec.tokens[currency]?.contract, WALLET[chain.spec.family]];
  const first = (firstFunds.get(network) ?? 0n) * 100n * centOf(chain, currency);
  return chain
    .transfers(chain.final())
    .filter((one) => one.token === token)
    .reduce(
      (sum, one) => sum + (one.recipient === wallet ? one.amount : 0n) - (one.payer === wallet ? one.amount : 0n),
      first,
    );
}

export const coldLook =
  (world: World): ColdLook =>
  (of) => ({
    final: world.chains.find((one) => one.network === of.network)?.final() ?? 0,
    balance: walletBalance(world, of),
    refunds: [...world.refunds],
    payouts: [...world.records.payouts.requested],
  });
