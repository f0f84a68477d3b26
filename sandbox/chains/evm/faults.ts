// What can go wrong on a local EVM chain on purpose.

import { toQuantity } from 'ethers';
import type { NetworkSpec } from '@/lib/networks/networks';
import type { Faults } from '../local-network';
import { PaymentRefused, tokenFor } from '../payment';
import type { Account, LocalChain } from './local-chain';
import type { Rpc } from './rpc';
import { blockAccount, type TokenKind } from './tokens';

type Parts = {
  readonly rpc: Rpc;
  readonly chain: LocalChain;
  readonly spec: NetworkSpec;
  readonly kinds: Readonly<Record<string, TokenKind>>;
  /** Owner of the tokens. */
  readonly issuer: Account;
  readonly sponsor: string | undefined;
  /** What the sponsor began with, in wei. */
  readonly coin: bigint;
};

export function evmFaults({ rpc, chain, spec, kinds, issuer, sponsor, coin }: Parts): Faults {
  return {
    setBlocked: ({ currency, address }, isBlocked) => {
      const { contract } = tokenFor(spec, currency);
      const kind = kinds[currency] as TokenKind;
      return blockAccount(chain, issuer, { contract, kind, account: address, isBlocked });
    },
    setSponsorEmpty: async (isEmpty) => {
      if (sponsor === undefined) throw new PaymentRefused(`no account pays for sweeps on ${spec.network}`);
      await rpc('anvil_setBalance', sponsor, toQuantity(isEmpty ? 0n : coin));
    },
    setEnergyGone: async () => {
      throw new PaymentRefused(`${spec.network} has no energy`);
    },
    setStopped: (isStopped) => chain.halt(isStopped),
  };
}
