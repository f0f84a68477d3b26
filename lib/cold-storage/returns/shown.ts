// Returns of the cold wallet as lines for the operator. Pure.

import { decimalToText } from '@/lib/money/amounts';
import type { NetworkSpec } from '@/lib/networks/networks';
import type { Followed } from './follow';

/** "1500 USDT". */
export const shortOf = (spec: Pick<NetworkSpec, 'tokens'>, currency: string, units: bigint): string =>
  `${decimalToText({ units, digits: spec.tokens[currency]?.decimals ?? 0 })} ${currency}`;

/** What the chain reports about one transfer. */
export function outcomeText({ id, outcome, note, transactionHash }: Followed): string {
  if (outcome === null) return `${transactionHash}: the network does not answer (${note})`;
  switch (outcome.kind) {
    case 'waiting':
      return note === null
        ? `${transactionHash}: broadcast, in no block yet`
        : `${transactionHash}: not taken yet (${note})`;
    case 'seen':
      return `${transactionHash}: in a block, ${outcome.confirmations} confirmations`;
    case 'landed':
      return `${transactionHash}: final in block ${outcome.block.number}, and booked`;
    case 'reverted':
      return `${transactionHash}: final without moving anything: ${outcome.reason}`;
    case 'lapsed':
      return `it can no longer land: ${outcome.reason}`;
    case 'unclear':
    case 'pruned':
      return `${transactionHash}: look at it in an explorer: ${outcome.reason} (then npm run cold -- give-up ${id})`;
    default:
      return outcome satisfies never;
  }
}
