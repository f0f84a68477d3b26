// The watcher against the limits of TRON and Solana providers, at the block rate of the main networks: every payment is credited once, and
// no trouble remains. EVM providers are in provider-profiles.test.ts.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '@/lib/platform/clock';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { testConfig, testContext } from '@/testing/fixtures';
import { behaveLikeProvider, NETWORK_PROFILES, type NetworkProfile } from '@/testing/tron/network-profiles';
import {
  closeSessions,
  openNetworkScene,
  openPayee,
  type MeasuredNetwork,
  type NetworkScene,
  type Payee,
} from '@/testing/watching/network-scene';
import { paymentsOf } from '@/testing/watching/watched-session';

let db: TestDatabase;
let scene: NetworkScene;
beforeAll(async () => void (db = await openTestDatabase()));
afterAll(() => db.close());
afterEach(() => scene.node.close());

/** Ticks between two payments: twenty seconds. */
const APART = 40;
/** Ticks within which everything is credited: five minutes. */
const MAX = 600;

async function start(network: MeasuredNetwork): Promise<void> {
  const context = testContext(db, systemClock, testConfig());
  await closeSessions(context);
  scene = await openNetworkScene(context, network);
}

async function runUntil(payees: readonly Payee[], status: string): Promise<void> {
  for (let tick = 0; tick < MAX; tick += APART) {
    await scene.run(APART);
    const found = await Promise.all(payees.map(({ id }) => paymentsOf(db.pool, id)));
    if (found.every((one) => one.status === status) && (await scene.trouble()) === null) return;
  }
}

describe('an endpoint with', () => {
  it.each(NETWORK_PROFILES.map((profile) => [profile.network, profile.name, profile] as const))(
    'on %s: %s is read to the end, and every payment is credited once',
    async (network, _name, profile: NetworkProfile) => {
      await start(network);
      behaveLikeProvider(scene, profile);
      const createdAt = Math.floor(scene.context.clock.now().getTime() / 1000);
      const payees = [];
      for (let left = 8; left > 0; left--) payees.push(await openPayee(scene.context, network, { createdAt }));
      await scene.run(10);
      for (const payee of payees.slice(0, 3)) {
        scene.pay(payee);
        await scene.run(APART);
      }
      const paid = payees.slice(0, 3);
      await runUntil(paid, 'completed');
      for (const { id } of paid)
        expect(await paymentsOf(db.pool, id)).toMatchObject({ status: 'completed', entries: 1 });
      expect(await scene.trouble()).toBeNull();
    },
    60_000,
  );
});

describe.each([
  ['tron', 'The key exceeds the daily limit'],
  ['solana', 'daily request limit reached'],
] as const)('a used-up daily cap on %s', (network, said) => {
  it('is reported as such, loses no payment, and ends with the day', async () => {
    await start(network);
    const payee = await openPayee(scene.context, network);
    await scene.run(10);
    const body = JSON.stringify(
      network === 'tron' ? { Error: said } : { jsonrpc: '2.0', id: null, error: { code: 429, message: said } },
    );
    behaveLikeProvider(scene, { network, name: 'a daily cap', refuses: { each: 1, status: 429, body } });
    scene.pay(payee);
    await scene.run(APART * 4);
    expect(await scene.trouble()).toMatch(/endpoint 1 .*(limits its rate|status 429)/);
    expect((await paymentsOf(db.pool, payee.id)).entries).toBe(0);
    behaveLikeProvider(scene, { network, name: 'a new day' });
    await runUntil([payee], 'completed');
    expect(await paymentsOf(db.pool, payee.id)).toMatchObject({ status: 'completed', entries: 1 });
    expect(await scene.trouble()).toBeNull();
  }, 60_000);
});
