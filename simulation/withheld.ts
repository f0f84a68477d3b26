// Tokens that an installation watches and does not offer. The rows of the main networks withhold one, those of the local ones none, so
// the row of a local network says so for the time of a history.

import { networkSpec } from '@/lib/networks/networks';
import type { Random } from './random';

const [NETWORK, CURRENCY] = ['tron', 'USDC'];
type Row = { offByDefault?: 'discontinued' };

/** Draws whether this history withholds the token that TRON's main network does. Returns the names of what it withholds. */
export function drawWithheld(random: Random, networks: readonly string[]): ReadonlySet<string> {
  const tokens = networkSpec('test', NETWORK, 'local')?.tokens as Record<string, Row> | undefined;
  const row = tokens?.[CURRENCY];
  if (!tokens || !row) throw new Error('the local row of TRON has no USDC');
  const isWithheld = networks.includes(NETWORK) && random.chance(50);
  const { offByDefault: _, ...offered } = row;
  tokens[CURRENCY] = isWithheld ? { ...offered, offByDefault: 'discontinued' } : offered;
  return new Set(isWithheld ? [`${NETWORK} ${CURRENCY}`] : []);
}
