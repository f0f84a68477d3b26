// What can go wrong on the local Solana chain on purpose.

import type { Address } from '@solana/kit';
import type { Faults } from '../local-network';
import { PaymentRefused } from '../payment';
import type { SolanaNode } from './node';
import type { SolanaPayer } from './payer';

type Parts = {
  readonly node: SolanaNode;
  readonly payer: SolanaPayer;
  readonly sponsor: string | undefined;
  /** What the sponsor began with. */
  readonly lamports: bigint;
  readonly refundWallet: string | undefined;
  readonly refundLamports: bigint;
};

export function solanaFaults({ node, payer, sponsor, lamports, refundWallet, refundLamports }: Parts): Faults {
  return {
    setBlocked: (account, isBlocked) => payer.setBlocked(account, isBlocked),
    setSponsorEmpty: async (isEmpty) => {
      if (sponsor === undefined) throw new PaymentRefused('no account pays for sweeps on solana');
      node.bank.setCoin(sponsor as Address, isEmpty ? 0n : lamports);
    },
    setEnergyGone: async () => {
      throw new PaymentRefused('solana has no energy');
    },
    setStopped: async (isStopped) => {
      payer.isHalted = isStopped;
      node.halt(isStopped);
    },
    setFeesEmpty: async (isEmpty) => {
      if (refundWallet === undefined) throw new PaymentRefused('this sandbox has no refund wallet');
      node.bank.setCoin(refundWallet as Address, isEmpty ? 0n : refundLamports);
    },
    setRobbed: async () => {
      throw new PaymentRefused('no thief is on solana');
    },
  };
}
