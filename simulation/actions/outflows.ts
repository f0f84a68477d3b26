// What leaves deposit addresses beside the product's sweeps: the operator sweeps them with tools of their own, and a thief with a stolen key empties
// one. The operator explains a theft once it is reported, because signing stops until then.

import { explainDiscrepancy } from '@/lib/ledger/reconciliation/discrepancies';
import type { SimulatedChain } from '@/simulation/chain/chain';
import { currencyOf } from '@/simulation/chain/units';
import { treasuryOf } from '@/simulation/cold/settings';
import { THIEF } from '@/simulation/parties';
import { depositAddress } from '@/simulation/stores';
import type { World } from '@/simulation/world';
import type { Action, Scene } from './action';
import { attempt } from './attempt';

type Holding = { readonly address: string; readonly token: string; readonly amount: bigint };

/** What deposit addresses hold at finality, less what was sent from them already and is not final. */
function holdings({ sessions, records }: World, chain: SimulatedChain): readonly Holding[] {
  const addresses = new Set(sessions.map((terms) => depositAddress(terms, chain)));
  const held = new Map<string, Holding>();
  const add = (address: string, token: string, amount: bigint): void => {
    const key = `${address} ${token}`;
    held.set(key, { address, token, amount: (held.get(key)?.amount ?? 0n) + amount });
  };
  const final = chain.transfers(chain.final());
  const landed = new Set(final.map(({ hash }) => hash));
  for (const { recipient, payer, token, amount } of final) {
    if (addresses.has(recipient)) add(recipient, token, amount);
    if (addresses.has(payer)) add(payer, token, -amount);
  }
  for (const { network, hash, moved } of records.outflows) {
    if (network !== chain.network || landed.has(hash)) continue;
    for (const { address, token, amount } of moved) add(address, token, -amount);
  }
  return [...held.values()].filter(({ amount }) => amount > 0n);
}

/** Sends what some addresses hold of one token to a recipient, on Solana from a single address. Null: none holds anything. */
function empty({ world, random }: Scene, recipient: (chain: SimulatedChain) => string, most: number) {
  const chain = random.pick(world.chains);
  const all = holdings(world, chain);
  if (all.length === 0) return null;
  const { token } = random.pick(all);
  const own = all.filter((one) => one.token === token);
  const from = random.int(0, own.length - 1);
  const moved = own
    .slice(from, from + (chain.spec.family === 'solana' ? 1 : most))
    // A part stays behind now and then.
    .map((one) => ({ ...one, amount: random.chance(20) && one.amount > 1n ? one.amount - 1n : one.amount }));
  const [first, ...more] = moved.map(({ address, amount }) => ({
    token,
    payer: address,
    recipient: recipient(chain),
    amount,
  }));
  if (!first) return null;
  const hash = chain.pay({ ...first, more, needsFunds: true });
  world.records.outflows.push({ network: chain.network, hash, moved });
  return { chain, hash, count: moved.length, currency: currencyOf(chain, token) };
}

type Stolen = { readonly chain: SimulatedChain; readonly hash: string; readonly says: string };

const MOST_IN_A_BATCH = 4;

function sweep(scene: Scene): string | null {
  const treasury = treasuryOf(scene.world.harness.signer.settings.cold);
  const swept = empty(scene, ({ spec }) => treasury[spec.family], MOST_IN_A_BATCH);
  return swept && `The operator sweeps ${swept.currency} of ${swept.count} deposit addresses on ${swept.chain.network}`;
}

export function steal(scene: Scene): Stolen | null {
  const stolen = empty(scene, ({ spec }) => THIEF[spec.family], 1);
  if (stolen) scene.world.records.thefts.add(stolen.hash);
  return (
    stolen && { ...stolen, says: `A thief moves ${stolen.currency} from a deposit address on ${stolen.chain.network}` }
  );
}

/** Explains every theft that is reported. Returns how many. */
export async function explainThefts(world: World): Promise<number> {
  const { pool } = world.harness.database;
  const { rows } = await pool.query<{ id: string }>(
    `SELECT d.id FROM discrepancies d WHERE d.ended_at IS NULL AND d.explained_at IS NULL AND EXISTS (SELECT FROM outgoing_transfers o
       WHERE o.chain_id = d.chain_id AND o.payer = d.address AND o.currency = d.currency AND o.reported_at IS NOT NULL
         AND o.booked_at IS NULL) ORDER BY d.id`,
  );
  for (const { id } of rows)
    await attempt(world, () => explainDiscrepancy(world.context, { id, note: 'The key was stolen.' }));
  return rows.length;
}

async function explain({ world }: Scene): Promise<string | null> {
  const count = await explainThefts(world);
  return count === 0 ? null : `The operator explains what left ${count} deposit addresses`;
}

export const OUTFLOW_ACTIONS: readonly Action[] = [
  { name: 'the operator sweeps', weight: 4, act: sweep },
  { name: 'tokens are stolen from a deposit address', weight: 2, act: (scene) => steal(scene)?.says ?? null },
  { name: 'the operator explains a theft', weight: 2, act: explain },
];
