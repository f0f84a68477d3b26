// What ends with a simulated process, and what does not.

import { expect, it } from 'vitest';
import type { Pool } from '@/lib/platform/database/db';
import { openSimulatedPool } from './simulated-pool';

it('a step that works in parallel runs no statement after its process has ended, also when the next one has started', async () => {
  const ran: string[] = [];
  const real = { query: async ({ text }: { text: string }) => void ran.push(text) } as unknown as Pool;
  const { pool, die, revive, asProcess } = openSimulatedPool(real, async () => {});
  let goOn = (): void => {};
  const paused = new Promise<void>((resolve) => (goOn = resolve));
  const former = asProcess(async () => {
    await pool.query('first');
    await paused;
    await pool.query('second');
  });
  await pool.query('somebody else');
  die();
  expect(revive()).toBe(true);
  await asProcess(() => pool.query('of the next process'));
  goOn();
  await expect(former).rejects.toThrow('the process ended here');
  expect(ran).toEqual(['first', 'somebody else', 'of the next process']);
});
