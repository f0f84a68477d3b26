// Finds which recipients are deposit addresses of this installation, in either environment: one indexed set query per scan, however
// many sessions there are and whatever their status, since an address is watched forever. On a network read by account, the adapter
// requests the due addresses instead (accounts/due-addresses.ts).

import type { Watch } from '@/lib/networks/chain';
import { FAMILIES, type Family } from '@/lib/networks/families/family';
import type { FollowedChain } from '@/lib/networks/registry';
import type { Context } from '@/lib/platform/context';
import type { Environment } from '@/lib/platform/ids';
import type { ChainRow } from '@/lib/payments/watcher/cursors/chain-row';
import { creditedBefore } from './credited';
import { findDueAddresses, type DueAddresses } from '@/lib/payments/watcher/accounts/due-addresses';

type Known = { readonly id: string; readonly address: string; readonly environment: Environment };

/** Bounds a statement's parameters; a window of a busy chain has tens of thousands of recipients. */
const CHUNK = 10_000;

export type AddressBook = {
  readonly watch: Watch;
  /** The session of an address that `watch` found. Throws for any other address. */
  sessionOf(address: string): string;
  /**
   * Whether the address belongs to a session of the other environment. One wallet derives both, so the operator can recover money
   * that arrives there; it pays for nothing.
   */
  isForeign(address: string): boolean;
  /** Whether `watch` found or requested the address. */
  has(address: string): boolean;
  /** Requested addresses that are in quarantine. */
  readonly quarantined: ReadonlySet<string>;
  /** Derivation index that the rotation has reached once the scan is stored. */
  readonly rotatedThrough: number;
};

/**
 * Looks up the sessions of addresses and remembers them. `openOnly`: on a network read by account, only addresses of open
 * sessions.
 */
export function openAddressBook(
  { pool: db, clock }: Context,
  { environment, network, spec: { family } }: FollowedChain,
  { row, openOnly }: { row: ChainRow; openOnly: boolean },
): AddressBook {
  const { addressColumn } = FAMILIES[family];
  const sessions = new Map<string, string>();
  const foreign = new Set<string>();
  const sessionOf = (address: string): string => {
    const id = sessions.get(address);
    if (id === undefined) throw new Error(`a transfer to ${address} was found, but the address was not requested`);
    return id;
  };
  let rotatedThrough = row.rotatedThrough;
  let quarantined: ReadonlySet<string> = new Set();
  let listed: Promise<DueAddresses> | null = null;
  return {
    get quarantined() {
      return quarantined;
    },
    get rotatedThrough() {
      return rotatedThrough;
    },
    watch: {
      async among(recipients) {
        const found = new Set<string>();
        for (let from = 0; from < recipients.length; from += CHUNK) {
          const values = [recipients.slice(from, from + CHUNK)];
          const { rows } = await db.query<Known>({ ...statement(addressColumn), values });
          for (const { id, address, environment: own } of rows) {
            sessions.set(address, id);
            if (own !== environment) foreign.add(address);
            found.add(address);
          }
        }
        return found;
      },
      async dueAddresses() {
        // One list for the whole scan, on every endpoint that it tries.
        const at = { chainId: row.id, through: row.rotatedThrough, now: clock.now(), openOnly };
        const due = await (listed ??= findDueAddresses(db, { environment, network }, at));
        for (const [address, id] of due.sessions) sessions.set(address, id);
        rotatedThrough = due.through;
        quarantined = due.quarantined;
        return due.addresses;
      },
      credited: (transfers) => creditedBefore(db, transfers, { chainId: row.id, now: clock.now(), sessionOf }),
    },
    isForeign: (address) => foreign.has(address),
    has: (address) => sessions.has(address),
    sessionOf,
  };
}

function statement(column: Family['addressColumn']): { name: string; text: string } {
  // Finds sessions offered on other networks too, so that a payment on the wrong EVM network is recorded.
  // OFFSET 0 forces one index lookup per recipient. Otherwise the planner reads the whole table when it estimates it as small, and
  // a block costs more with many sessions than with few.
  const text = `SELECT own.id, own.address, own.environment FROM unnest($1::text[]) AS asked (address)
    CROSS JOIN LATERAL (SELECT id, ${column} AS address, environment FROM sessions
      WHERE ${column} = asked.address OFFSET 0) AS own`;
  return { name: `watch_${column}`, text };
}
