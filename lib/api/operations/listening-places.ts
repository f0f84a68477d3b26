// How many programs may listen for events at once in one process. Each polls the database twice a second.

import { ServiceError } from '@/lib/platform/errors/errors';

/** A developer's programs, including those that disconnected and are not detected yet. */
const MAX_PER_KEY = 5;
/** Anyone can have a store with twenty test keys, and must leave places to others. */
const MAX_PER_STORE = 10;
/** Together they poll the database two hundred times a second. */
const MAX_PER_PROCESS = 100;
/** A listener that disconnected frees its place after the longest wait. */
const RETRY_SECONDS = 20;

type Listener = { readonly id: number; readonly storeId: string };

/** Takes a place for a key, which the returned function releases. Throws RATE_LIMITED when there is none. */
export type TakePlace = (key: Listener) => () => void;

export function openPlaces(): TakePlace {
  const taken = new Set<Listener>();
  return ({ id, storeId }) => {
    const ofStore = [...taken].filter((one) => one.storeId === storeId);
    const ofKey = ofStore.filter((one) => one.id === id);
    if (taken.size >= MAX_PER_PROCESS || ofStore.length >= MAX_PER_STORE || ofKey.length >= MAX_PER_KEY)
      throw new ServiceError('RATE_LIMITED', {
        message: 'Too many programs listen for events at once.',
        retryAfter: RETRY_SECONDS,
      });
    const place = { id, storeId };
    taken.add(place);
    return () => void taken.delete(place);
  };
}
