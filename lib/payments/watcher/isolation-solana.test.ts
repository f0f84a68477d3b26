// On a network read by account, one address that no endpoint can prove does not stop other sessions from expiring, other payments
// from being credited, or the network from being offered.

import { afterEach, describe, expect, it } from 'vitest';
import { expireSessions } from '@/lib/payments/sessions/expire/expire';
import { proveBalances } from '@/testing/payments/proven-balances';
import { makeFault, openQuarantine } from '@/testing/database/database-fault';
import { ata, T0 } from '@/testing/solana/solana-scene';
import { useWatchedSolana, type SolanaSession } from '@/testing/solana/solana-watched';

const w = useWatchedSolana();
type Rpc = { method: string; params: unknown[] };

let endFault = async () => {};
afterEach(async () => {
  await endFault();
  endFault = async () => {};
  await w.pool().query('TRUNCATE quarantine');
  await w.pool().query("UPDATE sessions SET status = 'canceled', closed_at = '2020-01-01' WHERE status = 'pending'");
});

/** The node has the payment in the account's balance, and never lists its transaction. */
const spoil = ({ owner }: SolanaSession) =>
  void (w.node().tamper = ({ method, params }: Rpc) =>
    method === 'getSignaturesForAddress' && params[0] === ata(owner) ? [] : undefined);

describe('an address that cannot be proven', () => {
  it('is quarantined after half a minute: everything else goes on, and its own session does not expire', async () => {
    const [bad, paying, unpaid] = [await w.session(), await w.session(), await w.session()];
    const step = w.step();
    await w.run(step);
    spoil(bad);
    w.pay(bad.owner);
    w.mine(4);
    await w.run(step);
    // Nothing expires after a single incomplete pass.
    expect((await w.row()).trouble).toContain('does not list every transaction');
    expect(await openQuarantine(w.pool())).toEqual([]);

    w.clock.advance(31_000);
    await w.run(step);
    expect(await openQuarantine(w.pool())).toMatchObject([{ kind: 'account' }]);
    w.pay(paying.owner);
    w.node().mine([], { time: T0 + 2000 });
    w.mine(4);
    w.clock.advance(2000);
    await w.run(step);
    expect(await w.row()).toMatchObject({ trouble: null, final_number: String(w.node().blocks.at(-5)!.slot) });
    expect(await w.paymentsOf(paying.id)).toMatchObject({ status: 'completed', entries: 1 });

    w.clock.set(T0 + 2100);
    await proveBalances(w.pool());
    await expireSessions(w.context());
    expect((await w.paymentsOf(unpaid.id)).status).toBe('expired');
    expect((await w.paymentsOf(bad.id)).status).toBe('pending');

    w.node().tamper = () => undefined;
    w.mine(1);
    await w.run(step);
    expect(await w.paymentsOf(bad.id)).toMatchObject({ status: 'completed', entries: 1 });
    expect(await openQuarantine(w.pool())).toEqual([]);
  }, 60_000);

  it('is quarantined after half a minute where each pass is a process of its own, as under cron', async () => {
    const bad = await w.session();
    await w.run(w.step());
    spoil(bad);
    w.pay(bad.owner);
    w.mine(4);
    await w.run(w.step());
    w.clock.advance(20_000);
    await w.run(w.step());
    expect(await openQuarantine(w.pool())).toEqual([]);
    w.clock.advance(11_000);
    await w.run(w.step());
    expect(await openQuarantine(w.pool())).toMatchObject([{ kind: 'account' }]);
    expect((await w.row()).final_number).not.toBe(String(w.node().blocks.at(-5)!.slot));
    await w.run(w.step());
    expect(await w.row()).toMatchObject({ trouble: null, final_number: String(w.node().blocks.at(-5)!.slot) });
  }, 60_000);

  it('is retried with growing pauses, each time without delaying the others for longer than a pass', async () => {
    const [bad, good] = [await w.session(), await w.session()];
    const step = w.step();
    await w.run(step);
    spoil(bad);
    w.pay(bad.owner);
    let passesWithTrouble = 0;
    for (let pass = 0; pass < 60; pass++) {
      w.mine(1);
      await w.run(step);
      if ((await w.row()).trouble !== null) passesWithTrouble++;
      w.clock.advance(5000);
    }
    // Half a minute until it is quarantined; afterwards 5, 10, 20, 40 and every 60 seconds, in five minutes.
    expect(passesWithTrouble).toBeLessThan(18);
    w.pay(good.owner);
    w.mine(4);
    await w.run(step);
    expect((await w.paymentsOf(good.id)).status).toBe('completed');
  }, 60_000);
});

it('an account cursor that the database rejects keeps no other account from being credited', async () => {
  const [bad, good] = [await w.session(), await w.session()];
  const step = w.step();
  await w.run(step);
  endFault = await makeFault(w.pool(), {
    table: 'account_cursors',
    on: 'INSERT OR UPDATE',
    row: `NEW.owner = '${bad.owner}'`,
  });
  for (const { owner } of [bad, good]) w.pay(owner);
  w.mine(4);
  await w.run(step);
  expect(await w.paymentsOf(good.id)).toMatchObject({ status: 'completed', entries: 1 });
  expect(await w.row()).toMatchObject({ trouble: null, final_number: String(w.node().blocks.at(-5)!.slot) });
  expect(await openQuarantine(w.pool())).toMatchObject([{ kind: 'account' }]);
  await endFault();
  endFault = async () => {};
  w.clock.advance(6000);
  w.mine(1);
  await w.run(step);
  expect(await openQuarantine(w.pool())).toEqual([]);
  expect(await w.marksOf(bad.owner)).toHaveLength(1);
  expect(await w.paymentsOf(bad.id)).toMatchObject({ status: 'completed', entries: 1 });
}, 60_000);
