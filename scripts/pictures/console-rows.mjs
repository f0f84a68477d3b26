// Rows for the pictures of the treasury, the costs, and a store's balances and payouts, as a few weeks of sweeps, payouts and refunds leave
// them, and a signed-in operator and merchant to see them.

import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { tsImport } from 'tsx/esm/api';
import { STORE } from '../bench/database.mjs';
import { LOCAL_COLD_WALLETS, localEntries } from '../start/local-treasury.mjs';
import { insert, text, units } from './rows.mjs';

const HOUR = 3600;
const DAY = 24 * HOUR;
const WEEK_HOURS = 7 * 24;
const NETWORKS = ['ethereum', 'bsc', 'tron', 'solana'];
const COINS = { ethereum: ['ETH', 18], bsc: ['BNB', 18], tron: ['TRX', 6], solana: ['SOL', 9] };
const WALLETS = {
  ethereum: ['0x5d1f3c4a8b2e97106f4ad30c7e8b51294a6cf083', '0x91c6a7d3e0582bf41d7e60a9c34b8f52d01e6a7b'],
  bsc: ['0x5d1f3c4a8b2e97106f4ad30c7e8b51294a6cf083', '0x91c6a7d3e0582bf41d7e60a9c34b8f52d01e6a7b'],
  tron: ['TQAMSrKJT8EfUnjgXVL9TeEYBtLALHSJTU', 'TDqdsvacpY3dQtsWYwoZEnfnmhrxHE77bR'],
  solana: ['2dHQ27fNtkt7MNxuU9atjimvDDRYA3Zn9j82uXVYNgJ5', 'yHkbn8c1aNojAehRnKr4gohgpiPVvoa1W6HyNwXM4nC'],
};
const MERCHANT_WALLET = '0x3f9a1c52d7e84b06a1d93c7f20e5b8846a0cd917';
/** The payout whose own page is taken. */
export const PAID_PAYOUT = `po_${text(20)}`;

/** The wallets and levels that the rows belong to. */
export const TREASURY_SETTINGS = {
  TREASURY_WALLETS: localEntries(Object.fromEntries(NETWORKS.map((network) => [network, 'refund-wallet']))),
  COLD_WALLETS: localEntries(LOCAL_COLD_WALLETS),
  REFUND_WALLET_LEVELS: ['ethereum', 'bsc', 'tron', 'solana']
    .map((network) => `${network}@local/USDT=10000:40000:60000`)
    .join(','),
  SPONSOR_LEVELS: Object.entries({
    ethereum: 'ETH=0.05:0.5',
    bsc: 'BNB=0.1:1',
    tron: 'TRX=500:20000',
    solana: 'SOL=1:10',
  })
    .map(([network, marks]) => `${network}@local/${marks}`)
    .join(','),
};

const ago = (seconds) => new Date(Date.now() - seconds * 1000);
const coins = (amount, network) => BigInt(Math.round(amount * 1e6)) * 10n ** BigInt(COINS[network][1] - 6);

/** Resolves to the login cookies of an operator and of the store's owner. `masterKeys`: of the service that reads them. */
export async function addConsole(client, chains, masterKeys) {
  const { rows } = await client.query('SELECT owner_id FROM stores WHERE id = $1', [STORE]);
  const owner = rows[0].owner_id;
  await insert(client, 'members', { store_id: STORE, user_id: owner, role: 'owner', created_at: ago(90 * DAY) });
  const operator = randomUUID();
  const person = {
    password_hash: '-',
    role: 'operator',
    totp_ciphertext: randomBytes(32),
    totp_confirmed_at: ago(DAY),
  };
  await insert(client, 'users', { id: operator, email: 'ines@till.example', email_confirmed_at: ago(DAY), ...person });
  await client.query(`UPDATE users SET email = 'lena@nordlicht.example', email_confirmed_at = now() WHERE id = $1`, [
    owner,
  ]);
  for (const [at, network] of NETWORKS.entries()) await addNetwork(client, { network, chain: chains.get(network), at });
  await addCoinPrices(client);
  await addPayouts(client, owner, chains.get('bsc'));
  return { operator: await logIn(client, operator, masterKeys), merchant: await logIn(client, owner, masterKeys) };
}

async function logIn(client, userId, masterKeys) {
  const { loginCookie } = await tsImport('../../lib/merchants/accounts/sign-in/cookie.ts', import.meta.url);
  const token = text(32).slice(0, 43);
  await insert(client, 'logins', {
    ...{ id: randomUUID(), token_hash: createHash('sha256').update(token).digest(), user_id: userId },
    ...{ created_at: ago(60), last_seen_at: ago(0), second_factor_at: ago(60), user_agent: 'Pictures', address: '-' },
  });
  const [version, key] = masterKeys.split(':');
  const config = {
    MASTER_KEYS: new Map([[Number(version), Buffer.from(key, 'base64')]]),
    PUBLIC_URL: 'http://127.0.0.1',
  };
  const [name, value] = (await loginCookie(config, token)).split(/[=;]/);
  return { name, value };
}

/** Cents of USDT that a network has sold, paid out, and so on. */
const SOLD = [1_284_050, 868_125, 2_310_900, 415_075];

async function addNetwork(client, { network, chain, at }) {
  const [wallet, sponsor] = WALLETS[network];
  const sold = SOLD[at];
  const of = { network, currency: 'USDT' };
  const cents = (amount) => BigInt(units(amount, network));
  const post = (kind, days, lines, more = {}) =>
    addEntry(client, { kind, days, more: { store_id: STORE, ...more } }, { ...of, lines });
  await addEntry(
    client,
    { kind: 'funding', days: 30 },
    { ...of, lines: moved('refund_wallet', 'operator', cents(4_000_000)) },
  );
  await post('transfer', 20 - at, moved('received', `store:${STORE}`, cents(sold)));
  await post('transfer', 6 - at, moved('received', `unresolved:${STORE}`, cents(1250 + at * 100)));
  await post('outflow', 3, moved('refund_wallet', 'received', cents(sold - 250_000)), { store_id: null });
  await post('refund_reserved', 2, moved(`store:${STORE}`, `refund:${STORE}`, cents(4_990)));
  await post('payout_reserved', 1, moved(`store:${STORE}`, `payout:${STORE}`, cents(125_000)));
  if (at === 1) await post('quarantined', 1, moved(`store:${STORE}`, `quarantined:${STORE}`, cents(31_700)));
  await addCosts(client, network, wallet, at);
  const coin = coins([1.25, 3.4, 5200, 12.5][at], network);
  await insert(client, 'sweep_states', {
    ...{ environment: 'test', network, treasury: wallet, sponsor, coin: coin.toString(), read_at: ago(20) },
    ...{ fees_per_hour: coins([0.5, 0.05, 1500, 0.125][at], network).toString() },
    fees_last_hour: coins([0.0021, 0.0003, 41.2, 0.0004][at], network).toString(),
    ...(network === 'tron' && { energy: '9413318', energy_read_at: ago(20) }),
    hold: at === 3 ? 'sponsor_low' : null,
  });
  if (network === 'tron')
    await insert(client, 'coin_stakes', {
      ...{ chain_id: chain, address: sponsor, staked: coins(12_000, network).toString(), read_at: ago(20) },
      ...{ unstaking: coins(1_500, network).toString(), withdrawable_at: ago(-9 * DAY) },
    });
  const held = { block_number: 980, read_at: ago(40) };
  const held_in = [
    ['wallet_balances', { asset: 'USDT', address: wallet }, 4_000_000 + sold - 250_000],
    ['cold_balances', { currency: 'USDT', address: LOCAL_COLD_WALLETS[network] }, 9_150_000 + at * 1_000_000],
  ];
  for (const [table, row, amount] of held_in)
    await insert(client, table, { chain_id: chain, ...row, amount: units(amount, network), ...held });
  await addHistory(client, { network, chain, at });
  await addSweeps(client, { network, chain, sponsor, at });
}

/** Two postings of opposite signs. */
const moved = (to, from, amount) => [
  [to, amount],
  [from, -amount],
];

async function addEntry(client, { kind, days, more = {} }, { network, currency, lines }) {
  await client.query('BEGIN');
  const row = { kind, environment: 'test', created_at: ago(days * DAY), ...more };
  const { rows } = await insert(client, 'ledger_entries', row);
  for (const [account, amount] of lines) {
    const posting = { entry_id: rows[0].id, account, network, currency, amount: amount.toString() };
    await insert(client, 'ledger_postings', posting);
  }
  await client.query('COMMIT');
}

async function addCosts(client, network, wallet, at) {
  const [currency] = COINS[network];
  for (const month of [0, 1, 2]) {
    const spent = coins([0.0184, 0.0031, 412.5, 0.0102][at] * (1 + month / 3), network);
    const extra = { tron: ['expense:energy', 96.4], solana: ['expense:rent', 0.0163] }[network];
    const more = extra ? [[extra[0], coins(extra[1], network)]] : [];
    const all = [['expense:network_fee', spent], ...more];
    const sum = all.reduce((total, [, amount]) => total + amount, 0n);
    await addEntry(
      client,
      { kind: 'coin_sweep', days: 1 + month * 30, more: { coin_source: `sweep:${network}:${month}` } },
      { network, currency, lines: [...all, [`fee_coin:${wallet}`, -sum]] },
    );
  }
}

const addCoinPrices = (client) =>
  client.query(`INSERT INTO coin_prices (coin, price, agreed_at) VALUES ('ETH', 3120, now()), ('BNB', 690, now()),
    ('TRX', 0.32, now()), ('SOL', 205, now()) ON CONFLICT (coin) DO UPDATE SET price = excluded.price, agreed_at = now()`);

/** A week of hourly readings: money arrives, and once a day the excess goes to the cold wallet. A few hours were not read. */
async function addHistory(client, { network, chain, at }) {
  const rows = Array.from({ length: WEEK_HOURS }, (_, back) => back).filter((back) => back < 60 || back > 70);
  const start = Math.floor(Date.now() / 1000 / HOUR) * HOUR;
  for (const back of rows) {
    const age = WEEK_HOURS - back;
    const refund = 4_000_000 + ((age * 137_000 * (at + 1)) % 2_000_000);
    const cold = 3_000_000 + Math.floor(age / 24) * 1_000_000;
    for (const [wallet, amount] of Object.entries({ refund, cold }))
      await insert(client, 'wallet_history', {
        ...{ chain_id: chain, currency: 'USDT', wallet, amount: units(amount, network) },
        hour: new Date((start - back * HOUR) * 1000),
      });
  }
}

async function addSweeps(client, { network, chain, sponsor, at }) {
  for (const n of [0, 1, 2]) {
    const { rows } = await insert(client, 'sweeps', {
      ...{ environment: 'test', network, chain_id: chain, kind: network === 'tron' ? 'transfer' : 'batch' },
      ...{ status: 'final', currency: 'USDT', sender: sponsor, request: '{}', terms: '{}', bytes: '00' },
      ...{ hashes: [`0x${text(32)}`], fee: coins([0.0007, 0.0001, 13.7, 0.0001][at], network).toString() },
      ...{ created_at: ago(HOUR * (n + 1) + 90), signed_at: ago(HOUR * (n + 1) + 60), ended_at: ago(HOUR * (n + 1)) },
    });
    const amount = units(12_450 + n * 8_000 + at * 1_000, network);
    await insert(client, 'sweep_items', {
      ...{ sweep_id: rows[0].id, chain_id: chain, address: `0x${text(20)}`, address_index: n, session_id: '-' },
      ...{
        currency: 'USDT',
        decimals: network === 'bsc' ? 18 : 6,
        amount,
        moved: amount,
        ended_at: ago(HOUR * (n + 1)),
      },
    });
  }
}

async function addPayouts(client, owner, chain) {
  const of = { store_id: STORE, environment: 'test' };
  const address = { ...of, network: 'bsc', address: MERCHANT_WALLET, created_at: ago(9 * DAY), created_by: owner };
  const announced = { mailed_at: ago(9 * DAY), pay_after: ago(8 * DAY), notice_mac: randomBytes(32) };
  await insert(client, 'payout_addresses', { id: 'pa_pictures', ...address, ...announced, stop_hash: randomBytes(32) });
  const schedule = { ...of, currency: 'USDT', created_at: ago(8 * DAY), updated_at: ago(8 * DAY) };
  await insert(client, 'payout_schedules', {
    ...{ ...schedule, network: 'bsc', interval: 'daily', least: 5_000, keep: 20_000 },
    next_run_at: new Date((Math.floor(Date.now() / 1000 / DAY) + 1) * DAY * 1000),
  });
  await insert(client, 'payout_schedules', {
    ...{ ...schedule, network: 'tron', interval: 'threshold', least: 100_000 },
    ...{ next_run_at: ago(-HOUR), reason: 'balance' },
  });
  const sent = { destination: MERCHANT_WALLET, destination_kind: 'payout', destination_reference: 'pa_pictures' };
  const states = [
    { status: 'processing', amount: 125_000, sign_after: ago(0), hold: 'paused', hold_message: '-', held_at: ago(0) },
    { status: 'completed', amount: 86_400, id: PAID_PAYOUT, ...sent },
    { status: 'completed', amount: 112_050, ...sent },
    { status: 'failed', amount: 40_000, failure_reason: 'The transaction was not executed.', ...sent },
  ];
  for (const [n, state] of states.entries())
    await insert(client, 'payouts', {
      ...{ ...of, id: `po_${text(20)}`, payout_id: `schedule-${n}`, network: 'bsc', currency: 'USDT', ...state },
      ...{ request_hash: randomBytes(32), created_at: ago(n * DAY + 300) },
      ...(state.destination && {
        ...{ sign_after: ago(n * DAY + 240), signature_requested_at: ago(n * DAY + 200), processed_at: ago(n * DAY) },
        destination_mac: randomBytes(32),
      }),
      ...(state.status === 'completed' && { transaction_hash: `0x${text(32)}` }),
    });
  await client.query(
    `INSERT INTO refund_attempts (intent_id, number, chain_id, status, draft, hash, bytes, validity, drafted_at, signed_at, sent_at,
       ended_at, confirmations)
     SELECT id, 1, $2, 'landed', '{}', transaction_hash, '00', '{}', signature_requested_at, signature_requested_at,
       signature_requested_at, processed_at, 15 FROM payouts WHERE id = $1`,
    [PAID_PAYOUT, chain],
  );
}
