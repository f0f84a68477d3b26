// A local Ethereum on which the real signer pays payouts in batches: what tests of batches beside other things of the wallet share.

import { systemClock } from '@/lib/platform/clock';
import { openEvmSender } from '@/lib/networks/families/evm/sending/send';
import { EVM_NETWORKS } from '@/sandbox/chains/evm/start';
import { startTestEvm } from '@/sandbox/chains/evm/test-chain';
import { silentLog } from '@/testing/chain-clock';
import { openTestDatabase } from '@/testing/database/database';
import { makeStore } from '@/testing/fixtures';
import { openRefundScene } from '@/testing/refunds/refund-scene';
import { batchRules } from '@/testing/signer/batch-scene';
import { accounts } from '@/testing/signer/signer-scene';
import { newAddress, openBatchChain } from './batch-chain';
import { openPayoutScene, type PayoutScene } from './payout-scene';

const FINAL = 6;
export const FIVE = 5_000_000n;
export const wallet = accounts.of('test', 'evm').address;

export type BatchWorld = Awaited<ReturnType<typeof openBatchWorld>>;
export type Requested = {
  readonly to: string;
  readonly id: string;
  readonly storeId: string;
  readonly addressId: string;
};

export async function openBatchWorld() {
  const db = await openTestDatabase();
  const chain = await startTestEvm(EVM_NETWORKS.find(({ network }) => network === 'ethereum'));
  const on = openBatchChain(chain);
  const { spec } = chain;
  const log = silentLog();
  const sender = openEvmSender({ spec, urls: [chain.rpcUrl], needed: 1, clock: systemClock, log, timeoutMs: 5000 });
  await chain.pay({ currency: 'USDT', recipient: wallet, cents: 1_000_000_00n, scenario: 'exact' });
  await on.rpc('anvil_setBalance', wallet, '0xde0b6b3a7640000');
  const mine = () => chain.mine(FINAL);
  const world = {
    ...{ db, chain, on, sender, mine },
    scene: {} as PayoutScene,
    chainId: 0,
    /** A new signer and its worker, on the wallet as it is. */
    async open(changes: Parameters<typeof batchRules>[0] = {}, settings: Record<string, string> = {}): Promise<void> {
      await on.rpc('evm_setAutomine', true);
      await mine();
      const given = { db, clock: systemClock, spec, sender, settings, rules: batchRules(changes) };
      const refunds = await openRefundScene({ ...given, intervals: { lease: 0 } });
      world.chainId = refunds.chainId;
      world.scene = openPayoutScene(refunds);
    },
    async turns(count: number): Promise<void> {
      for (let turn = 0; turn < count; turn++) {
        await world.scene.pass();
        await mine();
      }
    },
    /** Payouts of five tokens, each of a store and to an address of its own. */
    async requested(count: number, amount = 500n): Promise<readonly Requested[]> {
      const payouts = [];
      for (let n = 0; n < count; n++) {
        const { storeId } = await makeStore(db, world.scene.context.config);
        await world.scene.session('USDT', 100_000n, undefined, storeId);
        const to = newAddress();
        const addressId = await world.scene.address(to, undefined, storeId);
        payouts.push({ to, storeId, addressId, id: await world.scene.request({ amount }, storeId) });
      }
      return payouts;
    },
    /** Of these payouts, when the worker takes them up again. */
    comesDue: (payouts: readonly Pick<Requested, 'id'>[], after: string) =>
      db.pool.query('UPDATE payouts SET next_at = now() + $2::interval WHERE id = ANY($1)', [
        payouts.map(({ id }) => id),
        after,
      ]),
    nonces: async (id: string) =>
      (await world.scene.attempts(id)).map(({ validity }) => (validity as { nonce: number } | null)?.nonce),
    lastAllowance: () => world.scene.signing.calls.lastAllowance!({ environment: 'test', network: 'ethereum' }),
    close: async () => {
      await chain.stop();
      await db.close();
    },
  };
  return world;
}
