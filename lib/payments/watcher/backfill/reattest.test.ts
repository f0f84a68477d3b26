// Payments stored without a MAC get it from the chain, and only those that match the chain.

import { describe, expect, it } from 'vitest';
import { ChainError } from '@/lib/networks/chain';
import type { Pool } from '@/lib/platform/database/db';
import { readReceived } from '@/lib/refunds/approval/store-received';
import { readPayers } from '@/lib/refunds/destination/payers';
import { useWatchedSolana } from '@/testing/solana/solana-watched';
import { payment, useWatchedChain } from '@/testing/watching/watched-chain';
import { reattest } from './reattest';

const KEY = [Buffer.alloc(32, 9)] as const;

/** Sets the transfers of an address to the state that former versions stored without the key, with further changes. */
const withoutProof = async (pool: Pool, address: string, change = '') => {
  const client = await pool.connect();
  await client.query(`SET session_replication_role = replica; UPDATE transfers SET mac = NULL${change}
    WHERE recipient = '${address}'; SET session_replication_role = origin`);
  client.release();
};

/** Makes a store's entries so old that what was counted of them is kept. */
const ageEntries = async (pool: Pool, storeId: string) => {
  const client = await pool.connect();
  await client.query(`SET session_replication_role = replica; UPDATE ledger_entries SET created_at = created_at - interval '1 hour'
    WHERE store_id = '${storeId}'; SET session_replication_role = origin`);
  client.release();
};

describe('on a network that is read by blocks', () => {
  const { run, session, mine, node, pool, context, chainOf } = useWatchedChain();

  const payersOfSession = async (id: string) => {
    const { rows } = await pool().query('SELECT store_id FROM sessions WHERE id = $1', [id]);
    const refund = {
      id: 're',
      storeId: rows[0].store_id,
      environment: 'test',
      sessionId: id,
      network: 'ethereum',
    } as const;
    return readPayers(pool(), { ...refund, caseId: null }, KEY);
  };

  it('attests the payment, so that its payer can be refunded', async () => {
    await run();
    const { id, address } = await session();
    node().mine([payment(address)]);
    mine(8);
    await run();
    await withoutProof(pool(), address);
    expect(await payersOfSession(id)).toMatchObject([{ isProven: false }]);
    expect(await reattest(context(), chainOf(node().url), KEY)).toEqual({ proven: 1, failed: [] });
    expect(await payersOfSession(id)).toMatchObject([{ isProven: true }]);
    expect(await reattest(context(), chainOf(node().url), KEY)).toEqual({ proven: 0, failed: [] });
  });

  it('attests a payment again after the key was replaced, so that its payer can still be refunded', async () => {
    await run();
    const { id, address } = await session();
    node().mine([payment(address)]);
    mine(8);
    await run();
    await withoutProof(pool(), address);
    const former = [Buffer.alloc(32, 8)] as const;
    expect(await reattest(context(), chainOf(node().url), former)).toEqual({ proven: 1, failed: [] });
    expect(await payersOfSession(id)).toMatchObject([{ isProven: false }]);
    expect(await reattest(context(), chainOf(node().url), KEY)).toEqual({ proven: 1, failed: [] });
    expect(await payersOfSession(id)).toMatchObject([{ isProven: true }]);
  });

  it('drops the sums of what stores provably received, so that they are counted again', async () => {
    await run();
    const { id, address } = await session();
    node().mine([payment(address)]);
    mine(8);
    await run();
    await withoutProof(pool(), address);
    const { rows } = await pool().query('SELECT store_id FROM sessions WHERE id = $1', [id]);
    const store = { storeId: rows[0].store_id as string, environment: 'test' } as const;
    const received = async () => {
      const sums = await readReceived(pool(), { key: KEY, deposits: { owns: async () => true } }, store);
      return sums?.['ethereum/USDT'] ?? 0n;
    };
    await ageEntries(pool(), store.storeId);
    const before = await received();
    expect(await reattest(context(), chainOf(node().url), KEY)).toMatchObject({ proven: 1 });
    expect(await received()).toBeGreaterThan(before);
  });

  it.each([
    ['another payer', `, payer = '0x${'66'.repeat(20)}'`],
    ['another amount', ', amount = amount + 1'],
    ['a transaction that no block holds', `, transaction_hash = '0x${'77'.repeat(32)}'`],
    ['another session', `, session_id = (SELECT id FROM sessions WHERE id <> session_id LIMIT 1)`],
  ])('does not attest a payment that was stored with %s', async (_, change) => {
    await run();
    const { address } = await session();
    await session();
    node().mine([payment(address)]);
    mine(8);
    await run();
    await withoutProof(pool(), address, change);
    const { proven, failed } = await reattest(context(), chainOf(node().url), KEY);
    expect({ proven, failed: failed.length }).toEqual({ proven: 0, failed: 1 });
    const { rows } = await pool().query('SELECT mac FROM transfers WHERE recipient = $1', [address]);
    expect(rows).toEqual([{ mac: null }]);
  });

  it('reports a payment that cannot be read now, and attests it the next time', async () => {
    await run();
    const { address } = await session();
    node().mine([payment(address)]);
    mine(8);
    await run();
    await withoutProof(pool(), address);
    const chain = chainOf(node().url);
    const scan = () => Promise.reject(new ChainError('unavailable', 'no endpoint answers'));
    const away = await reattest(context(), { ...chain, adapter: { ...chain.adapter, scan } }, KEY);
    expect(away).toEqual({ proven: 0, failed: [expect.stringContaining('try again later')] });
    expect((await reattest(context(), chain, KEY)).proven).toBe(1);
  });

  it('allows a stored transfer to gain a MAC, and no other change', async () => {
    await run();
    const { address } = await session();
    node().mine([payment(address)]);
    mine(8);
    await run();
    const change = (what: string) => pool().query(`UPDATE transfers SET ${what} WHERE recipient = '${address}'`);
    await withoutProof(pool(), address);
    await expect(change("mac = '\\x01', amount = 1")).rejects.toThrow('append-only');
    await expect(change('mac = NULL, amount = 1')).rejects.toThrow('append-only');
    await change("mac = '\\x01'");
    await expect(change('mac = NULL')).rejects.toThrow('append-only');
  });
});

describe('on a network that is read by account', () => {
  const { run, session, mine, pay, node, pool, context, chainOf } = useWatchedSolana();

  it('attests a payment from the history of the account', async () => {
    await run();
    const { owner } = await session();
    pay(owner);
    mine(8);
    await run();
    await withoutProof(pool(), owner);
    expect(await reattest(context(), chainOf(node().url), KEY)).toEqual({ proven: 1, failed: [] });
    const { rows } = await pool().query('SELECT mac FROM transfers WHERE recipient = $1', [owner]);
    expect(rows[0].mac).toHaveLength(32);
  });
});
