// The contracts alone on local chains, without the worker: gas of sweeps by the size of the batch, of the way that SHKeeper goes, and the
// energy of forwarders on TRON. docs/sweeping-contract.md has the tables.

import { tsImport } from 'tsx/esm/api';
import { goal, whole } from './goal.mjs';

const BATCHES = [1, 10, 50, 100];
/** Deposits of one call of the contract of forwarders. */
const FORWARDERS = [1, 10, 20];
const ENERGY = { first: 115_000, later: 75_000 };
/** Of a transfer by a key. */
const ENERGY_PEERS = 'a transfer alone 64,285, and 1.1 TRX';

/** Prints the tables. Resolves to the goals. */
export async function contracts() {
  await gas();
  return energy();
}

async function gas() {
  const { openSweeps, gasPerDeposit, gasOfTopUpAndTransfer } = await tsImport('./measure.ts', import.meta.url);
  const { subjects, stop } = await openSweeps();
  try {
    const titles = Object.keys(subjects).flatMap((currency) => [`${currency} first`, `${currency} later`]);
    console.log('  gas per deposit: the first sweep of an address, and later ones');
    print('batch', titles);
    for (const batch of BATCHES) {
      const values = [];
      for (const subject of Object.values(subjects)) {
        const { first, later } = await gasPerDeposit(subject, batch);
        values.push(whole(first), whole(later));
      }
      print(batch, values);
    }
    const topUp = await gasOfTopUpAndTransfer(subjects.USDT);
    console.log(`  ${whole(topUp)} for coin for the fee and then a transfer, as SHKeeper does`);
  } finally {
    await stop();
  }
}

async function energy() {
  const { energyPerDeposit, openForwarding } = await tsImport('./measure-tron.ts', import.meta.url);
  const scene = await openForwarding();
  try {
    console.log('  energy per USDT deposit by forwarders on TRON');
    print('call', ['first', 'later']);
    let usual = { first: 0, later: 0 };
    for (const count of FORWARDERS) {
      usual = await energyPerDeposit(scene, count);
      print(count, [whole(usual.first), whole(usual.later)]);
    }
    return [
      goal('TRON: energy of a first-time deposit, 20 forwarders', usual.first, {
        most: ENERGY.first,
        peers: ENERGY_PEERS,
      }),
      goal('TRON: energy of a later deposit, 20 forwarders', usual.later, { most: ENERGY.later, peers: ENERGY_PEERS }),
    ];
  } finally {
    await scene.node.stop();
  }
}

const print = (first, values) =>
  console.log(`  ${String(first).padStart(5)}${values.map((value) => value.padStart(13)).join('')}`);
