// A return of the cold wallet that is under way, and the worker that follows it.

import { readSnapshot } from '@/simulation/snapshot';
import type { Scene } from './action';
import type { At } from './cold-orders';
import { goOn, stepsOn, type Pace } from './orders';
import { giveUp, sendSigned } from './returns';

/** A signed request. `file` is that of the request. */
export type Returning = { readonly at: At; readonly file: string };
export type ReturnTrouble = {
  readonly name: string;
  /** Where it can happen. Absent: everywhere. */
  readonly isFit?: (back: Returning) => boolean;
  /** Returns what happened, in words. */
  readonly act: (back: Returning) => Promise<string>;
};

export const sceneOf = ({ at }: Returning): Scene => at.scene;
export const meansOf = ({ at }: Returning) => at.order.means;
export const chainOf = (back: Returning) => meansOf(back).chain;
export const send = (back: Returning): Promise<string> => sendSigned(sceneOf(back).world, back.file);

/** The worker follows the return, and reads and pays on its network. */
export const follow = ({ at }: Pick<Returning, 'at'>, pace: Pace): Promise<void> =>
  goOn(at.scene, new RegExp(`^follow cold returns$|${stepsOn(at.order.means).source}`), pace);

/** Gives up what is signed and open, as far as the product allows it. */
export async function giveUpOpen(back: Returning): Promise<string> {
  const { world } = sceneOf(back);
  const { cold_returns: rows } = await readSnapshot(world.harness.database.pool);
  const open = rows.filter((one) => one.network === chainOf(back).network && one.is_signed && one.outcome === null);
  const reports: string[] = [];
  for (const one of open) reports.push(await giveUp(world, one));
  return reports.length > 0 ? reports.join('; ') : 'nothing is open';
}
