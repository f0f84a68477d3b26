// What left deposit addresses, computed from the simulated chains alone, compared with what the product stored and booked.

import type { ChainTransfer, SimulatedChain } from '@/simulation/chain/chain';
import { currencyOf } from '@/simulation/chain/units';
import { treasuryOf } from '@/simulation/cold/settings';
import { depositAddress } from '@/simulation/stores';
import type { World } from '@/simulation/world';
import type { Check, Checked } from './check';

export type Loss = {
  readonly network: string;
  readonly hash: string;
  readonly address: string;
  readonly currency: string;
  readonly amount: bigint;
  /** Unix seconds. */
  readonly blockTime: number;
  readonly blockNumber: number;
};

const keyOf = ({ network, hash, address, currency }: Pick<Loss, 'network' | 'hash' | 'address' | 'currency'>): string =>
  [network, hash, address, currency].join(' ');

/** What each deposit address lost by each final transaction. */
export function lossesOf({ chains, sessions }: Pick<World, 'chains' | 'sessions'>): ReadonlyMap<string, Loss> {
  const losses = new Map<string, Loss>();
  for (const chain of chains) {
    const addresses = new Set(sessions.map((terms) => depositAddress(terms, chain)));
    const add = ({ hash, token, blockTime, blockNumber }: ChainTransfer, address: string, amount: bigint): void => {
      if (!addresses.has(address)) return;
      const place = { network: chain.network, hash, address, currency: currencyOf(chain, token) };
      losses.set(keyOf(place), {
        ...place,
        blockTime,
        blockNumber,
        amount: (losses.get(keyOf(place))?.amount ?? 0n) + amount,
      });
    };
    for (const one of chain.transfers(chain.final())) {
      add(one, one.payer, one.amount);
      add(one, one.recipient, -one.amount);
    }
  }
  return new Map([...losses].filter(([, { amount }]) => amount > 0n));
}

/** Those that the product has not stored. */
export function unstoredLosses({ world, after }: Pick<Checked, 'world' | 'after'>): readonly Loss[] {
  const stored = new Set(after.outflows.map(({ payer: address, ...one }) => keyOf({ ...one, address })));
  return [...lossesOf(world)].filter(([key]) => !stored.has(key)).map(([, loss]) => loss);
}

const isKnown = (chain: SimulatedChain | undefined, world: World, address: string): boolean =>
  chain !== undefined && world.sessions.some((terms) => depositAddress(terms, chain) === address);

/** Every stored transfer out of a deposit address is on the chain, with what the address lost. */
export const outflowsAreReal: Check = ({ world, after }) => {
  const losses = lossesOf(world);
  const stored = new Map<string, bigint>();
  for (const { payer: address, amount, ...one } of after.outflows) {
    if (
      !isKnown(
        world.chains.find(({ network }) => network === one.network),
        world,
        address,
      )
    )
      continue;
    const key = keyOf({ ...one, address });
    stored.set(key, (stored.get(key) ?? 0n) + BigInt(amount));
  }
  return [...stored].flatMap(([key, amount]) => {
    const real = losses.get(key)?.amount ?? 0n;
    return amount === real
      ? []
      : [`what left a deposit address (${key}) is stored as ${amount}, the chain says ${real}`];
  });
};

/** Whatever left a deposit address is stored and in the ledger, and only what went to the treasury was booked without a report. */
export const everyOutflowIsBooked: Check = ({ world, after }) => {
  const treasuries = new Set(Object.values(treasuryOf(world.harness.signer.settings.cold)));
  const places = new Set(after.outflows.map(({ payer: address, ...one }) => keyOf({ ...one, address })));
  return [
    ...[...lossesOf(world)].flatMap(([key]) =>
      places.has(key) ? [] : [`what left a deposit address (${key}) is not stored`],
    ),
    ...after.outflows
      .filter((one) => !one.is_booked)
      .map(({ hash }) => `what ${hash} took from a deposit address is not booked`),
    ...after.outflows
      .filter((one) => one.is_reported === treasuries.has(one.recipient))
      .map(({ hash, is_reported: isReported }) =>
        isReported
          ? `the sweep ${hash} was reported as unexplained`
          : `what ${hash} took from a deposit address was not reported`,
      ),
  ];
};
