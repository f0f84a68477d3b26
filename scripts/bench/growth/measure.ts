// Times each operation on both installations in turn, in short blocks, so that other load on the machine affects both alike.

import { median } from '../setup.mjs';
import { API, API_WRITES } from './api';
import { CONSOLE, DASHBOARD, EXPORTS } from './dashboard';
import type { Operation } from './operation';
import type { Side } from './side';
import { WORKER, WORKER_WRITES } from './worker';

export { brokenInvariants, finish, openSide } from './side';

/** Reads first, so that they are measured on the unchanged histories. */
const OPERATIONS: readonly Operation[] = [
  ...API,
  ...DASHBOARD,
  ...CONSOLE,
  ...EXPORTS,
  ...WORKER,
  ...WORKER_WRITES,
  ...API_WRITES,
];

/** More rounds for what waits for the disk, and few runs in each, so that the small history stays small. */
const KINDS = {
  read: { rounds: 25, block: 8, warmUp: 20 },
  write: { rounds: 40, block: 2, warmUp: 10 },
  long: { rounds: 25, block: 2, warmUp: 3 },
} as const;

type Compared = {
  readonly group: string;
  readonly name: string;
  /** Medians in milliseconds. */
  readonly few: number;
  readonly many: number;
  /** The median of the ratios of the rounds, and their quartiles. */
  readonly ratio: number;
  readonly quartiles: readonly [number, number];
};

export async function* compareAll(few: Side, many: Side): AsyncGenerator<Compared> {
  for (const operation of OPERATIONS) yield await compare(operation, few, many);
}

async function compare(operation: Operation, few: Side, many: Side): Promise<Compared> {
  const { rounds, block, warmUp } = KINDS[operation.isWrite ? 'write' : operation.isLong ? 'long' : 'read'];
  const [runFew, runMany] = [runner(operation, few), runner(operation, many)];
  await runFew(warmUp);
  await runMany(warmUp);
  const found: { few: number; many: number }[] = [];
  for (let round = 0; round < rounds; round++) {
    // The order alternates, because the first block affects the second.
    if (round % 2 === 0) {
      const first = await runFew(block);
      found.push({ few: first, many: await runMany(block) });
    } else {
      const first = await runMany(block);
      found.push({ few: await runFew(block), many: first });
    }
  }
  const ratios = found.map((one) => one.many / one.few).toSorted((a, b) => a - b);
  return {
    ...{ group: operation.group, name: operation.name },
    few: median(found.map((one) => one.few)),
    many: median(found.map((one) => one.many)),
    ratio: median(ratios),
    quartiles: [ratios[Math.floor(rounds / 4)] as number, ratios[Math.floor((rounds * 3) / 4)] as number],
  };
}

/** Runs a block of an operation and resolves to its median in milliseconds. */
function runner({ name, prepare, run }: Operation, side: Side): (count: number) => Promise<number> {
  let turn = 0;
  return async (count) => {
    const times: number[] = [];
    for (let n = 0; n < count; n++, turn++) {
      await prepare?.(side, turn);
      const started = performance.now();
      try {
        await run(side, turn);
      } catch (error) {
        throw new Error(`${name}, with ${side.sessions} sessions`, { cause: error });
      }
      times.push(performance.now() - started);
    }
    return median(times);
  };
}
