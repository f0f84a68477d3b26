// A theft of tokens on an EVM network freezes signing within a minute after its block, long before it is final. Our own transactions do not.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { REFUND_WALLET, STRANGER, TREASURY } from '@/testing/watching/outflows';
import { PINNED, SPARE, SPONSOR, TICK_SECONDS, useTip } from '@/testing/watching/tip-scene';
import { DUE } from '@/testing/watching/watched-chain';
import type { Step } from '@/lib/platform/context';

const {
  context,
  closeOthers,
  held,
  mine,
  node,
  open,
  paid,
  pool,
  row,
  secondsUntilFrozen,
  signed,
  transfer,
  unfreeze,
} = useTip();
const HASH = `0x${'ab'.repeat(32)}`;

let deposit: string;
let step: Step;
/** The step has just read the newest block: what follows waits longest. */
beforeEach(async () => {
  deposit = (await paid()).address;
  node().finalDepth = 100;
  step = open();
  mine();
  await step(context());
});
afterEach(() => closeOthers());
const until = (most?: number): Promise<number | null> => secondsUntilFrozen([step], most);

describe('tokens that leave without an intent', () => {
  it.each([
    ['the refund wallet', REFUND_WALLET],
    ['a sponsor', SPONSOR],
    ['a sponsor', SPARE],
  ])('from %s (%s) freeze signing within a minute after the block', async (wallet, address) => {
    mine([transfer(address, STRANGER, 5n)], HASH);
    expect(await until()).toBeLessThan(60);
    expect(held.reasons).toEqual([`USDT left ${wallet} on ethereum (test) without an intent: ${HASH}`]);
  });

  it('from a deposit address freeze signing within a minute after the block, while no session is open', async () => {
    mine([transfer(deposit, STRANGER)], HASH);
    expect(await until()).toBeLessThan(60);
    expect(held.reasons).toEqual([`USDT left a deposit address on ethereum (test) without an intent: ${HASH}`]);
    const { rowCount } = await pool().query('SELECT FROM outgoing_transfers WHERE transaction_hash = $1', [HASH]);
    expect(rowCount).toBe(0);
  });

  it('freeze signing although the same transaction first pays the deposit address', async () => {
    mine([transfer(STRANGER, deposit, 1n), transfer(deposit, STRANGER, DUE)]);
    expect(await until()).toBeLessThan(60);
  });

  it('in a transaction that also sweeps to the treasury freeze signing, if they are more than the token’s fee', async () => {
    const part = DUE / 400n;
    mine([transfer(deposit, STRANGER, part), transfer(deposit, TREASURY, DUE - part)]);
    expect(await until()).toBeLessThan(60);
  });

  it('freeze signing although the worker was restarted after the block', async () => {
    mine([transfer(REFUND_WALLET, STRANGER)]);
    step = open();
    expect(await until()).toBe(TICK_SECONDS);
  });

  it('freeze signing although a draft of another payment is open', async () => {
    await signed(null, 'another');
    mine([transfer(REFUND_WALLET, STRANGER)]);
    expect(await until()).toBeLessThan(60);
  });
});

describe('one theft freezes signing once', () => {
  it('so that an operator can unfreeze, also when the worker is restarted then', async () => {
    mine([transfer(REFUND_WALLET, STRANGER)]);
    await until();
    unfreeze();
    step = open();
    expect(await until()).toBeNull();
  });

  it('with two workers', async () => {
    const steps = [step, open()];
    mine([transfer(REFUND_WALLET, STRANGER)]);
    await secondsUntilFrozen(steps);
    unfreeze();
    expect(await secondsUntilFrozen(steps)).toBeNull();
    expect(held.reasons).toHaveLength(1);
  });

  it('and another one freezes it again', async () => {
    mine([transfer(REFUND_WALLET, STRANGER)], HASH);
    await until();
    unfreeze();
    mine([transfer(REFUND_WALLET, STRANGER)]);
    expect(await until()).toBeLessThan(60);
  });

  it('after the end of a freeze for another reason', async () => {
    held.reason = 'an operator pressed the switch';
    mine([transfer(deposit, STRANGER)], HASH);
    for (let runs = 0; runs < 5; runs++) await secondsUntilFrozen([step], TICK_SECONDS);
    unfreeze();
    expect(await until()).toBe(TICK_SECONDS);
    expect(held.reason).toContain(HASH);
  });

  it('but not after a freeze because of the account nonce, whose operator has looked at the refund wallet', async () => {
    held.reason = 'the key of the refund wallet was used elsewhere on ethereum';
    mine([transfer(REFUND_WALLET, STRANGER)]);
    for (let runs = 0; runs < 12; runs++) await secondsUntilFrozen([step], TICK_SECONDS);
    unfreeze();
    expect(await until()).toBeNull();
  });

  it('but for what leaves the refund wallet ten minutes into such a freeze it freezes again', async () => {
    held.reason = 'the key of the refund wallet was used elsewhere on ethereum';
    mine([transfer(REFUND_WALLET, STRANGER)]);
    for (let runs = 0; runs < 120; runs++) await secondsUntilFrozen([step], TICK_SECONDS);
    mine([transfer(REFUND_WALLET, STRANGER)], HASH);
    for (let runs = 0; runs < 12; runs++) await secondsUntilFrozen([step], TICK_SECONDS);
    unfreeze();
    expect(await until()).toBe(TICK_SECONDS);
    expect(held.reason).toContain(HASH);
  });

  it('together with others that wait, and the reason says how many there are and names that of a wallet of the signer', async () => {
    held.reason = 'an operator pressed the switch';
    mine([transfer(deposit, STRANGER, 1n)]);
    mine([transfer(deposit, STRANGER, 2n)]);
    mine([transfer(REFUND_WALLET, STRANGER)], HASH);
    for (let runs = 0; runs < 8; runs++) await secondsUntilFrozen([step], TICK_SECONDS);
    unfreeze();
    await until();
    expect(held.reason).toBe(
      `USDT left the refund wallet on ethereum (test) without an intent: ${HASH}, and 2 more in the log`,
    );
    unfreeze();
    expect(await until()).toBeNull();
  });

  it('also if the worker stopped between the freeze and its record', async () => {
    mine([transfer(REFUND_WALLET, STRANGER)]);
    await until();
    await pool().query('UPDATE tip_outflows SET acted_at = NULL');
    await secondsUntilFrozen([step], TICK_SECONDS);
    unfreeze();
    expect(await until()).toBeNull();
  });

  it('when the signer was away at the time', async () => {
    held.isAway = true;
    mine([transfer(REFUND_WALLET, STRANGER)]);
    for (let runs = 0; runs < 12; runs++)
      await expect(secondsUntilFrozen([step], TICK_SECONDS)).rejects.toThrow('away');
    held.isAway = false;
    expect(await until()).toBe(TICK_SECONDS);
  });

  it('and the transactions of the refund wallet until then count as checked, so that no later comparison freezes again', async () => {
    mine([transfer(deposit, STRANGER)]);
    await until();
    expect((await row()).wallet_reviewed_until).toBeNull();
    unfreeze();
    mine([transfer(REFUND_WALLET, STRANGER)]);
    const { time } = node().blocks.at(-1)!;
    await until();
    expect((await row()).wallet_reviewed_until).toEqual(new Date(time * 1000));
  });
});

describe('our own transactions never freeze signing', () => {
  it.each(['refund', 'payout', 'cold transfer'])('a %s, whose hash is stored before it is sent', async (kind) => {
    await signed(HASH, `a ${kind}`);
    mine([transfer(REFUND_WALLET, STRANGER, 5n)], HASH);
    expect(await until()).toBeNull();
    mine([transfer(REFUND_WALLET, STRANGER, 5n)]);
    expect(await until()).toBeLessThan(60);
  });

  it('a batch of payouts, which has one hash for several transfers', async () => {
    await signed(HASH, 'one', 0);
    await signed(HASH, 'two', 1);
    mine([transfer(REFUND_WALLET, STRANGER, 5n), transfer(REFUND_WALLET, PINNED, 7n)], HASH);
    expect(await until()).toBeNull();
  });

  it('a payment of the signer that a restored database does not know: the check of the journal says so', async () => {
    held.journal = ['0xolder', HASH];
    mine([transfer(REFUND_WALLET, STRANGER, 5n)], HASH);
    expect(await until()).toBeNull();
    mine([transfer(REFUND_WALLET, STRANGER, 5n)]);
    expect(await until()).toBeLessThan(60);
  });

  it.each([
    ['a sweep, also one that a stranger sends', TREASURY, DUE],
    ['a part of a sweep', TREASURY, DUE - 7n],
    ['a sweep to the treasury that only the signer knows yet', PINNED, DUE],
  ])('%s', async (_, to, amount) => {
    mine([transfer(deposit, to, amount)]);
    expect(await until()).toBeNull();
  });

  it('a sweep from which the token takes its fee', async () => {
    const fee = DUE / 1000n;
    mine([transfer(deposit, STRANGER, fee), transfer(deposit, TREASURY, DUE - fee)]);
    expect(await until()).toBeNull();
  });

  it('a transfer of nothing, which anyone can make in the name of a wallet', async () => {
    mine([transfer(REFUND_WALLET, STRANGER, 0n), transfer(deposit, STRANGER, 0n)]);
    expect(await until()).toBeNull();
  });

  it('a payment to a deposit address or to the refund wallet', async () => {
    mine([transfer(STRANGER, deposit), transfer(STRANGER, REFUND_WALLET)]);
    expect(await until()).toBeNull();
  });
});
