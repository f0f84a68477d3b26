// The parts of `npm run bench -- treasury` by name, in the order in which they run. Each resolves to its goals. What other services need was
// published, or read from their sources or the main network, up to November 2026.

import { tsImport } from 'tsx/esm/api';
import { migrate } from '../../migrate.mjs';
import { addStore, openBenchServer, STORE, withMigrated } from '../database.mjs';
import { contracts } from './contracts.mjs';
import { goal, whole } from './goal.mjs';

const PAYOUTS = 1000;
const PLANNED_ADDRESSES = 100_000;
/** Cents that each of them holds. */
const PLANNED_CENTS = 50_00;
const LINES = 1_000_000;
const FORMATS = ['csv', 'json', 'journal'];
/** Until a hundred final deposits are in the treasury and in the ledger. */
const SECONDS = { most: 15, digits: 1, unit: ' s', peers: 'SHKeeper 6,000 s or more: one after the other' };
const FIRST_GAS = 33_500;
const LATER_GAS = 15_500;
const FIRST_PEERS = 'SHKeeper 62,294; ckETH 60,975; BitGo 53,322 and a deployment';
const LATER_PEERS = 'SHKeeper 41,000 to 62,000; BitGo 53,322';
const REAL = ['USDT', 'USDC'];
const EVM_TRANSACTIONS = { most: 2, peers: 'SHKeeper 200; BitGo 100; ckETH 10' };

export const PARTS = {
  planner,
  ethereum: () => onEvm('ethereum'),
  bsc: () => onEvm('bsc'),
  tron: () =>
    withDatabase(async (db) => {
      const { seconds, transactions, burned } = await (await measure('sweep-deposits')).sweepOnTron(db, true);
      return [
        goal('TRON: transactions for 100 deposits, forwarders', transactions, {
          most: 10,
          peers: 'SHKeeper 300 to 400',
        }),
        goal('TRON: TRX burned per deposit, energy staked', burned, {
          ...{ most: 0.1, digits: 3 },
          peers: 'SHKeeper 1.1 to 1.7',
        }),
        goal('TRON: 100 final deposits swept, forwarders', seconds, SECONDS),
      ];
    }),
  'tron-keys': () =>
    withDatabase(async (db) => {
      const { seconds, transactions, burned } = await (await measure('sweep-deposits')).sweepOnTron(db, false);
      console.log(
        `  addresses of keys: ${whole(transactions)} transactions, ${burned.toFixed(2)} TRX burned per deposit`,
      );
      return [goal('TRON: 100 final deposits swept, addresses of keys', seconds, SECONDS)];
    }),
  solana: () =>
    withDatabase(async (db) => {
      const { seconds, transactions, net, rent } = await (await measure('sweep-deposits')).sweepOnSolana(db);
      console.log(`  the node says that the rent of a token account is ${whole(rent)} lamports`);
      return [
        goal('Solana: transactions for 100 deposits, legacy messages', transactions, {
          ...{ most: 17 },
          peers: 'SHKeeper 100',
        }),
        goal('Solana: lamports that a deposit brings', net, {
          ...{ least: 1_480_000 },
          peers: 'SHKeeper -11,000, and the rent stays behind',
        }),
        goal('Solana: 100 final deposits swept', seconds, SECONDS),
      ];
    }),
  payouts: () =>
    withDatabase(async (db) => {
      const { seconds, transactions, gas } = await (await measure('payouts')).payPayouts(db, PAYOUTS);
      console.log(`  ${whole(PAYOUTS)} payouts were paid in ${seconds.toFixed(0)} s`);
      return [
        goal('Ethereum: transactions for 1,000 payouts', transactions, { most: 20, peers: 'transfers alone 1,000' }),
        goal('Ethereum: gas per USDT payout to a new holder', gas, { most: 31_000, peers: 'transfers alone 63,194' }),
      ];
    }),
  statement,
  contracts,
  real,
};

const measure = (name) => tsImport(`./${name}.ts`, import.meta.url);

/** A database of its own for the worker. */
async function withDatabase(work) {
  const { openWorkerDatabase } = await measure('worker-database');
  const server = await openBenchServer();
  try {
    await migrate(server.url);
    const db = await openWorkerDatabase(server.url);
    return await work(db).finally(() => db.close());
  } finally {
    await server.stop();
  }
}

const onEvm = (network) =>
  withDatabase(async (db) => {
    const { sweepOnEvm } = await measure('sweep-deposits');
    const [swept] = await sweepOnEvm(db, network);
    const name = network === 'bsc' ? 'BSC' : 'Ethereum';
    return [
      ...(network === 'ethereum' ? gasGoals(`${name}: USDT`, swept) : []),
      goal(`${name}: transactions for 100 deposits`, swept.transactions, EVM_TRANSACTIONS),
      goal(`${name}: 100 final deposits swept`, swept.seconds, SECONDS),
    ];
  });

const gasGoals = (name, { first, later }) => [
  goal(`${name}, gas of a first-time deposit, 50 a batch`, first, { most: FIRST_GAS, peers: FIRST_PEERS }),
  goal(`${name}, gas of a later deposit, 50 a batch`, later, { most: LATER_GAS, peers: LATER_PEERS }),
];

/** The same with the published sources of the tokens. */
async function real(directory) {
  if (directory === undefined) throw new Error('real needs --tokens=DIRECTORY, see docs/sweeping-contract.md');
  const { withRealTokens } = await measure('real-tokens');
  return withDatabase(async (db) => {
    const { sweepOnEvm } = await measure('sweep-deposits');
    const sweeps = await sweepOnEvm(db, 'ethereum', {
      currencies: REAL,
      prepare: (chain) => withRealTokens(chain, directory),
    });
    return sweeps.flatMap((swept, at) => gasGoals(`Ethereum: real ${REAL[at]}`, swept));
  });
}

/** The next batch of many addresses: worth a sweep, waiting for the screening of their senders, screened, and with dust. */
function planner() {
  return withDatabase(async ({ pool }) => {
    const { insertDeposits, insertPayments, makeDust, measurePlanner, screenSenders } = await measure('planner');
    const chainId = await insertDeposits(pool, PLANNED_ADDRESSES, PLANNED_CENTS);
    await pool.query('VACUUM ANALYZE');
    const addresses = `${whole(PLANNED_ADDRESSES)} addresses`;
    const plan = (isScreened) => measurePlanner(pool, chainId, { isScreened });
    const first = await plan(false);
    await insertPayments(pool, chainId, PLANNED_ADDRESSES);
    const unscreened = await plan(true);
    await screenSenders(pool, PLANNED_ADDRESSES);
    const screened = await plan(true);
    await makeDust(pool);
    const dust = await plan(true);
    const memory = Math.max(...[first, unscreened, screened, dust].map(({ mebibytes }) => mebibytes));
    return [
      ...[
        [`the next batch of ${addresses}`, first],
        ['the same with screened senders', screened],
        ['both reads while no sender is screened yet', unscreened],
        ['both reads while every address holds dust', dust],
      ].map(([what, { seconds }]) => goal(`planner: ${what}`, seconds, { most: 1, digits: 2, unit: ' s' })),
      goal(`planner: memory for ${addresses}`, memory, { most: 150, digits: 1, unit: ' MiB' }),
      goal(`planner: queries for ${addresses}`, first.queries, { most: 1 }),
    ];
  });
}

/** The month of a store as a file. `npm run bench -- statement` measures more of it. */
async function statement() {
  const { insertMonth, measureDownload, openReader } = await tsImport('../statement/measure.ts', import.meta.url);
  const server = await openBenchServer();
  try {
    const { masterKeys } = await withMigrated(server.url, addStore);
    const reader = openReader(server.url, masterKeys);
    try {
      console.log(`  ${whole(LINES)} payments are inserted`);
      const month = await insertMonth(reader.pool, STORE, LINES);
      await withMigrated(server.url, (client) => client.query('VACUUM ANALYZE'));
      const goals = [];
      for (const format of FORMATS) {
        const file = { format, query: `month=${month}` };
        const { seconds, cpuSeconds, mebibytes, lines } = await measureDownload(reader.context, STORE, file);
        if (lines < LINES) throw new Error(`the ${format} file has ${lines} lines`);
        console.log(`  ${format}: ${cpuSeconds.toFixed(1)} s of CPU without PostgreSQL's, ${whole(mebibytes)} MiB`);
        goals.push(
          goal(`statement of ${whole(LINES)} lines as ${format}`, seconds, { most: 60, digits: 1, unit: ' s' }),
        );
      }
      return goals;
    } finally {
      await reader.end();
    }
  } finally {
    await server.stop();
  }
}
