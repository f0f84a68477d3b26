// Refunds paid on the local TRON chain by the worker's steps and the real signer. The test controls the clock of chain,
// worker and signer, so that a payment expires on demand.

import { Interface } from 'ethers';
import { utils } from 'tronweb';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import type { ChainSender } from '@/lib/networks/sending/send';
import { openTronSender } from '@/lib/networks/families/tron/sending/send';
import { armCrashPoint, CRASH_POINTS } from '@/lib/platform/crash-point';
import { silentLog } from '@/testing/chain-clock';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { crashAt } from '@/testing/refunds/crash';
import { openRefundScene, type RefundScene } from '@/testing/refunds/refund-scene';
import { accounts } from '@/testing/signer/signer-scene';
import { truncateFacts } from '@/testing/database/truncate';
import { readAddress, toEvm } from './tron/address';
import { startTronNode, type TronNode } from './tron/start';

const UNTIL_SOLID = 20;
const SUN = 1_000_000n;
const FIVE = 5n * SUN;
const wallet = accounts.of('test', 'tron').address;
const issuerCalls = new Interface(['function addBlackList(address)', 'function removeBlackList(address)']);
const newAddress = (): string => utils.accounts.generateAccount().address.base58;

let now = Date.parse('2026-11-21T12:00:00Z');
const clock = { now: () => new Date(now) };
let db: TestDatabase;
let node: TronNode;
let sender: ChainSender;
let scene: RefundScene;

beforeAll(async () => {
  db = await openTestDatabase();
  node = await startTronNode({ blockMs: null, clock });
  const { spec } = node;
  sender = openTronSender({ spec, urls: [node.rpcUrl], needed: 1, clock, log: silentLog(), timeoutMs: 5000 });
  await giveSun(10_000n * SUN);
  await node.pay({ currency: 'USDT', recipient: wallet, cents: 100_000_00n, scenario: 'exact' });
}, 60_000);
afterAll(async () => {
  await node.stop();
  await db.close();
});
afterEach(() => armCrashPoint(undefined));
beforeEach(async () => {
  scene = await openRefundScene({ db, clock, spec: node.spec, sender, intervals: { lease: 0 } });
});

const giveSun = (sun: bigint) =>
  node.chain.exclusively(() => {
    const hex = readAddress(wallet) as string;
    node.chain.state.activate(hex);
    node.chain.state.addBalance(hex, sun);
  });
/** A call by the token's issuer, outside a transaction. */
async function issue(name: 'addBlackList' | 'removeBlackList', address: string): Promise<void> {
  const to = readAddress(node.spec.tokens.USDT!.contract) as string;
  await node.chain.exclusively(async () => {
    const { number, time, witness } = node.chain.head();
    const { origin_address: owner } = node.chain.state.account(to).contract as { origin_address: string };
    const data = Buffer.from(
      issuerCalls.encodeFunctionData(name, [toEvm(readAddress(address) as string)]).slice(2),
      'hex',
    );
    const run = { from: owner, to, data, value: 0n, energyLimit: 10_000_000n };
    await node.chain.engine.machine.call(run, { number, time, witness: witness.address });
  });
}
const mine = async () => {
  now += 1000;
  await node.mine(UNTIL_SOLID);
};
const held = (to: string) => node.balance(to, 'USDT');
const statuses = async (id: string) => (await scene.attempts(id)).map(({ status }) => status);

it('has raised the payer’s balance when it is completed, with one event and a receipt', async () => {
  const to = newAddress();
  const id = await scene.refund({ to });
  const refund = await scene.untilEnded(id, mine);
  expect(refund).toMatchObject({ status: 'completed', destination: to });
  expect([await held(to), await scene.events(id)]).toEqual([FIVE, ['refund.succeeded']]);
});

it.each(CRASH_POINTS)('a crash at %s leads to one payment with the same signed bytes', async (point) => {
  const to = newAddress();
  const id = await scene.refund({ to });
  await crashAt(point, scene, () => node.mine(1));
  expect((await scene.untilEnded(id, mine)).status).toBe('completed');
  expect([await statuses(id), await held(to)]).toEqual([['landed'], FIVE]);
  const [attempt] = await scene.attempts(id);
  expect(scene.signing.signer.attempts(id).attempts.map(({ hash }) => hash)).toEqual([attempt?.hash]);
  expect(await scene.events(id)).toEqual(['refund.succeeded']);
});

it('is drafted and signed a second time only when the first attempt has provably expired, and paid once', async () => {
  const to = newAddress();
  const id = await scene.refund({ to });
  const lost: Partial<ChainSender> = { broadcast: async () => 'accepted' };
  const away = { sender: { ...sender, ...lost } };
  await scene.pass(away);
  const [first] = await scene.attempts(id);
  const { expiresAt } = first!.validity as { expiresAt: number };
  // Expired by our clock and by the newest block, but not by a solid block.
  now = (expiresAt + 61) * 1000;
  await node.mine(5);
  await scene.pass(away);
  expect(await statuses(id)).toEqual(['sent']);
  await node.mine(UNTIL_SOLID);
  expect((await scene.untilEnded(id, mine)).status).toBe('completed');
  expect([await statuses(id), await held(to), scene.signing.signed]).toEqual([['lapsed', 'landed'], FIVE, 2]);
  const second = (await scene.attempts(id))[1];
  expect(second?.lapsed).toMatchObject({ hash: first?.hash, outcome: 'lapsed' });
});

it('fails when its attempt lapsed and the next one is refused, and notifies the signer', async () => {
  const to = newAddress();
  const id = await scene.refund({ to });
  const away = { sender: { ...sender, broadcast: async () => 'accepted' as const } };
  await scene.pass(away);
  const [first] = await scene.attempts(id);
  now = ((first!.validity as { expiresAt: number }).expiresAt + 70) * 1000;
  await node.mine(UNTIL_SOLID);
  await issue('addBlackList', to);
  const refund = await scene.untilEnded(id, mine);
  expect(refund).toMatchObject({ status: 'failed', failureReason: 'The issuer of USDT has blocked the recipient.' });
  await scene.pass();
  expect((await scene.read(id)).toRelease).toBe(false);
  expect(scene.signing.signer.state().journal.released).toBe(1);
});

it('a final revert fails the refund, and the signer no longer counts it', async () => {
  const id = await scene.refund({ to: newAddress() });
  const hasty: ChainSender = {
    ...sender,
    async broadcast(bytes) {
      await issue('addBlackList', wallet);
      const answer = await sender.broadcast(bytes);
      await mine();
      return answer;
    },
  };
  await scene.pass({ sender: hasty });
  const refund = await scene.untilEnded(id, mine);
  await issue('removeBlackList', wallet);
  expect([refund.status, refund.transactionHash, await statuses(id)]).toEqual(['failed', null, ['reverted']]);
  expect(refund.failureReason).toMatch(/blocked the refund wallet\.$/);
  await scene.pass();
  expect((await scene.read(id)).toRelease).toBe(false);
  expect(scene.signing.signer.state().journal.released).toBe(1);
});

it('waits for the fee coin with a reason and continues by itself', async () => {
  const to = newAddress();
  const id = await scene.refund({ to });
  const coin = node.chain.state.account(readAddress(wallet) as string).balance;
  await giveSun(-coin);
  await scene.pass();
  expect(await scene.read(id)).toMatchObject({ hold: 'no_fee_coin', signatureRequestedAt: null });
  await giveSun(coin);
  expect(await scene.untilEnded(id, mine)).toMatchObject({ status: 'completed', hold: null });
  expect(await held(to)).toBe(FIVE);
});

it('a restored database adopts lost payments from the signer and pays none again', async () => {
  const to = newAddress();
  const id = await scene.refund({ to });
  await scene.pass();
  await mine();
  await truncateFacts(db.pool, 'refund_attempts');
  await db.pool.query('UPDATE refunds SET signature_requested_at = NULL WHERE id = $1', [id]);
  expect((await scene.untilEnded(id, mine)).status).toBe('completed');
  expect([await held(to), await statuses(id)]).toEqual([FIVE, ['refused', 'landed']]);
});

it('two concurrent workers pay each of six refunds once', async () => {
  const targets = await Promise.all(
    Array.from({ length: 6 }, async () => {
      const to = newAddress();
      return { to, id: await scene.refund({ to }) };
    }),
  );
  for (let turn = 0; turn < 10; turn++) {
    await Promise.all([scene.pass(), scene.pass()]);
    await mine();
  }
  for (const { to, id } of targets) expect([await statuses(id), await held(to)]).toEqual([['landed'], FIVE]);
});
