// Single steps of cold transfers: the worker requests them, and an operator has it recheck one.

import { recheck } from '@/lib/refunds/sending/recheck';
import type { Action, Scene } from './action';
import { attempt, outcome } from './attempt';
import { runSome } from './product';

/** The step that requests cold transfers. */
export const REQUEST = /^request cold transfers/;

/** An operator lets the worker look at a cold transfer again that waits for one. */
async function checkAgain({ world, random, now, story }: Scene): Promise<string | null> {
  const held = now.cold_transfers.filter(({ status, hold }) => status === 'processing' && hold !== null);
  if (held.length === 0) return null;
  const { id } = random.pick(held);
  const by = `user:${random.pick(world.operators)}`;
  const asked = await attempt(world, () =>
    recheck(world.context, { refund: id, note: 'a look', by, address: '192.0.2.1' }),
  );
  return `An operator checks ${story.name('cold transfer', id)} again: ${outcome(asked)}`;
}

async function runRequest({ world }: Scene): Promise<string | null> {
  if (world.harness.signer.settings.cold === null) return null;
  const failed = await runSome(world, REQUEST);
  return `The worker runs "request cold transfers"${failed.length > 0 ? ', which fails' : ''}`;
}

export const COLD_ACTIONS: readonly Action[] = [
  { name: 'request cold transfers', weight: 8, act: runRequest },
  { name: 'check a cold transfer again', weight: 4, act: checkAgain },
];
