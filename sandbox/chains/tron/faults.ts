// What can go wrong on the local TRON chain on purpose.

import type { Faults } from '../local-network';
import { PaymentRefused } from '../payment';
import type { TronChain } from './chain';
import type { TronPayer } from './pay';
import { resourceOf } from './resources';

/** Used energy comes back evenly over a day. So many times the stake keep it used up for more than 21 hours. */
const USED_TIMES = 10;

type Parts = {
  readonly chain: TronChain;
  readonly payer: TronPayer;
  /** As hex. */
  readonly sponsor: string | null;
  /** What the sponsor began with, in sun. */
  readonly coin: bigint;
  /** As hex. */
  readonly refundWallet: string | null;
  readonly refundCoin: bigint;
  readonly setStopped: (isStopped: boolean) => void;
};

export function tronFaults({ chain, payer, sponsor, coin, setStopped, ...own }: Parts): Faults {
  const withSponsor = (change: (address: string) => void): Promise<void> =>
    chain.exclusively(() => {
      if (sponsor === null) throw new PaymentRefused('no account pays for sweeps on tron');
      change(sponsor);
    });
  return {
    setBlocked: (account, isBlocked) => payer.setBlocked(account, isBlocked),
    setSponsorEmpty: (isEmpty) =>
      withSponsor((address) => chain.state.update(address, { balance: isEmpty ? 0n : coin })),
    setEnergyGone: (isGone) =>
      withSponsor((address) => {
        const account = chain.state.account(address);
        const amount = isGone ? USED_TIMES * resourceOf(account.stakes.ENERGY.own, 'ENERGY') : 0;
        chain.state.update(address, { used: { ...account.used, ENERGY: { amount, at: chain.state.time } } });
      }),
    setStopped: async (isStopped) => setStopped(isStopped),
    setFeesEmpty: (isEmpty) =>
      chain.exclusively(() => {
        if (own.refundWallet === null) throw new PaymentRefused('this sandbox has no refund wallet');
        chain.state.update(own.refundWallet, { balance: isEmpty ? 0n : own.refundCoin });
      }),
    setRobbed: async () => {
      throw new PaymentRefused('no thief is on tron');
    },
  };
}
