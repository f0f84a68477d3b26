// What can go wrong on a local EVM chain on purpose.

import { Interface, toQuantity, Wallet } from 'ethers';
import { centsToBaseUnits } from '@/lib/money/amounts';
import type { NetworkSpec } from '@/lib/networks/networks';
import type { Faults } from '../local-network';
import { PaymentRefused, tokenFor } from '../payment';
import type { Account, LocalChain } from './local-chain';
import type { Rpc } from './rpc';
import { blockAccount, mintToken, type TokenKind } from './tokens';

type Parts = {
  readonly rpc: Rpc;
  readonly chain: LocalChain;
  readonly spec: NetworkSpec;
  readonly kinds: Readonly<Record<string, TokenKind>>;
  /** Owner of the tokens. */
  readonly issuer: Account;
  readonly sponsor: string | undefined;
  readonly refundWallet: string | undefined;
  /** What the sponsor and the refund wallet began with, in wei. */
  readonly coin: bigint;
};

/** What the thief takes, in cents, of which token. */
const [STOLEN_CENTS, STOLEN] = [100_000n, 'USDT'] as const;
/** Above the base fee of every local chain. */
const GAS_PRICE = 100n * 10n ** 9n;
const token = new Interface(['function transfer(address to, uint256 value)']);

export function evmFaults(parts: Parts): Faults {
  const { rpc, chain, spec, kinds, issuer, sponsor, coin } = parts;
  const refundWallet = (): string => {
    if (parts.refundWallet === undefined) throw new PaymentRefused('this sandbox has no refund wallet');
    return parts.refundWallet;
  };
  let robbed = false;
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
    setFeesEmpty: async (isEmpty) => {
      await rpc('anvil_setBalance', refundWallet(), toQuantity(isEmpty ? 0n : coin));
    },
    setRobbed: async (isRobbed) => {
      if (isRobbed === robbed) return;
      const { contract, decimals } = tokenFor(spec, STOLEN);
      const amount = centsToBaseUnits(STOLEN_CENTS, decimals);
      if (isRobbed) await steal(rpc, { contract, amount, from: refundWallet() });
      else await mintToken(chain, issuer, { contract, holder: refundWallet(), amount });
      robbed = isRobbed;
    },
  };
}

type Theft = { readonly contract: string; readonly amount: bigint; readonly from: string };

/** A transaction of the wallet itself, as by its key, which only the signer has. */
async function steal(rpc: Rpc, { contract, amount, from }: Theft): Promise<void> {
  const data = token.encodeFunctionData('transfer', [Wallet.createRandom().address, amount]);
  await rpc('anvil_impersonateAccount', from);
  try {
    await rpc('eth_sendTransaction', { from, to: contract, data, gasPrice: toQuantity(GAS_PRICE) });
  } finally {
    await rpc('anvil_stopImpersonatingAccount', from);
  }
}
