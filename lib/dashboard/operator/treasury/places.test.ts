// The page Treasury shows what every wallet of a network holds, what is frozen and in quarantine, the energy, and the levels over time. What
// the worker has not read is shown as that, never as 0.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { recordWalletHistory } from '@/lib/ledger/wallet-history/record';
import { storeState } from '@/lib/sweeps/state';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { TestClock, testConfig, testContext } from '@/testing/fixtures';
import { openStoredSweeps, type StoredSweeps } from '@/testing/sweeps/stored-sweeps';
import { readPlaces } from './places';
import { readTreasury } from './read';
import { readHistory } from './wallet-history';

const [TREASURY, COLD] = [`0x${'a1'.repeat(20)}`, `0x${'c0'.repeat(20)}`] as const;
const HOUR = 3600;
const COIN = 10n ** 18n;
/** The beginning of a day in UTC. */
const START = 1_799_971_200;
const settings = {
  LIVE_BSC_URLS: 'http://127.0.0.1:1',
  LIVE_TRON_URLS: 'http://127.0.0.1:1',
  TREASURY_WALLETS: `bsc@mainnet=${TREASURY}`,
  COLD_WALLETS: `bsc@mainnet=${COLD}`,
  REFUND_WALLET_LEVELS: 'bsc@mainnet/USDT=100:500',
};
let clock: TestClock;
let db: TestDatabase;
let bsc: StoredSweeps;

beforeAll(async () => {
  clock = new TestClock(START);
  db = await openTestDatabase();
  bsc = await openStoredSweeps(db, clock, { network: 'bsc', decimals: 18 });
});
afterAll(() => db.close());
beforeEach(async () => {
  await db.pool.query('TRUNCATE wallet_history, wallet_balances, treasury_balances, cold_balances, deposit_balances');
  await db.pool.query('TRUNCATE sweep_states, screenings, quarantine');
});

const context = (over: Record<string, string> = {}) => testContext(db, clock, testConfig({ ...settings, ...over }));
const places = async (over = {}) =>
  (await readPlaces(context(over), 'live')).find(({ network }) => network === 'bsc') ?? expect.fail('no bsc');
const usdt = async (over = {}) => (await places(over)).tokens.find(({ currency }) => currency === 'USDT');
const query = (text: string, values: unknown[]) => db.pool.query(text, values);

async function read(dollars: { refund?: bigint; treasury?: bigint; cold?: bigint }) {
  const values = (amount: bigint, address: string) => [bsc.chainId, address, (amount * COIN).toString(), clock.now()];
  if (dollars.refund !== undefined)
    await query(
      `INSERT INTO wallet_balances (chain_id, address, asset, amount, block_number, read_at) VALUES ($1, $2, 'USDT', $3, 7, $4)
       ON CONFLICT (chain_id, address, asset) DO UPDATE SET amount = EXCLUDED.amount, read_at = EXCLUDED.read_at`,
      values(dollars.refund, '0xw'),
    );
  for (const wallet of ['treasury', 'cold'] as const) {
    const amount = dollars[wallet];
    if (amount === undefined) continue;
    await query(
      `INSERT INTO ${wallet}_balances (chain_id, address, currency, amount, block_number, read_at) VALUES ($1, $2, 'USDT', $3, 8, $4)`,
      values(amount, wallet === 'cold' ? COLD : TREASURY),
    );
  }
}

describe('the wallets of a network', () => {
  test('are not read before their first reading, and absent where the settings name none', async () => {
    expect(await usdt()).toMatchObject({ refundWallet: null, treasury: null, cold: null });
    const without = { TREASURY_WALLETS: 'bsc@mainnet=refund-wallet', COLD_WALLETS: '' };
    expect(await usdt(without)).toMatchObject({ refundWallet: null, treasury: 'none', cold: 'none' });
    await read({ cold: 0n });
    expect(await usdt()).toMatchObject({ refundWallet: null, treasury: null, cold: { amount: '0.00', block: 8 } });
  });

  test('hold what the chain reported, up to a block, also without marks', async () => {
    await read({ refund: 12n, treasury: 34n, cold: 56n });
    expect(await usdt({ REFUND_WALLET_LEVELS: '' })).toMatchObject({
      refundWallet: { amount: '12.00', block: 7 },
      treasury: { amount: '34.00', block: 8 },
      cold: { amount: '56.00', block: 8 },
    });
    expect((await places()).tokens.find(({ currency }) => currency === 'USDC')).toMatchObject({ refundWallet: null });
    expect((await readPlaces(context(), 'live')).map(({ network }) => network).toSorted()).toEqual(['bsc', 'tron']);
  });
});

test('money of a sender with a hit is frozen until the hit is released, and no other money', async () => {
  await bsc.held(7_00);
  const tainted = await bsc.held(5_00);
  await query(
    `INSERT INTO transfers (chain_id, network, session_id, transaction_hash, ordinal, block_number, block_hash, block_time, currency,
       contract, payer, recipient, amount, decimals) VALUES ($1, 'bsc', $2, '0x77', 0, 1, '', now(), 'USDT', '0xc', '0xbad', $3, 1, 18)`,
    [bsc.chainId, tainted.id, tainted.address],
  );
  expect(await usdt()).toMatchObject({ frozen: '0.000000000000000000', frozenAddresses: 0 });
  await query(
    `INSERT INTO screenings (environment, network, address, role, transaction_hash, verdict, source, entity, requested_at, checked_at)
     VALUES ('live', 'bsc', '0xbad', 'sender', '0x77', 'hit', 'hook', 'A mixer', $1, $1)`,
    [clock.now()],
  );
  expect(await usdt()).toMatchObject({ frozen: '5.000000000000000001', frozenAddresses: 1 });
  await query('UPDATE screenings SET released_at = $1', [clock.now()]);
  expect(await usdt()).toMatchObject({ frozenAddresses: 0 });
});

test('rows in quarantine are counted by network and environment until they are resolved', async () => {
  const insert = (id: string, environment: string | null, network: string | null, isResolved = false) =>
    query(
      `INSERT INTO quarantine (kind, subject_id, environment, network, step, error, attempts, first_at, last_at, next_run_at, resolved_at)
       VALUES ('outgoing_transfer', $1, $2::"Environment", $3, 's', 'e', 1, $4, $4, $4, $5)`,
      [id, environment, network, clock.now(), isResolved ? clock.now() : null],
    );
  await insert('1', 'live', 'bsc');
  await insert('2', 'live', 'bsc', true);
  await insert('3', 'test', 'bsc');
  await insert('4', 'live', 'tron');
  await insert('5', null, null);
  expect((await places()).quarantined).toBe(1);
});

describe('the energy that is left', () => {
  const wallets = { treasury: 't', active: 's', delegate: null, feesPerHour: '1', feesLastHour: '0' };
  const store = (over: object) =>
    storeState(db.pool, { environment: 'live', network: 'tron' }, {
      wallets,
      coin: 1n,
      energy: null,
      hold: null,
      now: clock.now(),
      ...over,
    } as Parameters<typeof storeState>[2]);
  const shown = async (network: string) =>
    (await readTreasury(context(), 'live')).networks.find((one) => one.network === network)?.wallets?.energy;

  test('is not read at first, then has the time of its reading, and is that of another sponsor no longer', async () => {
    await store({});
    expect(await shown('tron')).toBeNull();
    const energy = { left: 65_000n, readAt: clock.now() };
    await store({ energy });
    expect(await shown('tron')).toEqual(energy);
    await store({});
    expect(await shown('tron')).toEqual(energy);
    await store({ wallets: { ...wallets, active: 'spare' } });
    expect(await shown('tron')).toBeNull();
  });

  test('is shown for networks with energy only', async () => {
    await bsc.state();
    expect(await shown('bsc')).toBe('none');
  });
});

describe('the levels over time', () => {
  const history = (span: 'week' | 'quarter' | 'year', over = {}) => readHistory(context(over), 'live', span);

  test('are the last reading of each period with the marks of the refund wallet, and null where nothing was read', async () => {
    const now = clock.now().getTime() / 1000;
    await read({ refund: 120n, cold: 900n });
    await recordWalletHistory(context());
    clock.advance(7 * HOUR);
    await read({ refund: 80n });
    await recordWalletHistory(context());
    const { periods, tokens } = await history('week');
    expect([periods.length, periods.at(-1), periods[1]! - periods[0]!]).toEqual([56, now + 6 * HOUR, 3 * HOUR]);
    const [refund, cold] = tokens[0]!.lines;
    expect(tokens).toMatchObject([
      { network: 'bsc', currency: 'USDT', lines: [{ wallet: 'refund' }, { wallet: 'cold' }] },
    ]);
    const [first, last] = ['120.000000000000000000', '80.000000000000000000'];
    expect([refund!.amounts.slice(-4), cold!.amounts.slice(-4)]).toEqual([
      [null, first, null, last],
      [null, '900.000000000000000000', null, null],
    ]);
    expect([refund!.marks, cold!.marks]).toEqual([
      { low: '100.000000000000000000', high: '500.000000000000000000' },
      null,
    ]);
    expect((await history('week', { REFUND_WALLET_LEVELS: '' })).tokens[0]!.lines[0]!.marks).toBeNull();
    expect((await history('quarter')).tokens[0]!.lines[0]!.amounts.at(-1)).toBe(last);
    clock.advance(8 * 24 * HOUR);
    expect((await history('week')).tokens).toEqual([]);
    expect((await history('year')).tokens[0]!.lines[0]!.amounts.filter((one) => one !== null)).toEqual([last]);
  });

  test('end with the present period and reach back as far as the span says', async () => {
    for (const [span, days] of [
      ['week', 7],
      ['quarter', 90],
      ['year', 7 * 53],
    ] as const) {
      const { periods } = await history(span);
      const length = periods[1]! - periods[0]!;
      expect(periods.length * length).toBe(days * 24 * HOUR);
      const now = clock.now().getTime() / 1000;
      expect(now - periods.at(-1)!).toBeGreaterThanOrEqual(0);
      expect(now - periods.at(-1)!).toBeLessThan(length);
    }
  });
});
