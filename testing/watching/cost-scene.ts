// Stores that bear the network cost of their refunds, with the real database, ledger and signer. The test decides the
// outcome of a transaction on the chain and its network fee.

import { beforeEach } from 'vitest';
import type { ChainSender, AttemptOutcome } from '@/lib/networks/sending/send';
import type { Clock } from '@/lib/platform/clock';
import { checkBooks } from '@/lib/ledger/invariants/check';
import { cancelRefundByStore, createRefundByStore } from '@/lib/refunds/request/by-store';
import type { TestDatabase } from '@/testing/database/database';
import { refundRequest } from '@/testing/refunds/refund-caller';
import { openRefundScene, type RefundScene } from '@/testing/refunds/refund-scene';
import { landed, scriptedSender } from '@/testing/refunds/scripted-sender';
import { localSpec, PAYERS } from '@/testing/signer/signer-scene';

const evm = localSpec('ethereum');

/** The most that a refund costs: 90,000 gas at 2 gwei are at most 0.00018 ETH, 45 cents at 2,500 dollars. */
export const QUOTE = 45n;
/** What it cost on the chain: 0.00004 ETH, 10 cents. */
export const FEE = 40_000n * 10n ** 9n;

/** The chain's state: the outcome of a transaction, if any, the fault of drafts, and the number of requested drafts. */
type CostChain = { outcome: ((hash: string) => AttemptOutcome) | null; obstacle: Error | null; drafts: number };

/** A final transaction with this fee in wei; undefined: no endpoint reports it. */
export const landedFor = (hash: string, fee?: bigint): AttemptOutcome => ({
  ...landed(hash),
  ...(fee === undefined ? {} : { fee }),
});

/** The last stored dollar price of one ether; null: none was ever stored. */
const setEtherPrice = ({ pool }: TestDatabase, price: string | null): Promise<unknown> =>
  price === null
    ? pool.query('DELETE FROM coin_prices')
    : pool.query(
        `INSERT INTO coin_prices (coin, price, agreed_at) VALUES ('ETH', $1, '2020-01-01')
         ON CONFLICT (coin) DO UPDATE SET price = EXCLUDED.price`,
        [price],
      );

/** The scenes of a test file. Each test has a new hour, a chain without outcomes, and ether at 2,500 dollars. */
export function useCostScenes(db: () => TestDatabase) {
  const time = { now: Date.parse('2026-11-22T12:00:00Z') };
  const clock = { now: () => new Date(time.now) };
  const chain: CostChain = { outcome: null, obstacle: null, drafts: 0 };
  const setPrice = (price: string | null) => setEtherPrice(db(), price);
  beforeEach(async () => {
    Object.assign(chain, { outcome: null, obstacle: null });
    time.now += 3_600_000;
    await setPrice('2500');
  });
  const open = (of: Parameters<typeof openCostScene>[1] = {}) => openCostScene({ db: db(), clock, chain }, of);
  return { time, clock, chain, setPrice, open };
}

/** Violated invariants of the ledger and of refunds. */
export const brokenBooks = async ({ pool }: TestDatabase) =>
  (await checkBooks(pool)).filter(({ id, count }) => count > 0 && /^INV-(2|3|4|5c)/.test(id));

/** A store with a session over `cents`, whose refunds it bears the cost of. */
async function openCostScene(
  { db, clock, chain }: { readonly db: TestDatabase; readonly clock: Clock; readonly chain: CostChain },
  { cents = 1000, currency = 'USDT', bearer = 'store' } = {},
) {
  const scene: RefundScene = await openRefundScene({
    db,
    clock,
    spec: evm,
    sender: scripted(chain, () => scene),
    settings: { REFUND_COSTS_TEST: bearer },
  });
  const { context, storeId } = scene;
  const side = { storeId, environment: 'test' as const, record: async () => {} };
  const pay = (more: number, token = 'USDT'): Promise<string> => scene.session(token, BigInt(more));
  const session_id = await pay(cents, currency);
  return {
    ...scene,
    session_id,
    pay,
    async create(refund_id: string, amount: number, over: { currency?: string; session_id?: string } = {}) {
      const { id } = await createRefundByStore(
        context,
        side,
        refundRequest({ session_id, amount, refund_id, ...over }),
      );
      scene.destinations.set(id, PAYERS.evm);
      return id;
    },
    cancel: (refund_id: string) => cancelRefundByStore(context, side, refund_id),
    /** Cents that are owed, by kind of account and token, the operator's recovered costs of this store among them. */
    async books() {
      const { rows } = await db.pool.query<{ name: string; cents: string }>(
        `SELECT split_part(p.account, ':', 1) || ' ' || p.currency AS name, trunc(-sum(p.amount) / 10000)::text AS cents
         FROM ledger_postings p JOIN ledger_entries e ON e.id = p.entry_id
         WHERE e.store_id = $1 AND p.account NOT IN ('received', 'refund_wallet', 'operator')
         GROUP BY 1 HAVING sum(p.amount) <> 0 ORDER BY 1`,
        [storeId],
      );
      return Object.fromEntries(rows.map(({ name, cents: owed }) => [name, Number(owed)]));
    },
  };
}

const scripted = (chain: CostChain, scene: () => RefundScene): ChainSender => {
  const sender = scriptedSender({ spec: evm, scene, outcome: (hash) => chain.outcome?.(hash) ?? { kind: 'waiting' } });
  return {
    ...sender,
    async draft(...given) {
      chain.drafts++;
      if (chain.obstacle) throw chain.obstacle;
      return sender.draft(...given);
    },
  };
};
