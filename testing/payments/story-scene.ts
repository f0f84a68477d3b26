// A store whose payment is seen, credited, settled and told by a worker with a connection pool of its own, for tests of what the processes
// leave in logs and traces.

import { randomUUID } from 'node:crypto';
import { setWebhookEndpoint } from '@/lib/merchants/stores/webhook-endpoint';
import { networkSpec } from '@/lib/networks/networks';
import { settleSessions } from '@/lib/payments/sessions/settle/settle';
import { proveTransfers, storeTransfers, storeUnconfirmed } from '@/lib/payments/watcher/transfers/store';
import { answer } from '@/lib/api/answer';
import { openServices, type Services } from '@/lib/api/services';
import { logChanges } from '@/lib/platform/database/changes';
import { openPool, transaction } from '@/lib/platform/database/db';
import type { Log } from '@/lib/platform/log';
import { deliverBatch } from '@/lib/webhooks/delivery/deliver';
import type { TestDatabase } from '@/testing/database/database';
import {
  makeAddresses,
  makeChain,
  makeStore,
  signedRequest,
  TestClock,
  testConfig,
  testContext,
} from '@/testing/fixtures';
import { proveBalances } from '@/testing/payments/proven-balances';
import { openReceiver } from '@/testing/receivers/receiver';

export async function openStoryScene(db: TestDatabase, logs: { readonly web: Log; readonly worker: Log }) {
  const clock = new TestClock();
  const config = testConfig();
  const workerPool = openPool(db.url, 5);
  logChanges(db.pool, logs.web);
  logChanges(workerPool, logs.worker);
  const services: Services = openServices({ ...testContext(db, clock, config), log: logs.web });
  const chainId = await makeChain(db, 'ethereum', clock.now().getTime() / 1000);
  await makeAddresses(db, 9);
  const store = await makeStore(db, config);
  const receiver = await openReceiver();
  await setWebhookEndpoint(services, { storeId: store.storeId, environment: 'test', url: receiver.url });
  return {
    ...{ services, store, clock },
    /** A signed call of the store. */
    async call(path: string, body?: object, headers: Record<string, string> = {}) {
      const sent = body === undefined ? {} : { body: JSON.stringify(body) };
      const request = signedRequest(store, { path, method: 'POST', headers, now: clock.now(), ...sent });
      const answered = await answer(services, request);
      return {
        status: answered.status,
        requestId: answered.headers['X-Request-Id'] as string,
        body: JSON.parse(answered.body) as Record<string, unknown>,
      };
    },
    /** As the worker does: seen first, final later, then settled and told. */
    async pay(session: string, amount: bigint): Promise<void> {
      const { rows } = await db.pool.query<{ evm_address: string }>('SELECT evm_address FROM sessions WHERE id = $1', [
        session,
      ]);
      const spec = networkSpec('test', 'ethereum', 'local');
      if (!spec) throw new Error('the sandbox has Ethereum');
      const transfer = {
        ...{
          sessionId: session,
          transactionHash: `0x${randomUUID().replaceAll('-', '')}`,
          ordinal: 0,
          blockNumber: 95,
          blockHash: '0xb',
        },
        ...{
          blockTime: clock.now().getTime() / 1000,
          currency: 'USDT',
          contract: spec.tokens.USDT?.contract as string,
          isPlain: true,
        },
        ...{ payer: `0x${'1'.repeat(40)}`, recipient: rows[0]?.evm_address as string, amount },
      };
      const now = clock.now();
      const found = { chainId, foundTransfers: [transfer], now };
      await transaction(workerPool, (tx) => storeUnconfirmed(tx, { ...found, log: logs.worker }));
      const proven = await proveTransfers(workerPool, spec, { ...found, evidenceKey: config.EVIDENCE_KEY });
      await proveBalances(db.pool);
      await transaction(workerPool, async (tx) => {
        await storeTransfers(tx, proven, now);
        await settleSessions(tx, [session], { now, log: logs.worker });
      });
      await deliverBatch({ ...testContext(db, clock, config), pool: workerPool, log: logs.worker });
    },
    async close(): Promise<void> {
      await receiver.close();
      await workerPool.end();
    },
  };
}
