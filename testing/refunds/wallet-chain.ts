// A TRON network on which two endpoints report the refund wallet's transactions, for tests of the gate before its
// refunds (lib/refunds/wallet-check/check.ts). The drafts are real and the signer signs them.

import type { ChainSender, AttemptOutcome, OwnTransaction, OwnTransactionQuery } from '@/lib/networks/sending/send';
import { ChainError } from '@/lib/networks/chain';
import { writeTronDraft } from '@/lib/networks/families/tron/sending/write-draft';
import { latestOf } from '@/lib/networks/sending/verdict';
import type { Clock } from '@/lib/platform/clock';
import type { TestDatabase } from '@/testing/database/database';
import { localSpec } from '@/testing/signer/signer-scene';
import { openRefundScene } from './refund-scene';

const atFirst = () => ({
  /** What the wallet signed, as the first endpoint reports it. */
  signed: [] as OwnTransaction[],
  /** The second endpoint's report; null: the same. */
  second: null as OwnTransaction[] | null,
  /** The time from which each endpoint keeps transactions. */
  kept: [0, 0],
  /** Time of the newest final block at each endpoint; null: now. */
  through: [null, null] as (number | null)[],
  /** The outcomes of payments, by hash. */
  outcomes: new Map<string, AttemptOutcome>(),
  isDown: false,
  requests: [] as OwnTransactionQuery[],
  /** Time of the newest block at each endpoint; null: now. */
  newest: [null, null] as (number | null)[],
  /** Runs while a payment is drafted. */
  drafting: (): void => {},
  /** Runs while an endpoint responds. */
  meanwhile: async (): Promise<void> => {},
});

type Scene = { readonly db: TestDatabase; readonly clock: Clock; readonly sender: ChainSender };

/** Refunds on this network. Signatures of a machine that was restored may land on any chain except a local one. */
export async function openWalletScene({ db, clock, sender }: Scene, chain: 'local' | 'testnet' = 'local') {
  const scene = await openRefundScene({ db, clock, spec: { ...localSpec('tron'), chain }, sender });
  // The scene's chain is dated later than the clock.
  await db.pool.query('UPDATE chains SET final_time = $2 WHERE id = $1', [scene.chainId, clock.now()]);
  return scene;
}

export function openWalletChain(clock: Clock) {
  const chain = { ...atFirst(), reset: () => void Object.assign(chain, atFirst()) };
  let drafts = 0;
  const sender: ChainSender = {
    async draft({ intentId, contract, to, amount }, owner) {
      const now = clock.now().getTime();
      const block = { refBlockBytes: '5313', refBlockHash: '46a60be20a563ff1' };
      // Two identical payments would be one transaction.
      const life = { expiration: now + 300_000, timestamp: now - drafts++, feeLimit: 30_000_000n };
      chain.drafting();
      return writeTronDraft({ owner, contract, to, amount, ...block, ...life }, intentId);
    },
    nextNonce: () => Promise.reject(new Error('TRON has no nonces')),
    async unknownTransactions(_, query) {
      if (chain.isDown) throw new ChainError('unavailable', 'endpoint 1 does not answer');
      chain.requests.push(query);
      await chain.meanwhile();
      const ours = await query.known(chain.signed.flatMap(({ hash }) => hash ?? []));
      const votes = [chain.signed, chain.second ?? chain.signed].map((signed, index) => ({
        endpoint: `endpoint ${index + 1}`,
        unknown: signed.filter((one) => one.time >= query.since && (one.hash === null || !ours.has(one.hash))),
        from: Math.max(query.since, chain.kept[index] ?? 0),
        through: chain.through[index] ?? Math.floor(clock.now().getTime() / 1000),
      }));
      return { votes, needed: 2 };
    },
    newestTime: async () => {
      const now = Math.floor(clock.now().getTime() / 1000);
      const votes = chain.newest.map((time, index) => ({ endpoint: `endpoint ${index + 1}`, time: time ?? now }));
      return latestOf(votes, 2);
    },
    broadcast: async () => 'accepted',
    outcome: async ({ hash }) => chain.outcomes.get(hash) ?? { kind: 'waiting' },
    kindOf: async () => 'wallet',
  };
  return { chain, sender };
}
