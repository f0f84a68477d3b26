import { beforeEach, describe, expect, it } from 'vitest';
import { checkBooks } from '@/lib/ledger/invariants/check';
import { transferLog } from '@/testing/evm/fake-evm-node';
import { DUE, localEthereum, T0, usdt, useWatchedChain } from '@/testing/watching/watched-chain';
import { isKeptBack, readCandidates } from './candidates';
import { rulesOf } from './rules';

const { run, mine, pay, node, row, session, pool } = useWatchedChain();
const TREASURY = '0x52908400098527886e0f7030069857d2e4169ee7';
const [HOUR, DAY] = [3600, 86_400];
const ethereum = rulesOf({ chain: 'mainnet', network: 'ethereum' });

/** A paid session whose payment is final and credited, and whose end is an hour ago. */
async function paid() {
  await run();
  const { id, address } = await session();
  pay(address);
  mine(4);
  await run();
  return { id, address };
}

/** What leaves an address, final and stored. */
async function sweep(address: string, amount: bigint) {
  node().mine([{ logs: [transferLog(usdt, address, TREASURY, amount)] }]);
  mine(4);
  await run();
}

type Changes = { readonly delay?: number; readonly cost?: bigint; readonly at?: number };
async function queryOf({ delay = 0, cost = 5n, at = T0 + 3 * HOUR }: Changes) {
  const { id: chainId } = await row();
  const now = new Date(at * 1000);
  return {
    chainId,
    currencies: Object.keys(localEthereum.tokens),
    closedBefore: new Date(now.getTime() - delay * 1000),
    rules: ethereum,
    cost,
    now,
    isScreened: false,
  };
}
const candidates = async (changes: Changes = {}) => readCandidates(pool(), await queryOf(changes));
const addresses = async (changes?: Changes) => (await candidates(changes)).map(({ address }) => address);

const held = async (address: string) =>
  (
    await pool().query<{ amount: string }>('SELECT amount::text FROM deposit_balances WHERE address = $1', [address])
  ).rows.map(({ amount }) => BigInt(amount));

describe('what a deposit address holds', () => {
  it('is what arrived less what left, and nothing is kept for an empty one', async () => {
    const { address } = await paid();
    expect(await held(address)).toEqual([DUE]);
    pay(address);
    await sweep(address, 3_000_000n);
    expect(await held(address)).toEqual([2n * DUE - 3_000_000n]);
    await sweep(address, 2n * DUE - 3_000_000n);
    expect(await held(address)).toEqual([]);
  });

  it('counts a transfer once that is found twice', async () => {
    const { address } = await paid();
    await pool().query('UPDATE chains SET final_number = final_number - 5 WHERE retired_at IS NULL');
    await run();
    expect(await held(address)).toEqual([DUE]);
  });

  it('that differs from its transfers violates an invariant', async () => {
    const { address } = await paid();
    const broken = async () => (await checkBooks(pool())).find(({ id }) => id === 'INV-2j')?.count;
    expect(await broken()).toBe(0);
    await pool().query('UPDATE deposit_balances SET amount = amount - 1 WHERE address = $1', [address]);
    expect(await broken()).toBe(1);
    await pool().query('DELETE FROM deposit_balances WHERE address = $1', [address]);
    expect(await broken()).toBe(1);
  });
});

describe('a candidate for a sweep', () => {
  it('is an address of a closed session, with what it holds and since when', async () => {
    const { id, address } = await paid();
    const [one] = (await candidates()).filter((found) => found.address === address);
    expect(one).toMatchObject({ sessionId: id, currency: 'USDT', decimals: 6, amount: DUE, cents: 1234n });
    expect(one?.since.getTime()).toBeGreaterThan(T0 * 1000);
  });

  it('is none while its session is open, or was until lately', async () => {
    const open = await session();
    node().mine([{ logs: [transferLog(usdt, TREASURY, open.address, DUE - 1_000_000n)] }]);
    mine(4);
    await run();
    const { address } = await paid();
    expect(await addresses()).toContain(address);
    expect(await addresses()).not.toContain(open.address);
    expect(await addresses({ delay: 4 * HOUR })).not.toContain(address);
  });

  it('is none while it is in doubt, in another sweep, postponed, or its session is in quarantine', async () => {
    const [doubted, swept, postponed, quarantined] = [await paid(), await paid(), await paid(), await paid()];
    const { id: chainId } = await row();
    const all = [doubted, swept, postponed, quarantined].map(({ address }) => address);
    expect(await addresses()).toEqual(expect.arrayContaining(all));
    await pool().query(
      `INSERT INTO discrepancies (environment, network, chain_id, currency, address, expected, found, found_at)
       VALUES ('test', 'ethereum', $1, 'USDT', $2, 1, 0, now())`,
      [chainId, doubted.address],
    );
    await pool().query(
      `WITH sweep AS (INSERT INTO sweeps (environment, network, chain_id, kind, sender, request, terms, created_at)
           VALUES ('test', 'ethereum', $1, 'batch', $2, '{}', '{}', now()) RETURNING id)
       INSERT INTO sweep_items (sweep_id, chain_id, address, address_index, session_id, currency, decimals, amount)
       SELECT id, $1, $2, 1, $3, 'USDT', 6, 1 FROM sweep`,
      [chainId, swept.address, swept.id],
    );
    await pool().query('UPDATE deposit_balances SET not_before = $2 WHERE address = $1', [
      postponed.address,
      new Date((T0 + DAY) * 1000),
    ]);
    await pool().query(
      `INSERT INTO quarantine (kind, subject_id, session_id, step, error, attempts, first_at, last_at, next_run_at)
       VALUES ('session', $1, $1, 'settle', 'x', 1, now(), now(), now())`,
      [quarantined.id],
    );
    const found = await addresses();
    for (const address of all) expect(found).not.toContain(address);
  });

  it('is found behind dust that is older', async () => {
    await run();
    const dusty = await session();
    await pool().query(`UPDATE sessions SET status = 'expired', closed_at = created_at WHERE id = $1`, [dusty.id]);
    node().mine([{ logs: [transferLog(usdt, TREASURY, dusty.address, 1_000_000n)] }]);
    mine(4);
    await run();
    const { address } = await paid();
    expect(await held(dusty.address)).toEqual([1_000_000n]);
    expect(await addresses()).not.toContain(dusty.address);
    expect(await addresses()).toContain(address);
    // After thirty days it is worth twice its cost.
    expect(await addresses({ at: T0 + 31 * DAY, cost: 50n })).toContain(dusty.address);
    expect(await addresses({ at: T0 + 31 * DAY, cost: 51n })).not.toContain(dusty.address);
  });
});

describe('money that waits for a lower fee', () => {
  const kept = async (changes: Changes) => isKeptBack(pool(), await queryOf(changes));
  beforeEach(() => pool().query('DELETE FROM deposit_balances'));

  it('is kept back once it should have gone, and not before', async () => {
    await paid();
    const dear = { cost: 1000n };
    expect(await candidates({ ...dear, at: T0 + 2 * DAY })).toEqual([]);
    expect(await kept({ ...dear, at: T0 + DAY - HOUR })).toBe(false);
    expect(await kept({ ...dear, at: T0 + 2 * DAY })).toBe(true);
    // It has been ready for less than a day.
    expect(await kept({ ...dear, at: T0 + 2 * DAY, delay: DAY + HOUR })).toBe(false);
  });

  it('is none of an address that holds dust, or that may not be swept for another reason', async () => {
    const { address } = await paid();
    const late = { cost: 1000n, at: T0 + 2 * DAY };
    await pool().query('UPDATE deposit_balances SET not_before = $1', [new Date((T0 + 3 * DAY) * 1000)]);
    expect(await kept(late)).toBe(false);
    await pool().query('UPDATE deposit_balances SET not_before = NULL');
    expect(await kept(late)).toBe(true);
    await pool().query('UPDATE deposit_balances SET amount = 4990000 WHERE address = $1', [address]);
    expect(await kept(late)).toBe(false);
    expect(await kept({ ...late, at: T0 + 40 * DAY })).toBe(false);
  });
});
