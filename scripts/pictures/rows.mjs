// Rows as creating, watching and settling leave them, for page states that take hours, luck or a fault to reach. The
// web process reads them; no process watches or pays.

import { createHash, randomBytes } from 'node:crypto';
import { STORE } from '../bench/database.mjs';

const NETWORKS = ['ethereum', 'bsc', 'tron', 'solana'];
const DECIMALS = { bsc: 18 };
const [TIP, FINAL] = [1000, 990];

const digest = (token) => createHash('sha256').update(token).digest();
export const text = (bytes) => randomBytes(bytes).toString('hex');
const at = (seconds) => new Date(Date.now() + seconds * 1000);
export const units = (cents, network) => (BigInt(cents) * 10n ** BigInt((DECIMALS[network] ?? 6) - 2)).toString();

/** Inserts the store's name and branding, and the four chains. Resolves to the chains' ids by network. */
export async function addSurroundings(client) {
  await client.query(`UPDATE stores SET name = 'Nordlicht Coffee' WHERE id = $1`, [STORE]);
  await client.query(
    `INSERT INTO store_branding (store_id, support_contact, updated_at) VALUES ($1, 'help@nordlicht.example', now())`,
    [STORE],
  );
  const chains = new Map();
  for (const network of NETWORKS) {
    const { rows } = await client.query(
      `INSERT INTO chains (environment, network, genesis, tip_number, tip_hash, final_number, final_hash, final_time, final_lag)
       VALUES ('test', $1, $2, ${TIP}, '0x1', ${FINAL}, '0x2', now(), 12)
       ON CONFLICT (environment, network) WHERE retired_at IS NULL
       DO UPDATE SET tip_number = ${TIP}, final_number = ${FINAL}, final_lag = 12 RETURNING id`,
      [network, text(8)],
    );
    chains.set(network, rows[0].id);
  }
  return chains;
}

/** Refreshes values that pages show relative to the clock: the lag of chains and the expiry of sessions. */
export async function renew(client, { lagging, ending }) {
  await client.query(
    `UPDATE chains SET scanned_at = CASE WHEN network = ANY($1) THEN now() - interval '8 minutes' ELSE now() END`,
    [lagging],
  );
  await client.query(`UPDATE sessions SET expires_at = now() + interval '75 seconds' WHERE id = ANY($1)`, [ending]);
}

let index = 1_000_000;

/** Inserts a session in this state; resolves to its id. Amounts are cents, times seconds from now. */
export async function addSession(client, chains, state) {
  const { status = 'pending', exception = 'none', due = 1234, received = 0, left = 1800, networks = NETWORKS } = state;
  const id = `cs_test_${text(11)}`;
  const paid =
    status === 'completed' ? [state.transfers?.[0]?.network ?? 'bsc', 'USDT', `0x${text(32)}`] : [null, null, null];
  const row = {
    ...{ id, store_id: state.store ?? STORE, environment: 'test', order_id: id, status, exception, amount_due: due },
    ...{
      amount_total: state.total ?? due,
      currency: state.currency ?? 'USD',
      currencies: state.currencies ?? ['USDT', 'USDC'],
    },
    ...{
      networks,
      description: state.description ?? 'Two mugs',
      exchange_rate: state.rate ?? null,
      rate_basis: state.rate ? '{}' : null,
      line_items: state.items ? JSON.stringify(state.items) : null,
    },
    ...{ tax_amount: state.tax ?? null, shipping_amount: state.shipping ?? null },
    ...{ success_url: 'https://shop.example/thanks', cancel_url: 'https://shop.example/cart' },
    ...{ created_at: at(-60), expires_at: at(left), address_index: index++, amount_received: received },
    ...{ evm_address: `0x${text(20)}`, tron_address: TRON_ADDRESS, solana_address: SOLANA_ADDRESS },
    ...{ completed_network: paid[0], completed_currency: paid[1], completed_transaction: paid[2] },
    closed_at: status === 'pending' ? null : at(0),
    accepted_from: state.acceptedFrom ?? null,
  };
  // Each has a separate address in the database, and the picture must show a plausible one.
  row.tron_address = `${TRON_ADDRESS.slice(0, -6)}${base58(6)}`;
  row.solana_address = `${SOLANA_ADDRESS.slice(0, -6)}${base58(6)}`;
  await insert(client, 'sessions', row);
  for (const one of state.unconfirmed ?? []) await addUnconfirmed(client, chains, id, one);
  for (const one of state.transfers ?? []) await addTransfer(client, chains, id, { ...one, store: state.store });
  for (const one of state.refunds ?? []) await addRefund(client, id, one);
  if (state.payer) await insert(client, 'payer_browsers', { session_id: id, browser: digest(state.payer) });
  if (state.given) await addGiven(client, id, { network: paid[0], address: state.given });
  if (state.link) await insert(client, 'payment_link_sessions', { session_id: id, link_id: state.link });
  return id;
}

const TRON_ADDRESS = 'TNPeeaaFB7K9cmo4uQpcU32zGK8G1NYqeL';
const SOLANA_ADDRESS = '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin';
const base58 = (count) =>
  Array.from(randomBytes(count), (byte) => '123456789ABCDEFGHJKLMNPQRSTUVWXYZ'[byte % 33]).join('');

/** An address from the customer: for one refund, or for all of the session's refunds. */
const addGiven = (client, sessionId, { network, address, refund = null }) =>
  insert(client, 'refund_addresses', {
    ...{ session_id: sessionId, network, address, intent_id: refund, given_at: at(0) },
  });

const addUnconfirmed = (
  client,
  chains,
  sessionId,
  { network = 'bsc', currency = 'USDT', cents, block = 996, orphaned = false },
) =>
  insert(client, 'unconfirmed_transfers', {
    ...{ chain_id: chains.get(network), session_id: sessionId, transaction_hash: `0x${text(32)}`, ordinal: 0 },
    ...{ block_number: block, block_hash: '0xb', block_time: at(-20), currency, contract: '0xc', payer: '0xp' },
    ...{ recipient: '0xr', amount: units(cents, network), orphaned_at: orphaned ? at(0) : null },
  });

async function addTransfer(
  client,
  chains,
  sessionId,
  { network = 'bsc', currency = 'USDT', cents, when = -30, decided, store = STORE },
) {
  const { rows } = await insert(client, 'transfers', {
    ...{ chain_id: chains.get(network), network, session_id: sessionId, transaction_hash: `0x${text(32)}`, ordinal: 0 },
    ...{
      block_number: 980,
      block_hash: '0xb',
      block_time: at(when),
      currency,
      contract: '0xc',
      payer: `0x${text(20)}`,
    },
    ...{ recipient: `0x${text(20)}`, amount: units(cents, network), decimals: DECIMALS[network] ?? 6 },
  });
  if (!decided) return;
  await insert(client, 'payment_exceptions', {
    ...{ store_id: store, environment: 'test', session_id: sessionId, transfer_id: rows[0].id, kind: decided.kind },
    ...{ amount: units(cents, network), state: decided.state ?? 'open' },
    ...(decided.state && { decided_by: 'operator:pictures', decided_at: at(0) }),
  });
}

/** A refund; `claim` is the token of the customer's claim link, `given` the address entered there. */
async function addRefund(
  client,
  sessionId,
  { status, cents = 1234, hold = null, claim, given, network = 'bsc', ...more },
) {
  const id = text(16);
  await insert(client, 'refunds', {
    ...{ id, store_id: STORE, environment: 'test', refund_id: id, session_id: sessionId, order_id: sessionId, status },
    ...{
      amount: cents,
      currency: 'USDT',
      network,
      request_hash: randomBytes(32),
      day: at(0),
      created_at: at(-30),
      hold,
    },
    ...(hold && { hold_message: hold, held_at: at(0) }),
    ...(status !== 'pending' && { sign_after: at(-20) }),
    ...(['completed', 'failed', 'canceled'].includes(status) && { processed_at: at(0) }),
    ...(status === 'completed' && {
      ...{
        destination: `0x${text(20)}`,
        destination_kind: 'payer',
        destination_reference: '1',
        signature_requested_at: at(-10),
      },
      transaction_hash: `0x${text(32)}`,
      receipt_number: more.receipt,
    }),
    ...(status === 'failed' && { failure_reason: 'recipient_blacklisted' }),
    ...(claim && {
      ...{ claim_hash: digest(claim), claim_ciphertext: randomBytes(32) },
      claim_expires_at: at(more.claimLeft ?? 86_400),
    }),
  });
  if (given) await addGiven(client, sessionId, { network, address: given, refund: id });
}

/** a store without a contact or branding; resolves to its id. */
export async function addOtherStore(client, { id, name, status }) {
  await client.query(
    `INSERT INTO stores (id, owner_id, name, status) SELECT $2, owner_id, $3, $4 FROM stores WHERE id = $1`,
    [STORE, id, name, status],
  );
  return id;
}

/** A payment link; resolves to its id. */
export async function addLink(client, state) {
  const id = `pl_test_${text(11)}`;
  await insert(client, 'payment_links', {
    ...{ id, store_id: STORE, environment: 'test', title: 'Guided walk', description: 'Two hours along the harbour.' },
    ...{ currency: 'EUR', amount: null, created_at: at(-60) },
    ...state,
  });
  return id;
}

export function insert(client, table, row) {
  const names = Object.keys(row);
  const places = names.map((_, n) => `$${n + 1}`).join(', ');
  return client.query(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${places}) RETURNING *`, Object.values(row));
}
