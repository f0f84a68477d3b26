// The runbooks of docs/operate/runbooks, each with what causes its incident here: a button, or the drill or exercise that replaces one.

import type { CommonFault, Switch } from './bad-day';

type Cause =
  | { readonly fault: CommonFault }
  /** The same button as at the network below. */
  | { readonly network: string; readonly fault: Switch }
  /** `npm run drill -- NAME`. */
  | { readonly drill: string; readonly instead: 'lost' }
  | { readonly instead: 'key' };

/** Keys among the texts of the page. */
type Name = 'network' | 'theft' | 'signer' | 'addresses' | 'worker' | 'readOnly' | 'lost' | 'fees' | 'webhooks' | 'key';

export type GameDay = Cause & {
  readonly name: Name;
  /** File names without `.md`. */
  readonly runbooks: readonly string[];
};

export const GAME_DAYS: readonly GameDay[] = [
  { name: 'network', runbooks: ['network-away'], network: 'ethereum', fault: 'away' },
  { name: 'theft', runbooks: ['signer-frozen', 'books-differ'], network: 'ethereum', fault: 'robbed' },
  { name: 'signer', runbooks: ['signer-unreachable'], fault: 'signer_stopped' },
  { name: 'addresses', runbooks: ['addresses-empty'], fault: 'pool_empty' },
  { name: 'worker', runbooks: ['worker-stopped'], fault: 'worker_stopped' },
  { name: 'readOnly', runbooks: ['database-read-only'], fault: 'database_read_only' },
  { name: 'lost', runbooks: ['database-lost'], drill: 'restore', instead: 'lost' },
  { name: 'fees', runbooks: ['fee-coin-empty'], network: 'ethereum', fault: 'fees_empty' },
  { name: 'webhooks', runbooks: ['webhooks-late'], fault: 'receiver_down' },
  { name: 'key', runbooks: ['key-leaked'], instead: 'key' },
];
