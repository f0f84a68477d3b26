// Returns of a cold wallet on a local chain: the commands of the online machine, the program of the machine without a network, and the
// worker's run, on one database. Files are kept in memory.

import { runOffline } from '@/lib/cold-storage/offline/command';
import { runCold, type ColdDeps } from '@/lib/cold-storage/returns/command';
import { followReturns } from '@/lib/cold-storage/returns/follow';
import type { ReturnChain } from '@/lib/cold-storage/returns/rows';
import { readRefundWallet } from '@/lib/ledger/balances';
import { checkBooks } from '@/lib/ledger/invariants/check';
import { postColdTransfer } from '@/lib/ledger/post-cold';
import { COLD, OPERATOR } from '@/lib/ledger/postings';
import type { NetworkSpec } from '@/lib/networks/networks';
import type { SafeSending } from '@/lib/networks/sending/safe';
import type { Clock } from '@/lib/platform/clock';
import { transaction } from '@/lib/platform/database/db';
import type { TestDatabase } from '@/testing/database/database';
import { makeChain, testConfig, testContext } from '@/testing/fixtures';
import { accounts } from '@/testing/signer/signer-scene';

/** A cold return that landed and that the ledger does not know. */
export const UNBOOKED_COLD_RETURN = `INSERT INTO cold_returns (id, request_id, position, request_sha256, environment, network, chain_id, currency,
  amount, sender, recipient, unsigned, created_at, expires_at, signed_bytes, transaction_hash, signed_at, block_number, outcome, ended_at)
  VALUES ('cr_a_1', 'cr_a', 1, 'x', 'test', 'ethereum', 1, 'USDT', 100, '0xc', '0xr', '0x', now(), now() + interval '1 day', '0x', '0xreturn',
  now(), 7, 'landed', now())`;

export type ReturnScene = Awaited<ReturnType<typeof openReturnScene>>;

export async function openReturnScene(given: {
  readonly db: TestDatabase;
  readonly clock: Clock;
  readonly spec: NetworkSpec;
  readonly sender: SafeSending;
  readonly cold: { readonly address: string; readonly keyFile: string };
}) {
  const { db, clock, spec, sender, cold } = given;
  const context = testContext(db, clock, testConfig());
  await db.pool.query('UPDATE chains SET retired_at = now() WHERE network = $1 AND retired_at IS NULL', [spec.network]);
  const chainId = await makeChain(db, spec.network, 1_800_000_000);
  const chain: ReturnChain = { chainId, environment: 'test', spec, sender };
  const refund = accounts.of('test', spec.family).address;
  const files = new Map<string, string>();
  const asset = { environment: 'test', network: spec.network, currency: 'USDT' } as const;
  const cent = 10n ** BigInt((spec.tokens.USDT?.decimals ?? 6) - 2);
  const readFile = (file: string): Uint8Array => {
    const text = files.get(file);
    if (text === undefined)
      throw Object.assign(new Error('no such file'), { syscall: 'open', code: 'ENOENT', path: file });
    return Buffer.from(text);
  };
  const writeNew = (file: string, text: string): void => {
    if (files.has(file)) throw Object.assign(new Error('there'), { syscall: 'open', code: 'EEXIST', path: file });
    files.set(file, text);
  };
  files.set('key', cold.keyFile);
  const scene = {
    ...{ db, context, chain, refund, cold, files },
    /** Runs a command of the online machine. */
    async online(
      words: readonly string[],
      over: Partial<ColdDeps & { readonly chain: ReturnChain; readonly high: bigint }> = {},
    ) {
      const lines: string[] = [];
      const wallets = async () => ({ cold: cold.address, refund });
      const levels = [{ currency: 'USDT', high: over.high ?? 10n ** 30n }];
      const network = { environment: 'test' as const, network: spec.network };
      const networks = [{ ...network, open: async () => over.chain ?? chain, wallets, levels }];
      const print = (line: string): void => void lines.push(line);
      const deps = {
        ...context,
        networks,
        print,
        readFile,
        writeNew,
        pause: async () => {},
        ask: async () => null,
        ...over,
      };
      return { code: await runCold(words, deps), text: lines.join('\n') };
    },
    /** Runs the program of the machine without a network. */
    async offline(words: readonly string[], { typed = 'yes', mode = 0o100600 } = {}) {
      const lines: string[] = [];
      const print = (line: string): void => void lines.push(line);
      const code = await runOffline(words, {
        readFile,
        writeNew,
        modeOf: () => mode,
        now: () => clock.now(),
        print,
        ask: async () => typed,
      });
      return { code, text: lines.join('\n') };
    },
    /** Requests this many whole USDT into the file `name`. */
    request: (amount: string, name: string, nonceAccount: string | null = null) =>
      scene.online([
        ...['request', spec.network, 'USDT', amount, '--out', name],
        ...(nonceAccount === null ? [] : ['--nonce', nonceAccount]),
      ]),
    sign: (name: string) => scene.offline(['sign', name, '--to', refund, '--key-file', 'key']),
    follow: () => followReturns(context, chain),
    rows: () => db.prisma.coldReturn.findMany({ where: { chainId }, orderBy: [{ createdAt: 'asc' }, { id: 'asc' }] }),
    /** The ledger has this much in the cold wallet, from the refund wallet. */
    async hasCold(cents: bigint) {
      const moved = { network: spec.network, currency: 'USDT', amount: cents * cent };
      await transaction(db.pool, async (tx) => {
        const { rows } = await tx.query<{ id: string }>(
          `INSERT INTO cold_transfers (id, environment, network, currency, number, status, amount, created_at, sign_after, destination,
             destination_kind, destination_reference, signature_requested_at, transaction_hash, processed_at)
           SELECT 'ct_test_' || $1 || '_USDT_' || n, 'test', $1, 'USDT', n, 'completed', $2, now(), now(), $3, 'cold', 'test', now(),
             md5(random()::text), now() FROM (SELECT count(*) + 1 AS n FROM cold_transfers WHERE network = $1) AS next RETURNING id`,
          [spec.network, cents, cold.address],
        );
        await postColdTransfer(tx, { intentId: rows[0]!.id, environment: 'test', moved });
      });
    },
    /** Cents of USDT in the ledger since the scene opened. */
    async books() {
      const of = async (account: string): Promise<bigint> => {
        const { rows } = await db.pool.query<{ amount: string }>(
          'SELECT coalesce(sum(amount), 0)::text AS amount FROM ledger_balances WHERE account = $1 AND network = $2',
          [account, spec.network],
        );
        return BigInt(rows[0]!.amount) / cent;
      };
      const wallet = (await readRefundWallet(db.pool, asset)) / cent;
      return { cold: await of(COLD), operator: await of(OPERATOR), wallet };
    },
    broken: async () => (await checkBooks(db.pool)).filter(({ id, count }) => /^INV-(?:2|3[ef])/.test(id) && count > 0),
  };
  return scene;
}
