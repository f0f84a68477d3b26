// The metrics of the pages' process, which the web process adds to its own: memory, processor time, event loop and connections.

import type { Pool } from '@/lib/platform/database/db';
import { openPrefixedRegistry } from '@/lib/platform/metrics/instruments';
import { textOf } from './numbers';
import { connections } from './process';

const PREFIX = 'pages_';

/** Observes this process from now on. The result gives the metrics as text. */
export function pagesText(pool: Pool): () => Promise<string> {
  const registry = openPrefixedRegistry(`stabletill_${PREFIX}`);
  return async () => `${await registry.metrics()}\n${await textOf([connections(pool, PREFIX)])}`;
}
