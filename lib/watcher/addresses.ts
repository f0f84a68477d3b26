// Which recipients are receiving addresses of ours: one set operation on an index per scan, however many sessions there
// are and whatever their status, since an address is watched for ever (decisions: Payment sessions).

import type { NetworkFamily, Watch } from '@/lib/chains/chain';
import type { Db } from '@/lib/db';
import type { Environment } from '@/lib/ids';

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
};

/** Looks addresses of one family up among the sessions of one environment, and remembers whose they are. */
export function openAddressBook(db: Db, environment: Environment, family: NetworkFamily): AddressBook {
  const sessions = new Map<string, string>();
  return {
    watch: {
      async among(recipients) {
        const found = new Set<string>();
        for (let from = 0; from < recipients.length; from += CHUNK) {
          const values = [recipients.slice(from, from + CHUNK), environment];
          const { rows } = await db.query<{ id: string; address: string }>({ ...STATEMENTS[family], values });
          for (const { id, address } of rows) {
            sessions.set(address, id);
            found.add(address);
          }
        }
        return found;
      },
      owners: () => Promise.resolve([]),
    },
    sessionOf(address) {
      const id = sessions.get(address);
      if (id === undefined) throw new Error(`a transfer to ${address} was found that nobody watches`);
      return id;
    },
  };
}

function statement(column: 'evm_address' | 'tron_address' | 'solana_address'): { name: string; text: string } {
  // Sessions offered on other networks are found as well: a payment on the wrong EVM network is recorded too.
  const text = `SELECT id, ${column} AS address FROM sessions
    WHERE ${column} = ANY($1::text[]) AND environment = $2::"Environment"`;
  return { name: `watch_${column}`, text };
}
