// Returns of the cold wallet as lines for the operator. Pure.

import { openAccount } from '@/lib/cold-storage/accounts/account';
import { decimalToText } from '@/lib/money/amounts';
import type { NetworkSpec } from '@/lib/networks/networks';
import type { Followed } from './follow';
import { specOf, termsOf, type Request } from './request-file';

/** "1500 USDT". */
export const shortOf = (spec: Pick<NetworkSpec, 'tokens'>, currency: string, units: bigint): string =>
  `${decimalToText({ units, digits: spec.tokens[currency]?.decimals ?? 0 })} ${currency}`;

/** Who signs for a cold wallet with several keys; no lines for a plain account. */
export function accountLines(request: Request): readonly string[] {
  const [item] = request.items;
  const terms = termsOf(request);
  if (!item || terms === null) return [];
  const shown = openAccount(specOf(request), item.from, terms).shown(item);
  return shown.map(([name, value]) => `  ${name.padEnd(10)}${value}`);
}

/** What the chain reports about one transfer. */
export function outcomeText({ outcome, note, transactionHash }: Followed): string {
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
      return `${transactionHash}: look at it in an explorer: ${outcome.reason}`;
    default:
      return outcome satisfies never;
  }
}
