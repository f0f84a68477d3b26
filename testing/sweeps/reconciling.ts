// The comparison of the refund wallet with its chain, for scenes of sweeps into that wallet.

import { readWalletBalances } from '@/lib/ledger/balances';
import { readDiscrepancies } from '@/lib/ledger/reconciliation/discrepancies';
import { reconcileWith } from '@/lib/ledger/reconciliation/step';
import { openBalanceReader } from '@/lib/networks/families/clients';
import type { FollowedChain } from '@/lib/networks/registry';
import { systemClock } from '@/lib/platform/clock';
import type { Context } from '@/lib/platform/context';
import type { SignerClient } from '@/lib/signer/client';
import type { Sweeping } from '@/lib/sweeps/context';
import { silentLog } from '@/testing/chain-clock';

type Reconciling = {
  readonly context: Context;
  readonly sweeping: Sweeping;
  readonly url: string;
  readonly signer: Pick<SignerClient, 'state'>;
  /** What was frozen, and why. */
  readonly frozen: string[];
  readonly later: (seconds: number) => void;
  /** Makes further blocks, so that each comparison reads a later one. */
  readonly mine: () => Promise<unknown> | void;
};

/** Longer than the pause between two comparisons. */
const PAUSE_SECONDS = 400;

export function openReconciling(given: Reconciling) {
  const { context, sweeping, url, signer, frozen, later, mine } = given;
  const { spec, genesis } = sweeping;
  const reader = openBalanceReader({
    ...{ spec, urls: [url], needed: 1, clock: systemClock, log: silentLog(), timeoutMs: 5000 },
  });
  const adapter = { genesis } as FollowedChain['adapter'];
  const step = reconcileWith(
    { environment: 'test', network: spec.network, spec, adapter },
    { reader, signer: { ...signer, freeze: async (reason) => void frozen.push(reason) } },
  );
  const TREASURY_WALLETS = [`${spec.network}@local=refund-wallet`];
  return {
    /** Several comparisons, each at a later block. The watcher does not run meanwhile. */
    async reconcile(times = 3) {
      for (let left = times; left > 0; left--) {
        later(PAUSE_SECONDS);
        await mine();
        await step({ ...context, config: { ...context.config, TREASURY_WALLETS } });
      }
    },
    async books(currency = 'USDT') {
      const found = await readWalletBalances(context.pool, 'test', () => spec.tokens[currency]!.decimals);
      const one = found.find((row) => row.network === spec.network && row.currency === currency);
      return {
        received: one?.received.baseUnits ?? 0n,
        treasury: one?.treasury.baseUnits ?? 0n,
        refundWallet: one?.refundWallet.baseUnits ?? 0n,
        operator: one?.operator.baseUnits ?? 0n,
      };
    },
    open: () => readDiscrepancies(context, { isOpenOnly: true }),
  };
}
