// Batches of payouts for tests of the signer: orders as an honest worker attests them, and their bytes, made by ethers and not by the
// code under test.

import fs from 'node:fs';
import path from 'node:path';
import { Interface, Transaction, type TransactionLike } from 'ethers';
import { PAYOUT_BATCH } from '@/lib/networks/families/evm/batching/payout-batch';
import { makeEvidence } from '@/lib/signer/attestations/refund-evidence';
import { FreezeFiles } from '@/lib/signer/freeze';
import { Journal } from '@/lib/signer/journal/journal';
import { BatchSigner } from '@/lib/signer/batches/batch-signer';
import { batchTokensOf } from '@/lib/signer/batches/policy';
import { SignerJournal } from '@/lib/signer/journal/signer-journal';
import type { BatchParams, RefundOrder } from '@/lib/signer/orders';
import type { Policy } from '@/lib/signer/policy';
import { RefundSigner } from '@/lib/signer/refund-signer';
import { refundAccounts, refundAddresses, type RefundAccounts } from '@/lib/treasury/wallets/derivation-refund';
import { seed } from '@/testing/refunds/deposit-keys';
import { accounts, evidenceKey, localSpec, partsOf, policy, START } from './signer-scene';

const contract = new Interface(['function pay(address token, uint256 gasEach, uint256[] items)']);
export const spec = localSpec('ethereum');
const USDT = spec.tokens.USDT?.contract ?? '';
export const payee = (n: number): string => `0x${String(n + 1).padStart(40, '1')}`;
const CENT = 10_000n;

type Changes = Partial<Pick<RefundOrder, 'intentId' | 'to' | 'currency' | 'contract' | 'network' | 'amount'>> & {
  store?: string;
  mostCents?: bigint;
  kind?: 'payout' | 'payer' | 'cold';
};

/** An order for a payout of 5.00 USDT, each to another payee of another store. */
export function payoutOrder(n: number, changes: Changes = {}): RefundOrder {
  const { store = `store_${n}`, mostCents = 1_000n, kind = 'payout', ...over } = changes;
  const to = over.to ?? payee(n);
  const network = over.network ?? 'ethereum';
  const currency = over.currency ?? 'USDT';
  const evidence = makeEvidence(evidenceKey, 'test', {
    ...{ kind, session: `payouts:${store}/${network}/${currency}`, network, address: to },
    ...{ reference: `address_${n}`, mostCents: String(mostCents) },
  });
  const given = { intentId: `po_${n}`, environment: 'test', network, currency, contract: USDT, to } as const;
  return { ...given, amount: String(500n * CENT), ...over, evidence };
}

export const payoutOrders = (count: number, from = 0): RefundOrder[] =>
  Array.from({ length: count }, (_, n) => payoutOrder(from + n));

const packed = ({ to, amount }: Pick<RefundOrder, 'to' | 'amount'>): bigint => (BigInt(amount) << 160n) | BigInt(to);
export const batchCall = (orders: readonly Pick<RefundOrder, 'to' | 'amount'>[], token = USDT): string =>
  contract.encodeFunctionData('pay', [token, 126_000n, orders.map(packed)]);

/** The request to sign a batch. `paid`: what its bytes pay, where that is something else than the orders. */
export const batchOf = (
  orders: readonly RefundOrder[],
  changes: TransactionLike & { token?: string; paid?: readonly Pick<RefundOrder, 'to' | 'amount'>[] } = {},
): BatchParams => {
  const { token, paid, ...over } = changes;
  return {
    orders: [...orders],
    from: accounts.of('test', 'evm').address,
    unsigned: Transaction.from({
      ...{ chainId: spec.chainId, type: 2, nonce: 0, gasLimit: 1_000_000n },
      ...{ maxFeePerGas: 3_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n },
      ...{ to: PAYOUT_BATCH, data: batchCall(paid ?? orders, token) },
      ...over,
    }).unsignedSerialized,
  };
};

/** Rules of a signer that signs batches of both tokens on the local Ethereum. */
export const batchRules = (changes: Partial<Policy> = {}, tokens = 500_000): Partial<Policy> => ({
  batches: batchTokensOf(`ethereum@local/USDT=${tokens},ethereum@local/USDC=${tokens}`),
  ...changes,
});

export type BatchScene = ReturnType<typeof openBatchScene>;

type Reopened = { readonly segmentBytes?: number; readonly policy?: Policy; readonly accounts?: RefundAccounts };

/** A signer of single payments and of batches on one new journal. */
export function openBatchScene(directory: string, changes: Partial<Policy> = {}) {
  const journalFile = path.join(fs.mkdtempSync(path.join(directory, 'scene-')), 'keystore.json.journal');
  const time = { now: START };
  const parts = {
    ...partsOf(journalFile, time),
    policy: { ...policy(), batches: batchTokensOf('ethereum@local/USDT=50000'), ...changes },
    isNewWallet: true,
  };
  const open = (isNewWallet: boolean, over: Reopened = {}) => {
    const given = { ...parts, accounts: refundAccounts(seed), ...over, isNewWallet };
    const journal = new SignerJournal(given);
    journal.noteWallets({ now: refundAddresses(given.accounts), ofSeed: refundAddresses(refundAccounts(seed)) });
    return { refunds: new RefundSigner(given, journal), batches: new BatchSigner(given, journal) };
  };
  const scene = {
    ...{ time, journalFile },
    ...open(true),
    restart(over: Reopened = {}): void {
      scene.refunds.close();
      Object.assign(scene, open(false, over));
    },
    /** As a person does at the signer's terminal. */
    unfreeze(): void {
      const { head } = Journal.read(journalFile, parts.journalKey, () => {});
      new FreezeFiles(journalFile, parts.journalKey).writeTicket(head);
    },
  };
  return scene;
}
