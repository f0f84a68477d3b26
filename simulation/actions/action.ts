// What an action of a history is: something that one of the actors may do at any moment.

import type { Random } from '@/simulation/random';
import type { Snapshot } from '@/simulation/snapshot';
import type { Story } from '@/simulation/story';
import type { World } from '@/simulation/world';

export type Scene = {
  readonly world: World;
  readonly random: Random;
  readonly story: Story;
  /** The database after the step before. */
  readonly now: Snapshot;
};

/**
 * What was done, in words. `store`: nothing but this store's requests ran, so that nothing else may have changed.
 * `isRestored`: the database is an older one, so it is not compared with the one before.
 */
export type Done = string | { readonly says: string; readonly store?: string; readonly isRestored?: true };

export type Action = {
  readonly name: string;
  readonly weight: number;
  /** Acts. Null: there was nothing to do, so another action is drawn. */
  readonly act: (scene: Scene) => Promise<Done | null> | Done | null;
};

/** What was done, or that it was nothing. */
export const words = (done: Done | null): string => (typeof done === 'string' ? done : (done?.says ?? 'nothing'));

export const unixNow = ({ clock }: Pick<World, 'clock'>): number => Math.floor(clock.now().getTime() / 1000);
