// A store with several owners and the worker's step, for tests of payout addresses on a real database. The chain's report about an address
// is the test's.

import { Writable } from 'node:stream';
import pino from 'pino';
import { mailBody } from '@/lib/merchants/mail/queue';
import type { MacKeys } from '@/lib/platform/crypto';
import type { AddressKind } from '@/lib/networks/sending/send';
import { addPayoutAddress, type NewPayoutAddress } from '@/lib/payouts/addresses/add';
import { announceStep } from '@/lib/payouts/addresses/announce';
import { payableAddress } from '@/lib/payouts/addresses/payable';
import { transaction } from '@/lib/platform/database/db';
import { openAccounts } from '@/testing/accounts';
import { makeStore } from '@/testing/fixtures';

/** Addresses of wallets in stored form. */
export const WALLETS = {
  first: '0x9858effd232b4033e47d90003d41ec34ecaeda94',
  second: '0x6fac4d18c912343bf86fa7049364dd4e424ab9c0',
  third: '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc',
} as const;

export const DELAY_SECONDS = 7200;

export async function openAddressScene(settings: Record<string, string> = {}) {
  const accounts = await openAccounts({ PAYOUT_ADDRESS_DELAY_SECONDS_TEST: String(DELAY_SECONDS), ...settings });
  const { database, clock, config } = accounts;
  const key = config.EVIDENCE_KEY as MacKeys;
  const lines: string[] = [];
  const stream = new Writable({
    write: (line, _, done) => {
      lines.push(String(line));
      done();
    },
  });
  const kinds = new Map<string, AddressKind>();
  const context = {
    ...accounts.context,
    log: pino({ level: 'trace' }, stream),
    kindOf: async ({ address }: { address: string }) => kinds.get(address) ?? 'wallet',
  };

  async function store() {
    const { storeId } = await makeStore(database, config);
    const owner = await accounts.user();
    const partner = await accounts.user();
    for (const { id } of [owner, partner]) await accounts.member(storeId, id, 'owner');
    await database.pool.query('DELETE FROM members WHERE store_id = $1 AND user_id <> ALL ($2)', [
      storeId,
      [owner.id, partner.id],
    ]);
    return { storeId, owner, partner };
  }
  type Store = Awaited<ReturnType<typeof store>>;

  const tryAdd = ({ storeId, owner }: Store, over: Partial<NewPayoutAddress> = {}) =>
    addPayoutAddress(
      context,
      {
        ...{ storeId, environment: 'test', network: 'ethereum', typed: WALLETS.first, proof: null, userId: owner.id },
        ...{ isContractConfirmed: false, isLookAlikeConfirmed: false },
        ...over,
      },
      { by: `user:${owner.id}`, address: '203.0.113.9' },
    );
  /** The id of a new address; throws when it is refused. */
  async function add(of: Store, over: Partial<NewPayoutAddress> = {}): Promise<string> {
    const added = await tryAdd(of, over);
    if ('refused' in added) throw new Error(`refused: ${JSON.stringify(added.refused)}`);
    return added.id;
  }
  const announce = () => announceStep(key)(context);
  const payable = ({ storeId }: Store, network = 'ethereum') =>
    payableAddress(database.pool, key, { storeId, environment: 'test', network, now: clock.now() });

  /** Runs as the owner of the tables, so that no trigger applies: a stand-in for any writer to the database. */
  const force = (text: string, values: unknown[] = []) =>
    transaction(database.pool, async (tx) => {
      await tx.query('SET LOCAL session_replication_role = replica');
      return tx.query(text, values);
    });

  async function mails(): Promise<{ to: string; subject: string; text: string }[]> {
    const { rows } = await database.pool.query('SELECT recipient, subject, body FROM mails ORDER BY id');
    return rows.map((row) => ({ to: row.recipient, subject: row.subject, text: mailBody(context, row) }));
  }
  const clearMails = () => database.pool.query('DELETE FROM mails');
  /** The token of the stop link in the newest mail that has one. */
  const lastToken = async (): Promise<string> =>
    (await mails()).flatMap(({ text }) => /payout-addresses\/stop\/([0-9A-Za-z]{43})/.exec(text)?.[1] ?? []).at(-1) ??
    '';

  return {
    ...{ accounts, database, clock, config, context, key, kinds, lines },
    ...{ store, tryAdd, add, announce, payable, force, mails, clearMails, lastToken },
    close: () => accounts.close(),
  };
}

export type AddressScene = Awaited<ReturnType<typeof openAddressScene>>;
