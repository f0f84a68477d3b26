// `npm run bench -- watcher`: checks that the watcher handles twenty times each network's rate on one core with 100,000
// addresses. A block must cost the same as with 1,000. On Solana it counts the requests of a run. Network names as
// arguments select networks.

import { tsImport } from 'tsx/esm/api';
import { OWNERS, readAccounts } from './accounts.mjs';
import { BLOCKS_PER_ROUND, costPerBlock, FEW, keepUp, MANY } from './blocks.mjs';
import { openDatabases } from './database.mjs';
import { bundle, startNodes, startWatcher } from './processes.mjs';

const NETWORKS = [...Object.keys(BLOCKS_PER_ROUND), 'solana'];
/** Measures the named networks, or all. Resolves to whether every target was met. */
export async function bench(args) {
  const asked = args.filter((one) => NETWORKS.includes(one));
  const closers = [];
  try {
    return await measure(asked.length > 0 ? asked : NETWORKS, closers);
  } finally {
    for (const close of closers.toReversed()) await close();
  }
}

async function measure(networks, closers) {
  const { PACES } = await tsImport('./chain.ts', import.meta.url);
  const databases = await openDatabases();
  closers.push(() => databases.stop());
  const nodes = await startNodes(Math.floor(Date.now() / 1000));
  closers.push(() => nodes.stop());
  const program = await bundle('run');
  const urlsFor = await fillers(databases);

  const goals = [];
  for (const network of networks) {
    const databaseUrls = await urlsFor(network);
    const watcher = await startWatcher(program, { network, url: nodes.urlOf(network), databaseUrls });
    closers.push(() => watcher.stop());
    if (network === 'solana') {
      goals.push(...(await readAccounts({ nodes, watcher })));
      continue;
    }
    const subject = { network, nodes, watcher, pace: PACES[network] };
    const cost = await costPerBlock(subject);
    goals.push(...cost.goals, ...(await keepUp(subject, cost.height)));
  }
  console.log('');
  for (const { what, value, target, met } of goals)
    console.log(`${met ? 'met   ' : 'MISSED'}  ${what}: ${value} (target ${target})`);
  return goals.every(({ met }) => met);
}

/** The databases of a network, filled on first use. */
async function fillers(databases) {
  const { hashOf, watchedHex } = await tsImport('./chain.ts', import.meta.url);
  const { tronAddress } = await tsImport('../../../lib/networks/families/tron/address.ts', import.meta.url);
  const { keyText } = await tsImport('../../../lib/networks/families/solana/address.ts', import.meta.url);
  const sessions = Array.from({ length: MANY }, (_, n) => ({
    evm: `0x${watchedHex(n)}`,
    tron: tronAddress(watchedHex(n)),
    solana: keyText(Buffer.from(watchedHex(n).padEnd(64, '5'), 'hex')),
  }));
  const genesis = (network) => (network === 'tron' ? '' : '0x') + hashOf(network, 0);
  const chains = Object.keys(BLOCKS_PER_ROUND).map((network) => ({ network, genesis: genesis(network) }));
  const filled = new Map();
  const fill = async (count) => {
    if (!filled.has(count)) filled.set(count, await databases.fill(sessions.slice(0, count), chains));
    return filled.get(count);
  };
  return async (network) => (network === 'solana' ? [await fill(OWNERS)] : [await fill(FEW), await fill(MANY)]);
}
