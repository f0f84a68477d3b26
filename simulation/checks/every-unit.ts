// Every base unit has a place and a way: it is kept as the price, or a payment exception holds it that somebody can decide
// about, and what one transfer brought is never sent back twice.

import { currencyOf, FINE, fineAmount } from '@/simulation/chain/units';
import type { SimulatedChain } from '@/simulation/chain/chain';
import { cents } from '@/simulation/story';
import { WALLET } from '@/simulation/parties';
import type { Snapshot } from '@/simulation/snapshot';
import type { World } from '@/simulation/world';
import type { Check } from './check';

type Transfer = Snapshot['transfers'][number];

const chainOf = ({ chains }: World, network: string): SimulatedChain | undefined =>
  chains.find((chain) => chain.network === network);

const fineOf = (world: World, { network, currency }: Transfer, amount: string): bigint => {
  const chain = chainOf(world, network);
  return chain ? fineAmount(chain, currency, BigInt(amount)) : 0n;
};

/**
 * When everything is quiet: a closed session keeps at most its price and dust, and one that is not completed keeps only dust.
 * All else is in payment exceptions.
 */
export const everyUnitHasAPlace: Check = ({ world, after, story }) =>
  after.sessions.flatMap(({ id, status, amount_due: due }) => {
    if (status === 'pending') return [];
    const own = after.transfers.filter(({ session_id }) => session_id === id);
    const [dust, whole] = [own.filter((one) => fineOf(world, one, one.amount) < FINE), own];
    const sum = (rows: readonly Transfer[]): bigint =>
      rows.reduce((total, one) => total + fineOf(world, one, one.amount), 0n);
    const excepted = after.exceptions
      .filter(({ session_id }) => session_id === id)
      .reduce((total, { transfer_id, amount, counted }) => {
        const transfer = own.find((one) => one.id === transfer_id);
        return transfer ? total + fineOf(world, transfer, String(BigInt(amount) - BigInt(counted))) : total;
      }, 0n);
    // An accepted payment is counted, also when its session was not completed by it.
    const accepted = after.exceptions.some(({ session_id, state }) => session_id === id && state === 'accepted');
    const price = status === 'completed' || accepted ? BigInt(due) * FINE : 0n;
    const kept = sum(whole) - excepted;
    // A surplus below a cent is no exception of its own.
    return kept > price + sum(dust) + FINE
      ? [
          `${story.name('session', id)} over ${cents(due)} is ${status} and keeps ${cents(kept / FINE)} without an exception`,
        ]
      : [];
  });

/** All that goes back for one transfer together are at most the transfer. */
export const transfersAreReturnedOnce: Check = ({ world, after, story }) => {
  const returned = new Map<string, bigint>();
  for (const chain of world.chains) {
    for (const { hash, payer, token, amount } of chain.transfers(chain.height())) {
      if (payer !== WALLET[chain.spec.family]) continue;
      const intent = after.attempts.find((one) => one.hash === hash)?.refund_id;
      const refund = after.refunds.find(({ id }) => id === intent);
      const exception = after.exceptions.find(({ id }) => id === refund?.case_id);
      if (!exception) continue;
      const fine = fineAmount(chain, currencyOf(chain, token), amount);
      returned.set(exception.transfer_id, (returned.get(exception.transfer_id) ?? 0n) + fine);
    }
  }
  return [...returned].flatMap(([id, sum]) => {
    const transfer = after.transfers.find((one) => one.id === id);
    const brought = transfer ? fineOf(world, transfer, transfer.amount) : 0n;
    return sum > brought
      ? [
          `${cents(sum / FINE)} went back for ${story.name('payment', transfer?.hash ?? id)} of ${cents(brought / FINE)}`,
        ]
      : [];
  });
};
