// Which recipients are deposit addresses of ours, in either environment: one set operation on an index per scan, however many
// sessions there are and whatever their status, since an address is watched for ever (decisions: Payment sessions). On a network
// that is read by account it is the other way round: the adapter is told which addresses are due (owners.ts).

import type { NetworkFamily, Watch } from '@/lib/networks/chain';
import type { FollowedChain } from '@/lib/networks/registry';
import type { Context } from '@/lib/platform/context';
import type { Environment } from '@/lib/platform/ids';
import type { ChainRow } from '@/lib/payments/watcher/cursors/chain-row';
import { creditedBefore } from './credited';
import { dueOwners, type DueOwners } from '@/lib/payments/watcher/accounts/due-addresses';

type Known = { readonly id: string; readonly address: string; readonly environment: Environment };

/** Bounds a statement's parameters; a window of a busy chain names tens of thousands of recipients. */
const CHUNK = 10_000;

const STATEMENTS: Record<NetworkFamily, { name: string; text: string }> = {
  evm: statement('evm_address'),
  tron: statement('tron_address'),
  solana: statement('solana_address'),
};

export type AddressBook = {
  readonly watch: Watch;
  /** The session of an address that `watch` found. Throws for any other address. */
  sessionOf(address: string): string;
  /**
   * Whether the address is of a session of the other environment: all derive from one wallet, so what arrives there is the
   * operator's to recover, and pays for nothing.
   */
  isForeign(address: string): boolean;
  /** Whether `watch` found the address, or asked for it. */
  has(address: string): boolean;
  /** Owners that were asked for and are in quarantine. */
  readonly quarantined: ReadonlySet<string>;
  /** Derivation index up to which addresses have had their turn once the scan is stored. */
  readonly ownersThrough: number;
};

/**
 * Looks addresses up among the sessions, and remembers whose they are. Where addresses are read in turn: with `openOnly` those of
 * open sessions alone.
 */
export function openAddressBook(
  { pool: db, clock }: Context,
  { environment, network, spec: { family } }: FollowedChain,
  { row, openOnly }: { row: ChainRow; openOnly: boolean },
): AddressBook {
  const sessions = new Map<string, string>();
  const foreign = new Set<string>();
  const sessionOf = (address: string): string => {
    const id = sessions.get(address);
    if (id === undefined) throw new Error(`a transfer to ${address} was found that nobody watches`);
    return id;
  };
  let ownersThrough = row.ownersThrough;
  let quarantined: ReadonlySet<string> = new Set();
  let listed: Promise<DueOwners> | null = null;
  return {
    get quarantined() {
      return quarantined;
    },
    get ownersThrough() {
      return ownersThrough;
    },
    watch: {
      async among(recipients) {
        const found = new Set<string>();
        for (let from = 0; from < recipients.length; from += CHUNK) {
          const values = [recipients.slice(from, from + CHUNK)];
          const { rows } = await db.query<Known>({ ...STATEMENTS[family], values });
          for (const { id, address, environment: own } of rows) {
            sessions.set(address, id);
            if (own !== environment) foreign.add(address);
            found.add(address);
          }
        }
        return found;
      },
      async dueAddresses() {
        // One list for the whole scan, whichever endpoints it is tried on.
        const at = { chainId: row.id, through: row.ownersThrough, now: clock.now(), openOnly };
        const due = await (listed ??= dueOwners(db, { environment, network }, at));
        for (const [address, id] of due.sessions) sessions.set(address, id);
        ownersThrough = due.through;
        quarantined = due.quarantined;
        return due.owners;
      },
      credited: (transfers) => creditedBefore(db, transfers, { chainId: row.id, now: clock.now(), sessionOf }),
    },
    isForeign: (address) => foreign.has(address),
    has: (address) => sessions.has(address),
    sessionOf,
  };
}

function statement(column: 'evm_address' | 'tron_address' | 'solana_address'): { name: string; text: string } {
  // Sessions offered on other networks are found as well: a payment on the wrong EVM network is recorded too.
  // One look into the index per recipient, whatever the planner believes of the table: OFFSET 0 keeps it from reading a table
  // that it takes for small as a whole, so that a block costs the same with few sessions and with many.
  const text = `SELECT own.id, own.address, own.environment FROM unnest($1::text[]) AS asked (address)
    CROSS JOIN LATERAL (SELECT id, ${column} AS address, environment FROM sessions
      WHERE ${column} = asked.address OFFSET 0) AS own`;
  return { name: `watch_${column}`, text };
}
