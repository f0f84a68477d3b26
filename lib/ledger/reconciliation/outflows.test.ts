import { describe, expect, it } from 'vitest';
import { storeQuarantined } from '@/lib/payments/watcher/transfers/quarantined';
import { transferLog } from '@/testing/evm/fake-evm-node';
import { STRANGER, TREASURY, useOutflows } from '@/testing/watching/outflows';
import { DUE, T0, usdt } from '@/testing/watching/watched-chain';
import { storedSums } from './addresses';
import { explainDiscrepancy } from './discrepancies';
import { keyOf } from './next-addresses';

const {
  run,
  mine,
  pay,
  node,
  row,
  session,
  pool,
  clock,
  context,
  paymentsOf,
  frozen,
  send,
  bookWith,
  book,
  paid,
  balances,
  broken,
  openDiscrepancies,
} = useOutflows();

describe('a transfer from a deposit address to a treasury wallet', () => {
  it('is booked once as a sweep, whatever sent it, and changes nothing for its store', async () => {
    const before = await balances();
    const { id, address } = await paid();
    send(address, TREASURY);
    mine(4);
    await run();
    for (let times = 0; times < 2; times++) await book();
    const after = await balances();
    expect(after.treasury - before.treasury).toBe(DUE);
    expect(after.received).toBe(before.received);
    expect(await paymentsOf(id)).toMatchObject({ status: 'completed', entries: 1 });
    expect(await openDiscrepancies(address)).toEqual([]);
    expect(frozen).toEqual([]);
    expect(await broken()).toEqual([]);
  });

  it('is booked as a sweep too if it went to a former treasury, which the setting names behind the present one', async () => {
    const before = await balances();
    const { address } = await paid();
    send(address, TREASURY);
    mine(4);
    await run();
    await bookWith([`ethereum@local=${STRANGER}`, `ethereum@local=${TREASURY}`]);
    expect((await balances()).treasury - before.treasury).toBe(DUE);
    expect(frozen).toEqual([]);
  });

  it('is found only once it is final', async () => {
    const { address } = await paid();
    send(address, TREASURY);
    await run();
    const stored = () => pool().query('SELECT FROM outgoing_transfers WHERE payer = $1', [address]);
    expect((await stored()).rowCount).toBe(0);
    mine(4);
    await run();
    expect((await stored()).rowCount).toBe(1);
  });

  it('in a batch is booked for each address with what it lost', async () => {
    const before = await balances();
    const [one, other] = [await paid(), await paid()];
    node().mine([
      { logs: [transferLog(usdt, one.address, TREASURY, DUE), transferLog(usdt, other.address, TREASURY, DUE - 5n)] },
    ]);
    mine(4);
    await run();
    await book();
    const after = await balances();
    expect(after.treasury - before.treasury).toBe(2n * DUE - 5n);
    expect(after.received - before.received).toBe(5n);
    expect(await broken()).toEqual([]);
  });

  it('lowers what the address should hold, from the block on in which it happened', async () => {
    const { address } = await paid();
    send(address, TREASURY, DUE - 7n);
    const block = node().blocks.length - 1;
    mine(4);
    await run();
    const { id: chainId } = await row();
    const held = (number: number) => ({ address, currency: 'USDT', from: { number }, through: { number } });
    const sums = async (number: number, without: 'booked' | 'all') =>
      (await storedSums(pool(), { chainId, without }, new Map([[address, held(number)]]))).get(
        keyOf({ address, currency: 'USDT' }),
      );
    expect(await sums(block, 'booked')).toEqual({ least: DUE, most: DUE });
    expect(await sums(block, 'all')).toEqual({ least: 7n, most: 7n });
    await book();
    expect(await sums(block, 'booked')).toEqual({ least: 7n, most: 7n });
    expect(await sums(block - 1, 'booked')).toEqual({ least: DUE, most: DUE });
  });
});

describe('a fee that the token takes from a sweep', () => {
  const FEE = DUE / 1000n;
  const sendBoth = (from: string, fee: bigint, treasury = TREASURY) =>
    void node().mine([
      { logs: [transferLog(usdt, from, STRANGER, fee), transferLog(usdt, from, treasury, DUE - fee)] },
    ]);

  it('is the loss of the operator, and freezes nothing', async () => {
    const before = await balances();
    const { address } = await paid();
    sendBoth(address, FEE);
    mine(4);
    await run();
    for (let times = 0; times < 2; times++) await book();
    const after = await balances();
    expect(after.treasury - before.treasury).toBe(DUE - FEE);
    expect(after.operator - before.operator).toBe(-FEE);
    expect(after.received).toBe(before.received);
    expect(await openDiscrepancies(address)).toEqual([]);
    expect(frozen).toEqual([]);
    expect(await broken()).toEqual([]);
  });

  it.each([
    ['more than a fee leaves', DUE / 400n, TREASURY],
    ['nothing goes to the treasury', FEE, '0x000000000000000000000000000000000000dead'],
  ])('is unexplained when %s', async (_case, fee, treasury) => {
    const { address } = await paid();
    sendBoth(address, fee, treasury);
    mine(4);
    await run();
    await book();
    expect(await openDiscrepancies(address)).toHaveLength(1);
    expect(frozen).toHaveLength(1);
  });
});

describe('a transfer from a deposit address to any other address', () => {
  it('becomes a discrepancy that names the transaction, and freezes signing until it is explained', async () => {
    const { address } = await paid();
    const hash = `0x${'5e'.repeat(32)}`;
    send(address, STRANGER, DUE, hash);
    mine(4);
    await run();
    await book();
    const [discrepancy] = await openDiscrepancies(address);
    expect(discrepancy).toMatchObject({ expected: DUE, found: 0n });
    expect(discrepancy?.note).toContain('12.34 USDT left for');
    expect(discrepancy?.note).toContain(hash);
    expect(discrepancy?.note).toContain(STRANGER);
    expect(frozen).toHaveLength(1);
    expect(frozen[0]).toMatch(/^[\x20-\x7e]{1,200}$/);
    await book();
    expect(frozen).toHaveLength(2);
    expect(await openDiscrepancies(address)).toHaveLength(1);
    expect(await broken()).toEqual([]);

    const before = await balances();
    clock.advance(1000);
    await explainDiscrepancy({ pool: pool(), clock }, { id: discrepancy!.id, note: 'Recovered by hand.' });
    await book();
    const after = await balances();
    expect([after.received - before.received, after.operator - before.operator]).toEqual([-DUE, -DUE]);
    frozen.length = 0;
    await book();
    expect(frozen).toEqual([]);
    expect(await broken()).toEqual([]);
  });

  it('becomes a sweep when the operator adds the wallet to the settings', async () => {
    const { address } = await paid();
    send(address, TREASURY);
    mine(4);
    await run();
    await bookWith([]);
    expect(frozen).toHaveLength(1);
    const before = await balances();
    await book();
    expect((await balances()).treasury - before.treasury).toBe(DUE);
    expect(frozen).toHaveLength(1);
  });

  it('in any number neither keeps the step busy nor hides a sweep', async () => {
    const { id, address } = await paid();
    const { id: chainId } = await row();
    await pool().query(
      `INSERT INTO outgoing_transfers (chain_id, network, session_id, transaction_hash, ordinal, block_number, block_hash, block_time,
         currency, contract, payer, recipient, amount, decimals, reported_at)
       SELECT $1, 'ethereum', $2, '0xmany', n, 1, '0xb', now(), 'USDT', $3, $4, $5, 1, 6, now() FROM generate_series(1, 600) AS n`,
      [chainId, id, usdt, address, STRANGER],
    );
    send(address, TREASURY, 5n);
    mine(4);
    await run();
    const before = await balances();
    expect(await book()).toEqual({ more: true });
    expect(await book()).toEqual({ more: false });
    expect((await balances()).treasury - before.treasury).toBe(5n);
  });

  it('does not stop the booking of others, and others do not hide it', async () => {
    const [one, other] = [await paid(), await paid()];
    send(one.address, STRANGER);
    send(other.address, TREASURY);
    mine(4);
    await run();
    const before = await balances();
    await book();
    expect((await balances()).treasury - before.treasury).toBe(DUE);
    expect(await openDiscrepancies(one.address)).toHaveLength(1);
    expect(frozen).toHaveLength(1);
  });

  it('that returns what the same transaction brought is no loss', async () => {
    await run();
    const { address } = await session();
    node().mine([{ logs: [transferLog(usdt, STRANGER, address, DUE), transferLog(usdt, address, STRANGER, DUE)] }]);
    mine(4);
    await run();
    await book();
    expect((await pool().query('SELECT FROM outgoing_transfers WHERE payer = $1', [address])).rowCount).toBe(0);
    expect(frozen).toEqual([]);
  });
});

describe('two watchers', () => {
  it('store an outgoing transfer once', async () => {
    const { address } = await paid();
    send(address, TREASURY);
    mine(4);
    await Promise.all([run(), run()]);
    await Promise.all([book(), book()]);
    const { rows } = await pool().query(
      `SELECT count(*)::int AS entries FROM ledger_entries e JOIN outgoing_transfers o ON o.id = e.outgoing_transfer_id
       WHERE o.payer = $1`,
      [address],
    );
    expect(rows[0].entries).toBe(1);
  });

  it('report a theft once, so that an explanation meanwhile still counts', async () => {
    const { address } = await paid();
    send(address, STRANGER);
    mine(4);
    await run();
    await Promise.all([book(), book(), book()]);
    const open = await openDiscrepancies(address);
    expect(open).toHaveLength(1);
    await explainDiscrepancy({ pool: pool(), clock }, { id: open[0]!.id, note: 'Recovered by hand.' });
    await book();
    const { rows } = await pool().query('SELECT booked_at FROM outgoing_transfers WHERE payer = $1', [address]);
    expect(rows).toEqual([{ booked_at: expect.any(Date) }]);
  });

  it('keep a row that PostgreSQL refuses apart, and credit the window all the same', async () => {
    const { address } = await paid();
    const late = await session();
    await pool().query(
      `ALTER TABLE outgoing_transfers ADD CONSTRAINT faulty CHECK (recipient <> '${STRANGER}') NOT VALID`,
    );
    send(address, STRANGER);
    pay(late.address);
    mine(4);
    await run();
    expect(await paymentsOf(late.id)).toMatchObject({ status: 'completed' });
    const { rows } = await pool().query(
      `SELECT facts FROM quarantine WHERE kind = 'outgoing_transfer' AND resolved_at IS NULL`,
    );
    expect(rows).toHaveLength(1);
    expect(rows[0].facts).toMatchObject({ payer: address, recipient: STRANGER });
    await pool().query('ALTER TABLE outgoing_transfers DROP CONSTRAINT faulty');
    clock.set(T0 + 100_000);
    await storeQuarantined(context());
    expect((await pool().query('SELECT FROM outgoing_transfers WHERE payer = $1', [address])).rowCount).toBe(1);
  });
});
