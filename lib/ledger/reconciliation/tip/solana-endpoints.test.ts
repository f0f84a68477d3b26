// Which reports of Solana endpoints freeze signing: those of as many as must agree, whichever of the others lie, hide, lag or fail.

import { beforeEach, describe, expect, it } from 'vitest';
import type { Step } from '@/lib/platform/context';
import type { FakeSolanaNode } from '@/testing/solana/fake-solana-node';
import type { FakeTransaction } from '@/testing/solana/solana-ledger';
import { ata } from '@/testing/solana/solana-scene';
import { forgeTheft, hideLosses, THIEF, TICK_SECONDS, TREASURY, useSolanaTip } from '@/testing/solana/solana-tip-scene';
import { DUE } from '@/testing/solana/solana-watched';

const tip = useSolanaTip();
const { clock, context, held, mine, node, open, other, secondsUntilFrozen, transfer, unfreeze } = tip;

let deposit: string;
let second: string;
beforeEach(async () => {
  [deposit, second] = (await tip.paid(DUE, DUE)) as [string, string];
  node().finalDepth = 1000;
});
const theft = (from = deposit): FakeTransaction => transfer(from, THIEF);
/** A step that has just read by its first endpoint: what follows waits longest. */
async function justRead(...nodes: FakeSolanaNode[]): Promise<Step> {
  const step = open(...nodes);
  mine();
  await step(context());
  return step;
}
const fails = (one: FakeSolanaNode): void => void (one.hijack = (_, response) => (response.writeHead(503).end(), true));
/** The node has pruned what it lists of accounts, or of that of one address. */
const forgets = (one: FakeSolanaNode, owner?: string): void =>
  void (one.tamper = ({ method, params }) =>
    method === 'getSignaturesForAddress' && (owner === undefined || params[0] === ata(owner)) ? [] : undefined);

describe('signing freezes within a minute', () => {
  it.each([
    ['shows the account as it was', (liar: FakeSolanaNode) => hideLosses(liar, deposit)],
    ['lists no transaction', (liar: FakeSolanaNode) => forgets(liar)],
    ['does not answer', fails],
    ['has no newer block', (late: FakeSolanaNode) => void Object.assign(late, { blocks: [...node().blocks] })],
    ['shows another theft that did not happen', (liar: FakeSolanaNode) => void forgeTheft(liar, second)],
  ])('although one of three endpoints %s', async (_, spoil) => {
    const [honest, liar] = [await other(), await other()];
    const orders = [
      [liar, node(), honest],
      [node(), liar, honest],
      [node(), honest, liar],
    ];
    const steps = await Promise.all(orders.map((nodes) => justRead(...nodes)));
    spoil(liar);
    mine(theft());
    for (const step of steps) {
      expect(await secondsUntilFrozen([step])).toBeLessThan(60);
      unfreeze();
      await tip.pool().query('DELETE FROM tip_outflows');
    }
  });

  it('once the second endpoint is back', async () => {
    const away = await other();
    const step = await justRead(node(), away);
    fails(away);
    mine(theft());
    expect(await secondsUntilFrozen([step], 200)).toBeNull();
    away.hijack = () => false;
    expect(await secondsUntilFrozen([step])).toBeLessThanOrEqual(20);
  });

  it('although the history of another account that was emptied is too long to read', async () => {
    const step = await justRead(node());
    flooded(transfer(second, TREASURY));
    mine(theft());
    expect(await secondsUntilFrozen([step])).toBeLessThan(60);
  });

  it('for the theft after a reorg that replaced another one of the same amount', async () => {
    const step = await justRead(node(), await other());
    const honest = node();
    honest.tamper = ({ method }) => (method === 'getTransaction' ? null : undefined);
    const { signature } = mine(theft()).transactions[0]!;
    expect(await secondsUntilFrozen([step], 20)).toBeNull();
    honest.drop(5);
    honest.tamper = () => undefined;
    expect(await secondsUntilFrozen([step], 60)).toBeNull();
    const later = mine(theft()).transactions[0]!;
    expect(await secondsUntilFrozen([step])).toBeLessThan(60);
    expect(held.reason).toContain(later.signature);
    expect(held.reason).not.toContain(signature);
  });
});

describe('signing does not freeze', () => {
  it('for a theft that one of two endpoints invents, nor does it hide one', async () => {
    const liar = await other();
    const step = await justRead(node(), liar);
    const forged = forgeTheft(liar, deposit);
    expect(await secondsUntilFrozen([step])).toBeNull();
    mine(theft(second));
    expect(await secondsUntilFrozen([step])).toBeLessThan(60);
    expect(held.reason).not.toContain(forged);
  });

  it('for an endpoint that is behind the stored payments', async () => {
    const late = await other();
    Object.assign(late, { blocks: node().blocks.slice(0, 8) });
    const step = await justRead(late, node());
    expect(await secondsUntilFrozen([step])).toBeNull();
  });
});

describe('the step fails, which alarms the operators', () => {
  it.each([
    ['no endpoint answers', '503', () => fails(node())],
    ['no endpoint lists what emptied an account', 'does not list every transaction', () => forgets(node())],
    ['no endpoint lists what emptied one of two', 'does not list every transaction', () => forgets(node(), deposit)],
  ])('once %s for minutes', async (_, message, spoil) => {
    const step = await justRead(node());
    spoil();
    mine(theft(), transfer(second, TREASURY));
    expect(await secondsUntilFrozen([step], 240)).toBeNull();
    await expect(secondsUntilFrozen([step], 400)).rejects.toThrow(message);
    // Also between two readings: a run that succeeds would end the alarm.
    for (let runs = 0; runs < 4; runs++)
      await expect(secondsUntilFrozen([step], TICK_SECONDS)).rejects.toThrow(message);
    node().hijack = () => false;
    node().tamper = () => undefined;
    expect(await secondsUntilFrozen([step], 120, true)).toBeLessThan(60);
  });

  it('while the transaction that emptied an account is one of too many, and freezes for another theft all the same', async () => {
    const step = await justRead(node());
    flooded(theft());
    expect(await secondsUntilFrozen([step], 240)).toBeNull();
    await expect(secondsUntilFrozen([step], 400)).rejects.toThrow('more new transactions than are read');
    const { signature } = mine(theft(second)).transactions[0]!;
    expect(await secondsUntilFrozen([step], 120, true)).toBeLessThan(60);
    expect(held.reason).toContain(signature);
  });
});

/** A transaction among more others of its account than a reading takes. */
function flooded(hidden: FakeTransaction): void {
  const account = hidden.changes![0]!.account;
  const mentions = Array.from({ length: 120 }, (): FakeTransaction => ({ mentions: [account] }));
  for (const few of [mentions, [hidden], mentions]) {
    clock.advance(1000 * TICK_SECONDS);
    mine(...few);
  }
}
