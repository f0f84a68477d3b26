// Tokens that leave a deposit address on Solana, where blocks list no transfers, freeze signing within a minute after their block.

import { beforeEach, describe, expect, it } from 'vitest';
import { FAKE_MINT, ata, becomes, PAYER, STRANGER, usdt } from '@/testing/solana/solana-scene';
import { PINNED, THIEF, TICK_SECONDS, TREASURY, useSolanaTip } from '@/testing/solana/solana-tip-scene';
import { DUE } from '@/testing/solana/solana-watched';
import type { FakeTransaction } from '@/testing/solana/solana-ledger';
import type { Step } from '@/lib/platform/context';
import { readUnswept } from './unswept';

const tip = useSolanaTip();
const { clock, context, held, mine, node, open, paid, pool, secondsUntilFrozen, transfer, unfreeze } = tip;

let deposit: string;
let second: string;
let step: Step;
/** The step has just read: what follows waits longest. */
beforeEach(async () => {
  [deposit, second] = (await paid(DUE, DUE)) as [string, string];
  node().finalDepth = 1000;
  step = open();
  mine();
  await step(context());
});
const until = (most?: number): Promise<number | null> => secondsUntilFrozen([step], most);
const theft = (from = deposit): FakeTransaction => transfer(from, THIEF);

describe('tokens that leave a deposit address without an intent', () => {
  it('freeze signing within a minute, and the reason names the transaction', async () => {
    const { signature } = mine(theft()).transactions[0]!;
    expect(await until()).toBeLessThan(60);
    expect(held.reasons).toEqual([`USDT left a deposit address on solana (test) without an intent: ${signature}`]);
  });

  it.each([
    ['a part of them', () => transfer(deposit, THIEF, 1n)],
    ['with their account, which is closed', () => tip.closing(theft(), ata(deposit))],
    [
      'with their account, which gets another owner',
      () => ({ changes: [becomes(ata(deposit), { mint: usdt, owner: THIEF, amount: DUE })] }),
    ],
    ['and are burned', () => ({ changes: [becomes(ata(deposit), { mint: usdt, owner: deposit, amount: 0n })] })],
    ['to another deposit address', () => transfer(deposit, second)],
  ])('freeze signing: %s', async (_, move) => {
    mine(move());
    expect(await until()).toBeLessThan(60);
  });

  it('from another token account that the database knows', async () => {
    node().finalDepth = 4;
    const aside = await tip.paidAside(deposit);
    node().finalDepth = 1000;
    mine(transfer(aside, THIEF));
    expect(await until()).toBeLessThan(60);
  });

  it.each([
    ['seconds', 0],
    ['an hour', 3600],
  ])('freeze signing although the worker was started %s after the block', async (_, seconds) => {
    mine(theft());
    clock.advance(1000 * seconds);
    step = open();
    expect(await until()).toBe(TICK_SECONDS);
  });

  it('freeze signing once, with two workers, and after a restart', async () => {
    const steps = [step, open()];
    mine(theft());
    await secondsUntilFrozen(steps);
    unfreeze();
    expect(await secondsUntilFrozen([...steps, open()])).toBeNull();
    expect(held.reasons).toHaveLength(1);
    mine(theft(second));
    expect(await secondsUntilFrozen(steps)).toBeLessThan(60);
  });

  it('on a public test network freeze nothing', async () => {
    step = tip.openOn('testnet');
    const { signature } = mine(theft()).transactions[0]!;
    expect(await until()).toBeNull();
    const text = 'SELECT FROM tip_outflows WHERE acted_at IS NOT NULL AND transaction_hash = $1';
    expect((await pool().query(text, [signature])).rowCount).toBe(1);
  });
});

describe('nothing freezes signing for', () => {
  it.each([
    ['a sweep, by the service or by hand', () => [transfer(deposit, TREASURY)]],
    ['a part of a sweep', () => [transfer(deposit, TREASURY, DUE - 7n)]],
    ['a sweep to the treasury that only the signer knows yet', () => [transfer(deposit, PINNED)]],
    ['a sweep that closes the account', () => [tip.closing(transfer(deposit, TREASURY), ata(deposit))]],
    ['a sweep of several addresses', () => [sweepOfBoth()]],
    ['another payment', () => [transfer(PAYER, deposit, 5n)]],
    ['a fake token', () => [fakeTransfer()]],
    ['a failed transaction', () => [{ ...theft(), err: { InstructionError: [0, 'Custom'] } }]],
    ['a payment between strangers', () => [transfer(PAYER, STRANGER, 5n)]],
  ])('%s', async (_, made) => {
    mine(...made());
    expect(await until()).toBeNull();
  });

  it('tokens that move between two accounts of an address', async () => {
    node().finalDepth = 4;
    const aside = await tip.paidAside(deposit);
    node().finalDepth = 1000;
    mine(transfer(aside, deposit));
    expect(await until()).toBeNull();
  });

  const sweepOfBoth = (): FakeTransaction => ({
    changes: [
      ...[deposit, second].map((owner) => becomes(ata(owner), null)),
      becomes(ata(TREASURY), { mint: usdt, owner: TREASURY, amount: 2n * DUE }),
    ],
  });
  const fakeTransfer = (): FakeTransaction => ({
    changes: [
      becomes(ata(deposit, FAKE_MINT), { mint: FAKE_MINT, owner: deposit, amount: 0n }),
      becomes(ata(THIEF, FAKE_MINT), { mint: FAKE_MINT, owner: THIEF, amount: 9n }),
    ],
  });
});

describe('a reading', () => {
  beforeEach(() => void (node().finalDepth = 4));
  const total = (): number => [...node().calls.values()].reduce((sum, count) => sum + count, 0);
  /** Requests of a turn, on average over ten minutes. */
  async function perTurn(): Promise<number> {
    await until(60);
    const before = total();
    await until(600);
    return (total() - before) / 30;
  }

  it('costs seven requests, two of them for coin, and none more for gains, however many', async () => {
    expect(await perTurn()).toBe(7);
    for (let count = 0; count < 30; count++) mine(transfer(PAYER, deposit, 1n));
    expect(await perTurn()).toBe(7);
  });

  it('costs seven requests after a sweep too, while it is not stored yet', async () => {
    mine(transfer(deposit, TREASURY));
    await until(20);
    expect(await perTurn()).toBe(7);
  });

  it('costs six requests while no deposit address holds anything', async () => {
    mine(transfer(deposit, TREASURY), transfer(second, TREASURY));
    node().finalDepth = 0;
    await tip.run();
    expect(await readUnswept(pool(), (await tip.row()).id)).toEqual([]);
    expect(await perTurn()).toBe(6);
  });

  it('has a limit of accounts, and the largest amounts come first', async () => {
    const { id } = await tip.row();
    node().finalDepth = 4;
    const [small, large] = (await paid(DUE - 1n, DUE + 1n)) as [string, string];
    const owners = async (most?: number) => (await readUnswept(pool(), id, most)).map(({ owner }) => owner);
    expect(await owners(1)).toEqual([large]);
    expect(new Set(await owners(3))).toEqual(new Set([large, deposit, second]));
    expect(await owners()).toContain(small);
  });
});
