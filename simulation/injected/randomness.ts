// Replaces the system's random numbers by seeded ones while a history runs, so that the product draws the same ids,
// nonces and secrets each time. The product itself is not changed: it imports `node:crypto` as always.

import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { randomText } from '@/lib/platform/ids';

export type SeededRandomness = {
  /** Begins a new stream. What was drawn from earlier streams has no influence on it. */
  readonly reseed: (seed: number, step: number) => void;
  /** Gives the system's random numbers back. */
  readonly restore: () => void;
};

/** Ids are drawn in bulk, this many bytes at once (lib/platform/ids). */
const BULK_BYTES = 4096;

export function injectRandomness(): SeededRandomness {
  const original = { randomBytes: crypto.randomBytes, randomUUID: crypto.randomUUID, randomInt: crypto.randomInt };
  const stream = { key: Buffer.alloc(0), block: 0, isRefilled: false };
  const draw = (count: number): Buffer => {
    const parts: Buffer[] = [];
    for (let length = 0; length < count; length += 32) {
      parts.push(crypto.createHash('sha256').update(stream.key).update(String(stream.block++)).digest());
    }
    return Buffer.concat(parts).subarray(0, count);
  };
  const bytes = (count: number): Buffer => {
    if (count === BULK_BYTES) stream.isRefilled = true;
    return draw(count);
  };
  const uuid = (): string => {
    const hex = draw(16).toString('hex');
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
  };
  /** As the product calls it: from zero, without a callback. A slight bias has no influence. */
  const int = (below: number): number => draw(6).readUIntBE(0, 6) % below;
  Object.assign(crypto, { randomBytes: bytes, randomUUID: uuid, randomInt: int });
  syncBuiltinESMExports();
  return {
    reseed: (seed, step) => {
      stream.key = Buffer.from(`${seed} ${step} `);
      stream.block = 0;
      stream.isRefilled = false;
      // Ids that were drawn in bulk before would depend on the past.
      while (!stream.isRefilled) randomText(1);
    },
    restore: () => {
      Object.assign(crypto, original);
      syncBuiltinESMExports();
    },
  };
}
