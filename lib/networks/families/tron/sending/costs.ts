// The cost of a token transfer on TRON: simulated energy at the current price, bandwidth, and the share of both that the wallet
// has for free. Amounts in sun.

import { ChainError } from '@/lib/networks/chain';
import { SendHold } from '@/lib/networks/sending/send';
import { requestAddress } from '@/lib/networks/families/tron/address';
import type { TronNode } from '@/lib/networks/families/tron/node';
import { account, parameters, resources, type Resources } from './shapes';

/** The price of a unit of energy and of a byte of bandwidth. */
export type Prices = { readonly energy: bigint; readonly bandwidth: bigint };

/** A transfer that exceeds its fee limit fails and loses the whole limit, so the limit leaves room. It never exceeds the cap. */
const [MORE, OF] = [130n, 100n];
const MAX_FEE_LIMIT = 50_000_000n;
/**
 * Minimum energy, whatever an endpoint estimates and whatever the recipient holds. A transfer to an address without the token
 * takes twice as much as to one with some, and a payment that runs out of energy fails. Unused energy costs nothing.
 */
const LEAST_ENERGY = 135_000n;
/** Room for the sun that drafting adds to make intents distinct (send.ts, distinctFields). */
const ROOM = 1n << 17n;

export async function readPrices(node: TronNode): Promise<Prices> {
  const call = { side: 'wallet', api: 'getchainparameters', body: {}, shape: parameters } as const;
  const values = await node.client.request(call);
  const [energy, bandwidth] = [values.get('getEnergyFee') ?? 0, values.get('getTransactionFee') ?? 0];
  const usable = [energy, bandwidth].every((price) => Number.isSafeInteger(price) && price > 0);
  if (!usable) throw new ChainError('unavailable', `${node.name} does not report the prices of energy and bandwidth`);
  return { energy: BigInt(energy), bandwidth: BigInt(bandwidth) };
}

/** The fee limit for a transfer whose simulation took this much energy. Throws SendHold if it costs more than the cap. */
export function feeLimitOf(energy: number, prices: Prices): bigint {
  const cost = BigInt(energy) * prices.energy;
  if (cost === 0n) throw new ChainError('unavailable', 'the energy of the transfer could not be simulated');
  if (cost > MAX_FEE_LIMIT - ROOM) {
    throw new SendHold('fee_too_high', 'a transfer on tron costs more energy than is ever paid for; the payment waits');
  }
  const least = LEAST_ENERGY * prices.energy;
  const wanted = (cost * MORE) / OF;
  const limit = wanted > least ? wanted : least;
  return limit < MAX_FEE_LIMIT - ROOM ? limit : MAX_FEE_LIMIT - ROOM;
}

/** Throws SendHold if the wallet cannot pay what its stakes and free bandwidth do not cover. */
export async function checkFunds(
  node: TronNode,
  from: string,
  need: {
    readonly feeLimit: bigint;
    readonly bytes: number;
    /** Sun that is taken whatever the wallet has for free. */
    readonly extra: bigint;
    readonly prices: Prices;
  },
): Promise<void> {
  const body = { address: requestAddress(from) };
  const held = await node.client.request({ side: 'wallet', api: 'getaccount', body, shape: account });
  const has = await node.client.request({ side: 'wallet', api: 'getaccountresource', body, shape: resources });
  if (BigInt(held.balance) >= sunToBurn(has, need) + need.extra) return;
  throw new SendHold('no_fee_coin', 'the refund wallet has too little TRX for energy and bandwidth; the payment waits');
}

/** Sun that the transfer may burn: all energy that is not staked, and its bandwidth unless one share covers it whole. */
export function sunToBurn(
  has: Resources,
  { feeLimit, bytes, prices }: { feeLimit: bigint; bytes: number; prices: Prices },
): bigint {
  const staked = BigInt(Math.max(0, has.EnergyLimit - has.EnergyUsed)) * prices.energy;
  const energy = feeLimit > staked ? feeLimit - staked : 0n;
  const covered = has.NetLimit - has.NetUsed >= bytes || has.freeNetLimit - has.freeNetUsed >= bytes;
  return energy + (covered ? 0n : BigInt(bytes) * prices.bandwidth);
}
