// Pauses of `node:timers/promises` pass at once while a history runs: those between the attempts of a request, which the
// injected clock does not see.

import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';

/** Returns what gives real pauses back. */
export function injectPauses(): () => void {
  const original = { setTimeout: timers.setTimeout };
  Object.assign(timers, { setTimeout: (_milliseconds: number, value: unknown) => timers.setImmediate(value) });
  syncBuiltinESMExports();
  return () => {
    Object.assign(timers, original);
    syncBuiltinESMExports();
  };
}
