// The statements that book what is not booked yet, one for each table of transactions. Each takes rows that no other worker has taken,
// marks them and writes their entries at once, so that a crash leaves either all of it or nothing.

import { SIGNATURE_FEE } from '@/lib/networks/families/solana/sending/read-draft';

/** Rows that a statement takes at most. */
export const MOST_AT_ONCE = 500;

/** What deposit addresses have of a coin together: top-ups and their use. One account for each of them would be a row for each payment. */
const DEPOSITS = 'deposits';
/** What the energy market was paid in advance. */
const ENERGY_MARKET = 'energy_market';
/**
 * What a wallet has staked or is unstaking. Accounts of coins begin with `fee_coin:` or are costs, and version 0.1.0 leaves such accounts
 * out of proofs and balances while it runs beside this one.
 */
const STAKED = 'staked:';
/** Stakes that were there at the first reading of a wallet: no reading of its coin had them. */
const STAKED_BEFORE = 'staked_before';

/** EVM addresses are compared in lower case. */
export const storedWallet = (column: string): string =>
  `CASE WHEN ${column} LIKE '0x%' THEN lower(${column}) ELSE ${column} END`;

/** The coins of the networks that this version knows. Facts of other networks wait. `$1`: networks; `$2`: symbols; `$3`: now. */
const COIN = `coin AS (SELECT * FROM unnest($1::text[], $2::text[]) AS c (network, symbol))`;

/**
 * `taken`: marks the rows and returns them as `fact`: source, kind, environment, network, symbol, at, wallet, network_fee, rent, energy,
 * moved. `rent` is negative where closed accounts gave it back. Entries have the time of their fact, and the sums of its month have them.
 * `movedTo`: the SQL of the holder of coin that `moved` goes to.
 */
const bookingOf = (taken: string, movedTo = `'${DEPOSITS}'`): string => `WITH ${COIN}, ${taken},
  line AS (SELECT fact.source, one.account, one.amount FROM fact CROSS JOIN LATERAL (VALUES
      ('expense:network_fee', fact.network_fee),
      (CASE WHEN fact.rent > 0 THEN 'expense:rent' ELSE 'revenue:rent' END, fact.rent),
      ('expense:energy', fact.energy),
      ('fee_coin:' || ${movedTo}, fact.moved),
      ('fee_coin:' || fact.wallet, -(fact.network_fee + fact.rent + fact.energy + fact.moved))) AS one (account, amount)
    WHERE one.amount <> 0),
  entry AS (INSERT INTO ledger_entries (kind, environment, coin_source, created_at)
    SELECT fact.kind, fact.environment, fact.source, fact.at FROM fact
    WHERE EXISTS (SELECT FROM line WHERE line.source = fact.source) ORDER BY fact.at, fact.source
    ON CONFLICT DO NOTHING RETURNING id, coin_source),
  posted AS (INSERT INTO ledger_postings (entry_id, account, network, currency, amount)
    SELECT entry.id, line.account, fact.network, fact.symbol, line.amount
    FROM entry JOIN fact ON fact.source = entry.coin_source JOIN line ON line.source = fact.source),
  summed AS (INSERT INTO coin_months AS m (environment, month, network, coin, entries, network_fees, rent_paid, rent_returned, energy)
    SELECT fact.environment, date_trunc('month', fact.at AT TIME ZONE 'UTC')::date, fact.network, fact.symbol, count(*),
      sum(fact.network_fee), sum(greatest(fact.rent, 0)), sum(greatest(-fact.rent, 0)), sum(fact.energy)
    FROM entry JOIN fact ON fact.source = entry.coin_source WHERE (fact.network_fee, fact.rent, fact.energy) <> (0, 0, 0)
    GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
    ON CONFLICT (environment, month, network, coin) DO UPDATE SET entries = m.entries + EXCLUDED.entries,
      network_fees = m.network_fees + EXCLUDED.network_fees, rent_paid = m.rent_paid + EXCLUDED.rent_paid,
      rent_returned = m.rent_returned + EXCLUDED.rent_returned, energy = m.energy + EXCLUDED.energy)
  SELECT count(*)::int AS taken FROM fact`;

/** Refunds, payouts and cold transfers. The payouts of a batch have their shares of its fee, which together are the whole fee. */
export const BOOK_ATTEMPTS = bookingOf(`taken AS (
    UPDATE refund_attempts SET coin_booked_at = $3 FROM (
      SELECT a.id AS due, c.environment, c.network, coin.symbol FROM refund_attempts a JOIN chains c ON c.id = a.chain_id
        JOIN coin ON coin.network = c.network
      WHERE a.coin_booked_at IS NULL AND a.status IN ('landed', 'reverted') AND a.fee IS NOT NULL
      ORDER BY a.id LIMIT ${MOST_AT_ONCE} FOR UPDATE OF a SKIP LOCKED) AS next
    WHERE id = next.due
    RETURNING id, coalesce(draft->>'from', 'unknown') AS payer, fee, CASE WHEN status = 'landed' AND rent <= fee THEN rent ELSE 0 END AS rent,
      ended_at AS at, next.environment, next.network, next.symbol),
  fact AS (SELECT 'attempt:' || id AS source, 'coin_payment' AS kind, environment, network, symbol, at, ${storedWallet('payer')} AS wallet,
    fee - coalesce(rent, 0) AS network_fee, coalesce(rent, 0) AS rent, 0::numeric AS energy, 0::numeric AS moved FROM taken)`);

/**
 * On Solana a sweep has what its payer spent in all. What the network took follows from the transaction: signatures, and the price of its
 * compute units, rounded up. The rest is rent.
 */
const SOLANA_FEE = `CASE WHEN symbol = 'SOL' AND terms ? 'unitLimit' AND fee IS NOT NULL THEN
    ${SIGNATURE_FEE} * (1 + (SELECT count(*) FROM sweep_items i WHERE i.sweep_id = taken.id))
      + ceil((terms->>'unitLimit')::numeric * (terms->>'unitPrice')::numeric / 1000000) END`;

/** Sweeps and what comes before them. The coin of a transfer is of its deposit address, and a top-up moves the sponsor's coin there. */
export const BOOK_SWEEPS = bookingOf(`taken AS (
    UPDATE sweeps SET coin_booked_at = $3 FROM (
      SELECT s.id AS due, coin.symbol FROM sweeps s JOIN coin ON coin.network = s.network
      WHERE s.coin_booked_at IS NULL AND s.status IN ('final', 'reverted')
      ORDER BY s.id LIMIT ${MOST_AT_ONCE} FOR UPDATE OF s SKIP LOCKED) AS next
    WHERE id = next.due
    RETURNING id, kind, status, environment, network, sender, request, terms, fee, ended_at AS at, next.symbol),
  cost AS (SELECT *, coalesce(${SOLANA_FEE}, greatest(fee, 0), 0) AS network_fee FROM taken),
  fact AS (SELECT 'sweep:' || id AS source, 'coin_sweep' AS kind, environment, network, symbol, at,
    CASE WHEN kind = 'transfer' THEN '${DEPOSITS}' ELSE ${storedWallet('sender')} END AS wallet, network_fee,
    coalesce(fee, 0) - network_fee AS rent, 0::numeric AS energy,
    CASE WHEN kind = 'top_up' AND status = 'final' THEN coalesce((request->>'amount')::numeric, 0) ELSE 0 END AS moved FROM cost)`);

/** Changes of the allowance of the contract of batches that landed. */
export const BOOK_ALLOWANCES = bookingOf(`taken AS (
    UPDATE allowance_transactions SET coin_booked_at = $3 FROM (
      SELECT a.chain_id AS due_chain, a.hash AS due, c.environment, c.network, coin.symbol FROM allowance_transactions a
        JOIN chains c ON c.id = a.chain_id JOIN coin ON coin.network = c.network
      WHERE a.coin_booked_at IS NULL AND a.settled_at IS NOT NULL AND a.seen_at IS NOT NULL AND a.fee IS NOT NULL
      ORDER BY a.chain_id, a.hash LIMIT ${MOST_AT_ONCE} FOR UPDATE OF a SKIP LOCKED) AS next
    WHERE (chain_id, hash) = (next.due_chain, next.due)
    RETURNING chain_id, hash, wallet AS payer, fee, settled_at AS at, next.environment, next.network, next.symbol),
  fact AS (SELECT concat('allowance:', chain_id, ':', hash) AS source, 'coin_allowance' AS kind, environment, network, symbol, at,
    ${storedWallet('payer')} AS wallet, fee AS network_fee, 0::numeric AS rent, 0::numeric AS energy, 0::numeric AS moved FROM taken)`);

/** Rented energy that the market took money for, which it was paid in advance: not an order that it never accepted. */
export const BOOK_RENTALS = bookingOf(`taken AS (
    UPDATE energy_rentals SET coin_booked_at = $3 FROM (
      SELECT r.id AS due, c.environment, c.network, coin.symbol FROM energy_rentals r
        JOIN chains c ON c.id = r.chain_id JOIN coin ON coin.network = c.network
      WHERE r.coin_booked_at IS NULL AND r.outcome IN ('arrived', 'missing')
        AND (r.outcome = 'arrived' OR r.placed_at IS NOT NULL)
      ORDER BY r.id LIMIT ${MOST_AT_ONCE} FOR UPDATE OF r SKIP LOCKED) AS next
    WHERE id = next.due
    RETURNING id, cost, ended_at AS at, next.environment, next.network, next.symbol),
  fact AS (SELECT 'rental:' || id AS source, 'coin_energy' AS kind, environment, network, symbol, at, '${ENERGY_MARKET}' AS wallet,
    0::numeric AS network_fee, 0::numeric AS rent, cost::numeric AS energy, 0::numeric AS moved FROM taken)`);

/**
 * Stakes whose last reading differs from what is booked of them. Coin that is unstaked stays in the account until it is withdrawn. The entry
 * has the time of the reading. A stake that was lent is still the wallet's, so lending moves nothing.
 */
export const BOOK_STAKES = bookingOf(
  `taken AS (
    UPDATE coin_stakes SET booked = staked + unstaking, booked_at = $3, entries = entries + 1 FROM (
      SELECT s.chain_id AS due_chain, s.address AS due, s.booked AS before, c.environment, c.network, coin.symbol FROM coin_stakes s
        JOIN chains c ON c.id = s.chain_id JOIN coin ON coin.network = c.network
      WHERE s.booked IS DISTINCT FROM s.staked + s.unstaking
      ORDER BY s.chain_id, s.address LIMIT ${MOST_AT_ONCE} FOR UPDATE OF s SKIP LOCKED) AS next
    WHERE (chain_id, address) = (next.due_chain, next.due)
    RETURNING chain_id, address, entries, booked, read_at AS at, next.before, next.environment, next.network, next.symbol),
  fact AS (SELECT concat('stake:', chain_id, ':', address, ':', entries) AS source, 'coin_stake' AS kind, environment, network, symbol, at,
    address, CASE WHEN before IS NULL THEN '${STAKED_BEFORE}' ELSE address END AS wallet, 0::numeric AS network_fee, 0::numeric AS rent,
    0::numeric AS energy, booked - coalesce(before, 0) AS moved FROM taken)`,
  `'${STAKED}' || fact.address`,
);
