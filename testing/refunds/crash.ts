// A worker that ends in the middle of a refund, as a killed process does.

import { expect } from 'vitest';
import type { Context } from '@/lib/platform/context';
import { armCrashPoint, type CRASH_POINTS } from '@/lib/platform/crash-point';
import { mortalPool } from '@/testing/database/failing-pool';
import type { RefundScene } from './refund-scene';

const MAX_PASSES = 60;

/** Runs a worker until it ends at this point, with blocks between its passes. The signer then starts again. */
export async function crashAt(
  point: (typeof CRASH_POINTS)[number],
  scene: Pick<RefundScene, 'db' | 'context' | 'signing'> & {
    readonly pass: (over: object, on: Context) => Promise<unknown>;
  },
  mine: () => unknown,
): Promise<void> {
  const crash = { count: 0 };
  const { pool, die } = mortalPool(scene.db.pool);
  armCrashPoint(point, () => {
    crash.count++;
    die();
    throw new Error('the process ended here');
  });
  for (let pass = 0; pass < MAX_PASSES && crash.count === 0; pass++) {
    await scene.pass({}, { ...scene.context, pool }).catch(() => null);
    await mine();
  }
  expect(crash.count).toBe(1);
  scene.signing.restart();
}
