// `npm run bench -- treasury`: the gas and the transactions of sweeps and of payouts in batches on a local chain of Ethereum, beside published
// figures of other services, the energy of forwarders on a local chain of TRON, and the planner over 100,000 addresses. The tokens are the
// sandbox's, which behave like USDT and USDC. docs/sweeping-contract.md has the figures of the tokens' real sources.

import { tsImport } from 'tsx/esm/api';
import { migrate } from '../migrate.mjs';
import { openBenchServer } from './database.mjs';
import { judge } from './setup.mjs';

const BATCHES = [1, 10, 50, 100];
const USUAL_BATCH = 50;
const PAYOUTS = 1000;
/** Of `PAYOUTS` to new holders of USDT. */
const PAYOUT_TARGETS = { transactions: 20, gas: 31_000 };
const TARGETS = { first: 33_500, later: 15_500, transactions: 2, seconds: 1, mebibytes: 150 };
/** Of forwarders on TRON: deposits of one call, and the goals for energy and transactions. */
const FORWARDERS = [1, 10, 20];
const TRON_TARGETS = { first: 115_000, later: 75_000, transactions: 10 };
const PLANNED_ADDRESSES = 100_000;
/**
 * Other services: gas of a first-time USDT deposit and transactions for 100 of them, as published or read from the main network up to
 * November 2026.
 */
const OTHERS = [
  ['ckETH: helper contract, 10 a batch', '60,975', '10'],
  ['BitGo: a forwarder is flushed; its deployment is not counted', '53,322', '100'],
];

/** Resolves to whether every target was met. */
export async function bench() {
  const measure = await tsImport('./treasury/measure.ts', import.meta.url);
  const { subjects, stop } = await measure.openSweeps();
  try {
    const rows = [];
    for (const batch of BATCHES) {
      const row = { batch };
      for (const [currency, subject] of Object.entries(subjects))
        row[currency] = await measure.gasPerDeposit(subject, batch);
      rows.push(row);
    }
    const topUp = await measure.gasOfTopUpAndTransfer(subjects.USDT);
    const transactions = await measure.transactionsFor(subjects.USDT, 100, USUAL_BATCH);
    const payouts = await measure.payInBatches(subjects.USDT, PAYOUTS);
    print(rows, Object.keys(subjects));
    printOthers([
      [`this service, ${USUAL_BATCH} a batch`, whole(usual(rows).USDT.first), whole(transactions)],
      ['coin for the fee, then a transfer, as SHKeeper does (measured here)', whole(topUp), '200'],
      ...OTHERS,
    ]);
    const tron = await forwarders();
    const evm = [...goals(usual(rows).USDT, transactions), ...payoutGoals(payouts)];
    return judge([...evm, ...tron, ...plannerGoals(await plan())]);
  } finally {
    await stop();
  }
}

/** Prints the energy of forwarders on TRON. Returns their goals. */
async function forwarders() {
  const measure = await tsImport('./treasury/measure-tron.ts', import.meta.url);
  const scene = await measure.openForwarding();
  try {
    console.log('\nforwarders on TRON: energy per USDT deposit, the first flush of an address and later ones');
    let usualEnergy = { first: 0, later: 0 };
    for (const count of FORWARDERS) {
      usualEnergy = await measure.energyPerDeposit(scene, count);
      const values = [usualEnergy.first, usualEnergy.later].map((value) => whole(value).padStart(13));
      console.log(`  ${String(count).padStart(5)}${values.join('')}`);
    }
    const calls = await measure.callsFor(scene, 100);
    const goal = (what, value, target) => ({
      what,
      value: whole(value),
      target: `at most ${whole(target)}`,
      met: value <= target,
    });
    return [
      goal('energy per first-time USDT deposit of twenty forwarders', usualEnergy.first, TRON_TARGETS.first),
      goal('energy per later USDT deposit of twenty forwarders', usualEnergy.later, TRON_TARGETS.later),
      goal('transactions for 100 deposits with forwarders on TRON', calls, TRON_TARGETS.transactions),
    ];
  } finally {
    await scene.node.stop();
  }
}

/** The next batch of many addresses that are worth a sweep, planned on a PostgreSQL of its own. */
async function plan() {
  const [planner, { openPool }] = await Promise.all([
    tsImport('./treasury/planner.ts', import.meta.url),
    tsImport('../../lib/platform/database/db.ts', import.meta.url),
  ]);
  const server = await openBenchServer();
  try {
    await migrate(server.url);
    const pool = openPool(server.url, 1);
    try {
      const chainId = await planner.insertDeposits(pool, PLANNED_ADDRESSES, 50_00);
      await pool.query('VACUUM ANALYZE');
      return await planner.measurePlanner(pool, chainId);
    } finally {
      await pool.end();
    }
  } finally {
    await server.stop();
  }
}

const usual = (rows) => rows.find(({ batch }) => batch === USUAL_BATCH);
const whole = (value) => Math.round(value).toLocaleString('en-US');

function print(rows, currencies) {
  console.log('\ngas per deposit: the first sweep of an address, and later ones');
  const titles = currencies.flatMap((currency) => [`${currency} first`, `${currency} later`]);
  console.log(`  batch${titles.map((title) => title.padStart(13)).join('')}`);
  for (const row of rows) {
    const values = currencies.flatMap((currency) => [row[currency].first, row[currency].later]);
    console.log(`  ${String(row.batch).padStart(5)}${values.map((value) => whole(value).padStart(13)).join('')}`);
  }
}

function printOthers(ways) {
  console.log('\nfirst-time USDT deposits: gas of each, transactions for 100');
  for (const [name, gas, transactions] of ways)
    console.log(`  ${gas.padStart(8)} ${transactions.padStart(5)}  ${name}`);
}

function goals({ first, later }, transactions) {
  const goal = (what, value, target) => ({
    what,
    value: whole(value),
    target: `at most ${whole(target)}`,
    met: value <= target,
  });
  return [
    goal(`gas per first-time USDT deposit in a batch of ${USUAL_BATCH}`, first, TARGETS.first),
    goal(`gas per later USDT deposit in a batch of ${USUAL_BATCH}`, later, TARGETS.later),
    goal('transactions for 100 deposits', transactions, TARGETS.transactions),
  ];
}

function payoutGoals({ transactions, gas }) {
  return [
    {
      what: `transactions for ${whole(PAYOUTS)} payouts`,
      value: whole(transactions),
      target: `at most ${whole(PAYOUT_TARGETS.transactions)}`,
      met: transactions <= PAYOUT_TARGETS.transactions,
    },
    {
      what: 'gas per USDT payout to a new holder',
      value: whole(gas),
      target: `at most ${whole(PAYOUT_TARGETS.gas)}`,
      met: gas <= PAYOUT_TARGETS.gas,
    },
  ];
}

function plannerGoals({ seconds, mebibytes }) {
  const what = `to plan the next batch of ${whole(PLANNED_ADDRESSES)} addresses`;
  return [
    {
      what: `seconds ${what}`,
      value: seconds.toFixed(2),
      target: `at most ${TARGETS.seconds}`,
      met: seconds <= TARGETS.seconds,
    },
    {
      what: `MiB ${what}`,
      value: mebibytes.toFixed(1),
      target: `at most ${TARGETS.mebibytes}`,
      met: mebibytes <= TARGETS.mebibytes,
    },
  ];
}
