// Runs a use case of the product's own pages, as the person does who presses the button.

import { StoreMoved } from '@/lib/merchants/stores/approve';
import { ServiceError } from '@/lib/platform/errors/errors';
import type { World } from '@/simulation/world';

export type Attempted<T> = { readonly done: T } | { readonly refused: string };

/** A refusal is its code. A server that takes no statements excuses every failure; nothing else does. */
export async function attempt<T>({ harness }: World, work: () => Promise<T>): Promise<Attempted<T>> {
  try {
    return { done: await work() };
  } catch (error) {
    if (error instanceof ServiceError) return { refused: error.code };
    if (error instanceof StoreMoved) return { refused: 'the store has moved' };
    if (harness.pool.server() !== 'well') return { refused: 'the database takes nothing' };
    throw error;
  }
}

/** The result in words. */
export const outcome = (attempted: Attempted<unknown>, done = 'done'): string =>
  'refused' in attempted ? attempted.refused : done;
