// Schemas of java-tron's answers for sweeping. Its JSON omits fields that are zero.

import { z } from 'zod';
import { tronAddress } from '@/lib/networks/families/tron/address';
import { account, resources } from '@/lib/networks/families/tron/sending/shapes';

const integer = z.number().int().nonnegative();

/** The stakes of an account that it has not delegated, in sun. The one without a type is for bandwidth. */
export const stakedAccount = account.extend({
  frozenV2: z.array(z.object({ type: z.string().optional(), amount: integer.default(0) })).default([]),
});

/** With the network's daily energy, and all TRX that are staked for it. */
export const networkResources = resources.extend({
  TotalEnergyLimit: integer.default(0),
  TotalEnergyWeight: integer.default(0),
});

export const mostDelegated = z.object({ max_size: integer.default(0) });

/** The code that the network stores for a contract; an address without one has an empty answer. */
export const contractCode = z
  .object({
    runtimecode: z
      .string()
      .regex(/^(?:[0-9a-fA-F]{2})*$/)
      .default(''),
  })
  .transform(({ runtimecode }) => runtimecode.toLowerCase());

/** Sun that is lent for energy. */
export const delegations = z
  .object({ delegatedResource: z.array(z.object({ frozen_balance_for_energy: integer.default(0) })).default([]) })
  .transform(({ delegatedResource: all }) => all.reduce((sum, one) => sum + BigInt(one.frozen_balance_for_energy), 0n));

/** The accounts that borrow from an account. */
export const borrowers = z
  .object({ toAccounts: z.array(z.string().regex(/^41[0-9a-fA-F]{40}$/)).default([]) })
  .transform(({ toAccounts }) => toAccounts.map((hex) => tronAddress(hex.slice(2))));
