// A thousand payouts to new holders of USDT on a local Ethereum, each of another store: the worker's steps, the real signer and its journal.

import { openEvmSender } from '@/lib/networks/families/evm/sending/send';
import { systemClock } from '@/lib/platform/clock';
import { EVM_NETWORKS } from '@/sandbox/chains/evm/start';
import { startTestEvm } from '@/sandbox/chains/evm/test-chain';
import { silentLog } from '@/testing/chain-clock';
import type { TestDatabase } from '@/testing/database/database';
import { makeStore } from '@/testing/fixtures';
import { newAddress, openBatchChain } from '@/testing/payouts/batch-chain';
import { openPayoutScene } from '@/testing/payouts/payout-scene';
import { openRefundScene } from '@/testing/refunds/refund-scene';
import { batchRules } from '@/testing/signer/batch-scene';
import { accounts } from '@/testing/signer/signer-scene';

/** Cents of a payout, and base units. */
const [CENTS, AMOUNT] = [500n, 5_000_000n];
/** What a store has, in cents. */
const BALANCE = 100_000n;
/** Passes of the worker until the allowance of the contract is final, and until every payout must have ended. */
const [ALLOWANCE_PASSES, MOST_PASSES] = [4, 200];
const TIMEOUT = 5000;
const COIN = '0xde0b6b3a7640000';

export type Paid = { readonly seconds: number; readonly transactions: number; readonly gas: number };

/** Pays this many. `gas`: of each payee. The seconds begin when all of them are requested. */
export async function payPayouts(db: TestDatabase, count: number): Promise<Paid> {
  const row = EVM_NETWORKS.find(({ network }) => network === 'ethereum');
  const chain = await startTestEvm(row);
  try {
    const { spec } = chain;
    const on = openBatchChain(chain);
    const wallet = accounts.of('test', 'evm').address;
    await chain.pay({ currency: 'USDT', recipient: wallet, cents: BALANCE * BigInt(count), scenario: 'exact' });
    await on.rpc('anvil_setBalance', wallet, COIN);
    await chain.mine(spec.confirmations);
    const node = { urls: [chain.rpcUrl], needed: 1, timeoutMs: TIMEOUT };
    const sender = openEvmSender({ spec, ...node, clock: systemClock, log: silentLog() });
    const rules = batchRules();
    const refunds = await openRefundScene({ db, clock: systemClock, spec, sender, rules });
    const scene = openPayoutScene(refunds);
    const turn = async (): Promise<void> => {
      await scene.pass();
      await chain.mine(spec.confirmations);
    };
    for (let pass = 0; pass < ALLOWANCE_PASSES; pass++) await turn();
    const payees = [];
    for (let n = 0; n < count; n++) {
      const { storeId } = await makeStore(db, refunds.context.config);
      await scene.session('USDT', BALANCE, undefined, storeId);
      const payee = newAddress();
      await scene.address(payee, undefined, storeId);
      await scene.request({ amount: CENTS }, storeId);
      payees.push(payee);
    }
    const before = await on.used(wallet);
    const start = performance.now();
    await untilPaid(db, { count, turn });
    const seconds = (performance.now() - start) / 1000;
    for (const payee of payees)
      if ((await chain.balance(payee, 'USDT')) !== AMOUNT) throw new Error('a payee was not paid exactly once');
    const { rows } = await db.pool.query<{ hash: string }>(
      'SELECT DISTINCT transaction_hash AS hash FROM payouts WHERE transaction_hash IS NOT NULL',
    );
    let gas = 0n;
    for (const { hash } of rows) gas += BigInt((await on.receipt(hash))?.gasUsed ?? 0);
    // What the wallet sent in that time, so that a transaction without a payout counts too.
    return { seconds, transactions: (await on.used(wallet)) - before, gas: Number(gas) / count };
  } finally {
    await chain.stop();
  }
}

type Paying = { readonly count: number; readonly turn: () => Promise<void> };

async function untilPaid({ pool }: TestDatabase, { count, turn }: Paying): Promise<void> {
  const paid = async (): Promise<number> => {
    const { rows } = await pool.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM payouts WHERE status = 'completed'`,
    );
    return rows[0]?.count ?? 0;
  };
  for (let pass = 0; pass < MOST_PASSES; pass++) {
    if ((await paid()) === count) return;
    await turn();
  }
  throw new Error(`${await paid()} of ${count} payouts were paid after ${MOST_PASSES} passes`);
}
