// Rows of sweeps as the worker leaves them, for tests of what operators see: a network that the signer sweeps, deposit addresses that hold
// money, and sweeps with their addresses.

import { randomBytes } from 'node:crypto';
import type { Clock } from '@/lib/platform/clock';
import { makeChain } from '@/testing/fixtures';
import type { TestDatabase } from '@/testing/database/database';
import { watchedStore } from '@/testing/watching/watched-session';

const HOUR = 3600;
const COIN = 10n ** 18n;

export type StoredSweeps = Awaited<ReturnType<typeof openStoredSweeps>>;

/** On a followed network of the live environment. */
export async function openStoredSweeps(
  db: TestDatabase,
  clock: Clock,
  given: { readonly network: string; readonly decimals: number },
) {
  const { network, decimals } = given;
  const chainId = await makeChain(db, network, clock.now().getTime() / 1000, 'live');
  const treasury = `0x${'a1'.repeat(20)}`;
  const sponsor = `0x${'b2'.repeat(20)}`;
  const query = async (text: string, values: unknown[]) => (await db.pool.query(text, values)).rows;
  const ago = (seconds: number): Date => new Date(clock.now().getTime() - seconds * 1000);
  const units = (cents: number): string => (BigInt(cents) * 10n ** BigInt(decimals - 2)).toString();
  let index = 0;

  const session = async (closedSecondsAgo: number | null): Promise<{ id: string; address: string }> => {
    const id = `cs_live_${randomBytes(16).toString('hex')}`;
    const address = `0x${randomBytes(20).toString('hex')}`;
    const closedAt = closedSecondsAgo === null ? null : ago(closedSecondsAgo);
    await query(
      `INSERT INTO sessions (id, store_id, environment, order_id, status, amount_total, currency, amount_due, currencies, networks,
         created_at, expires_at, closed_at, address_index, evm_address, tron_address, solana_address)
       VALUES ($1, $2, 'live', $1, $3::"SessionStatus", 1, 'USD', 1, '{USDT}', $4, $5, $5, $6, $7, $8, $1, $1)`,
      [
        id,
        await watchedStore(db.pool),
        closedAt === null ? 'pending' : 'expired',
        [network],
        ago(10 * HOUR),
        closedAt,
        ++index,
        address,
      ],
    );
    return { id, address };
  };

  return {
    chainId,
    treasury,
    sponsor,
    async rental(one: { ordered: number; cost: bigint; outcome: string }) {
      await query(
        `INSERT INTO energy_rentals (chain_id, address, energy, cost, ordered_at, ended_at, outcome) VALUES ($1, $2, 1, $3, $4, $4, $5)`,
        [chainId, `T${++index}`, one.cost, ago(one.ordered), one.outcome],
      );
    },
    /** `coin` in thousandths. */
    async state(over: { hold?: string | null; coin?: number | null; readSecondsAgo?: number } = {}) {
      const { hold = null, coin = 1000, readSecondsAgo = 30 } = over;
      await query(
        `INSERT INTO sweep_states (environment, network, treasury, sponsor, delegate, coin, fees_per_hour, fees_last_hour, hold, read_at)
         VALUES ('live', $1, $2, $3, $2, $4, $5, $6, $7, $8)
         ON CONFLICT (environment, network) DO UPDATE SET coin = EXCLUDED.coin, hold = EXCLUDED.hold, read_at = EXCLUDED.read_at`,
        [
          network,
          treasury,
          sponsor,
          coin === null ? null : ((BigInt(coin) * COIN) / 1000n).toString(),
          (COIN / 20n).toString(),
          (COIN / 1000n).toString(),
          hold,
          ago(readSecondsAgo),
        ],
      );
    },
    /** A deposit address that holds cents. `age`: seconds since its payment; its session closed an hour later. */
    async held(cents: number, over: { age?: number; currency?: string; skip?: string; isOpen?: boolean } = {}) {
      const { age = 2 * HOUR, currency = 'USDT', skip = null, isOpen = false } = over;
      const { id, address } = await session(isOpen ? null : Math.max(0, age - HOUR));
      await query(
        `INSERT INTO deposit_balances (chain_id, address, currency, decimals, session_id, amount, since, skips, skip_reason, not_before)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
        [
          ...[chainId, address, currency, decimals, id, units(cents), ago(age), skip === null ? 0 : 1, skip],
          skip === null ? null : ago(-HOUR),
        ],
      );
      return { id, address };
    },
    /** `ended`: seconds ago. Its addresses held these cents; with a reason none of them was moved. */
    async sweep(over: {
      status: string;
      kind?: string;
      ended?: number;
      /** Wei. */
      fee?: bigint;
      cents?: readonly number[];
      reason?: string | null;
      hashes?: readonly string[];
      request?: object;
    }): Promise<string> {
      const { status, kind = 'batch', ended = null, fee = null, cents = [], reason = null, request = {} } = over;
      const hashes = over.hashes ?? [`0x${randomBytes(32).toString('hex')}`];
      const endedAt = ended === null ? null : ago(ended);
      const [row] = await query(
        `INSERT INTO sweeps (environment, network, chain_id, kind, status, currency, sender, request, terms, bytes, hashes, fee,
           created_at, signed_at, ended_at)
         VALUES ('live', $1, $2, $3, $4, 'USDT', $5, $6, '{"nonce": 7}', '0x', $7, $8, $9, $9, $10) RETURNING id::text`,
        [
          ...[network, chainId, kind, status, sponsor, JSON.stringify(request), hashes, fee?.toString() ?? null],
          ...[ago((ended ?? 0) + 60), endedAt],
        ],
      );
      for (const one of cents) {
        const { id, address } = await session(HOUR);
        await query(
          `INSERT INTO sweep_items (sweep_id, chain_id, address, address_index, session_id, currency, decimals, amount, moved, reason, ended_at)
           VALUES ($1, $2, $3, $4, $5, 'USDT', $6, $7, $8, $9, $10)`,
          [
            ...[row.id, chainId, address, index, id, decimals, units(one)],
            ...[endedAt === null ? null : reason === null ? units(one) : '0', reason, endedAt],
          ],
        );
      }
      return row.id as string;
    },
    async price(coin: string, dollars: string) {
      await query('INSERT INTO coin_prices (coin, price, agreed_at) VALUES ($1, $2, $3)', [coin, dollars, ago(60)]);
    },
    /** What a transfer costs now, in wei. */
    async fee(wei: bigint) {
      await query(
        `INSERT INTO network_fees (environment, network, requested_at, amount, read_at) VALUES ('live', $1, $2, $3, $2)`,
        [network, ago(60), wei.toString()],
      );
    },
  };
}
