// What a check is: it reads the snapshot, the simulated chains and what receivers got, and returns sentences about what
// must not be. It shares no code with the rules of the product that it judges.

import type { Snapshot } from '@/simulation/snapshot';
import type { Story } from '@/simulation/story';
import type { World } from '@/simulation/world';

export type Checked = {
  readonly world: World;
  readonly before: Snapshot;
  readonly after: Snapshot;
  readonly story: Story;
  /** The only store that did anything between the two snapshots, if it was only one. */
  readonly store?: string;
};
export type Check = (checked: Checked) => readonly string[];
