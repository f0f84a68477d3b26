// Tokens that leave deposit addresses of a watched chain, the step that books them, and what the ledger says then.

import { beforeEach } from 'vitest';
import { readWalletBalances } from '@/lib/ledger/balances';
import { checkBooks } from '@/lib/ledger/invariants/check';
import { readDiscrepancies } from '@/lib/ledger/reconciliation/discrepancies';
import { outflowStep } from '@/lib/ledger/reconciliation/outflows';
import type { SignerState } from '@/lib/signer/client';
import { transferLog } from '@/testing/evm/fake-evm-node';
import { DUE, usdt, useWatchedChain } from './watched-chain';

export const TREASURY = '0x52908400098527886e0f7030069857d2e4169ee7';
export const STRANGER = '0x8617e340b3d01fa5f11f306f4090fd50e238070d';
export const REFUND_WALLET = '0x00000000000000000000000000000000000000aa';

export type OutflowSigner = Parameters<typeof outflowStep>[1];

export function useOutflows() {
  const chain = useWatchedChain();
  const { run, mine, pay, node, session, pool, context } = chain;
  const frozen: string[] = [];
  beforeEach(() => void (frozen.length = 0));
  const addresses = { evm: REFUND_WALLET, tron: '', solana: '' };
  const signer = {
    freeze: async (reason: string) => void frozen.push(reason),
    state: async () => ({ wallets: { live: addresses, test: addresses } }) as unknown as SignerState,
  };

  /** Tokens leave a deposit address by the transaction `hash`. */
  const send = (from: string, to: string, amount = DUE, hash?: string) =>
    void node().mine([{ logs: [transferLog(usdt, from, to, amount)], ...(hash ? { hash } : {}) }]);

  /** `wallets`: as in TREASURY_WALLETS. */
  const bookWith = (wallets: readonly string[], by: OutflowSigner = signer) =>
    outflowStep({ TREASURY_WALLETS: [...wallets], TEST_CHAINS: 'local' }, by)(context());

  /** A paid session whose payment is final and credited. */
  async function paid() {
    await run();
    const { id, address } = await session();
    pay(address);
    mine(4);
    await run();
    return { id, address };
  }

  const balances = async () => {
    const found = await readWalletBalances(pool(), 'test', () => 6);
    const one = found.find(({ network, currency }) => network === 'ethereum' && currency === 'USDT');
    return {
      received: one?.received.baseUnits ?? 0n,
      treasury: one?.treasury.baseUnits ?? 0n,
      operator: one?.operator.baseUnits ?? 0n,
      refundWallet: one?.refundWallet.baseUnits ?? 0n,
    };
  };
  return {
    ...chain,
    ...{ frozen, signer, send, bookWith, paid, balances },
    book: () => bookWith([`ethereum@local=${TREASURY}`]),
    /** The violated invariants of the ledger. */
    broken: async () => (await checkBooks(pool())).filter(({ id, count }) => id.startsWith('INV-2') && count > 0),
    openDiscrepancies: async (address: string) =>
      (await readDiscrepancies({ pool: pool() }, { isOpenOnly: true })).filter((one) => one.address === address),
  };
}
