// What left deposit addresses for the refund wallet, where that is the treasury.

import { describe, expect, it } from 'vitest';
import { AddressSourceError } from '@/lib/treasury/wallets/address-source';
import { transferLog } from '@/testing/evm/fake-evm-node';
import { REFUND_WALLET, STRANGER, TREASURY, useOutflows, type OutflowSigner } from '@/testing/watching/outflows';
import { DUE, usdt } from '@/testing/watching/watched-chain';

const { run, mine, node, row, pool, frozen, signer, send, bookWith, book, paid, balances, broken, openDiscrepancies } =
  useOutflows();

describe('a transfer from a deposit address to the refund wallet', () => {
  it.each([REFUND_WALLET, 'refund-wallet'])('that is the treasury (%s) is booked into it once', async (named) => {
    const before = await balances();
    const { address } = await paid();
    send(address, REFUND_WALLET);
    mine(4);
    await run();
    for (let times = 0; times < 2; times++) await bookWith([`ethereum@local=${named}`]);
    const after = await balances();
    expect(after).toEqual({ ...before, refundWallet: before.refundWallet + DUE });
    expect(frozen).toEqual([]);
    expect(await broken()).toEqual([]);
  });

  it('keeps the fee of the token apart, so that what left is what arrived and the fee', async () => {
    const before = await balances();
    const { address } = await paid();
    const fee = DUE / 1000n;
    const logs = [transferLog(usdt, address, STRANGER, fee), transferLog(usdt, address, REFUND_WALLET, DUE - fee)];
    node().mine([{ logs }]);
    mine(4);
    await run();
    await bookWith(['ethereum@local=refund-wallet']);
    const after = await balances();
    expect([after.received - before.received, after.refundWallet - before.refundWallet]).toEqual([0n, DUE - fee]);
    expect(after.operator - before.operator).toBe(-fee);
    expect(await broken()).toEqual([]);
  });

  it('is unexplained where the settings name another treasury', async () => {
    const { address } = await paid();
    send(address, REFUND_WALLET);
    mine(4);
    await run();
    await book();
    expect(await openDiscrepancies(address)).toHaveLength(1);
    expect(frozen).toHaveLength(1);
  });

  it('waits while the signer does not say which wallet is its own', async () => {
    const before = await balances();
    const { address } = await paid();
    send(address, REFUND_WALLET);
    mine(4);
    await run();
    const silent = { ...signer, state: () => Promise.reject(new AddressSourceError('unavailable', 'no answer')) };
    await expect(bookWith([`ethereum@local=${REFUND_WALLET}`], silent)).rejects.toThrow('no answer');
    expect((await balances()).treasury).toBe(before.treasury);
    expect([await openDiscrepancies(address), frozen]).toEqual([[], []]);
    await bookWith(['ethereum@local=refund-wallet']);
    expect((await balances()).refundWallet - before.refundWallet).toBe(DUE);
  });
});

describe('a process that does not know the refund wallet', () => {
  const silent = {
    ...signer,
    freeze: () => Promise.reject(new AddressSourceError('unavailable', 'no answer')),
    state: () => Promise.reject(new AddressSourceError('unavailable', 'no answer')),
  };
  const bookBy = (by: OutflowSigner, named: readonly string[]) =>
    bookWith(
      named.map((one) => `ethereum@local=${one}`),
      by,
    );
  const leaving = async (to: string) => {
    const { address } = await paid();
    send(address, to);
    mine(4);
    await run();
    return address;
  };
  /** As the worker has read the refund wallet. */
  const readWallet = async () =>
    pool().query(
      `INSERT INTO wallet_balances (chain_id, address, asset, amount, block_number, read_at) VALUES ($1, $2, 'USDT', 0, 1, now())
       ON CONFLICT DO NOTHING`,
      [(await row()).id, REFUND_WALLET],
    );

  it('reports a theft all the same while the signer does not answer', async () => {
    const address = await leaving(STRANGER);
    await readWallet();
    await expect(bookBy(silent, ['refund-wallet'])).rejects.toThrow('no answer');
    expect(await openDiscrepancies(address)).toHaveLength(1);
  });

  it.each(['refund-wallet', REFUND_WALLET])(
    'and no signer leaves what went there (%s) to the worker',
    async (named) => {
      const before = await balances();
      const address = await leaving(REFUND_WALLET);
      await readWallet();
      await bookBy(null, [named]);
      expect([await balances(), await openDiscrepancies(address)]).toEqual([
        { ...before, received: before.received + DUE },
        [],
      ]);
      await bookWith(['ethereum@local=refund-wallet']);
      expect(await balances()).toEqual({ ...before, refundWallet: before.refundWallet + DUE });
    },
  );

  it('and no signer books what went to another treasury', async () => {
    const before = await balances();
    await leaving(TREASURY);
    await bookBy(null, [TREASURY]);
    expect((await balances()).treasury - before.treasury).toBe(DUE);
  });
});

it('a refund wallet that the settings name by word and by address is booked into once', async () => {
  const before = await balances();
  const { address } = await paid();
  send(address, REFUND_WALLET);
  mine(4);
  await run();
  await bookWith(['ethereum@local=refund-wallet', `ethereum@local=${REFUND_WALLET}`]);
  expect(await balances()).toEqual({ ...before, refundWallet: before.refundWallet + DUE });
  expect(await broken()).toEqual([]);
});
