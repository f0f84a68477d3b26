// What the chain and the people of a history say at one moment about the refund wallet.

import type { World } from '@/simulation/world';
import { walletBalance, type ColdLook } from './signed';

export const coldLook =
  (world: World): ColdLook =>
  (of) => ({
    final: world.chains.find((one) => one.network === of.network)?.final() ?? 0,
    balance: walletBalance(world, of),
    refunds: [...world.refunds],
    payouts: [...world.records.payouts.requested],
  });
