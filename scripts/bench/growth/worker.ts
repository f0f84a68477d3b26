// The steps of the worker that need no chain, and the parts of the others that read and write the database: the watcher's look for deposit
// addresses among the recipients of blocks, crediting what it found, and the choice of what is compared, swept, sent and delivered next.

import { readFacts } from '@/lib/installation/alarms/facts';
import { removeOldRecords } from '@/lib/installation/retention/step';
import { recordStatus } from '@/lib/installation/status/record-status';
import { coinStep } from '@/lib/ledger/coin/step';
import { quarantineFrozen } from '@/lib/ledger/quarantine';
import { takeDue } from '@/lib/ledger/reconciliation/balances/due';
import { clearChecks } from '@/lib/ledger/reconciliation/balances/rows';
import { closeMonths } from '@/lib/ledger/statements/close';
import { clearSpent } from '@/lib/merchants/api-keys/nonces';
import { watchAudit } from '@/lib/merchants/audit/watch';
import { mailNotices } from '@/lib/merchants/notifications/step';
import type { Context, Step } from '@/lib/platform/context';
import { expireSessions } from '@/lib/payments/sessions/expire/expire';
import { rollUpSessions } from '@/lib/payments/totals/roll-up';
import { findDueAddresses } from '@/lib/payments/watcher/accounts/due-addresses';
import { openAddressBook } from '@/lib/payments/watcher/transfers/deposit-addresses';
import { leaseDue as leasePayments } from '@/lib/refunds/sending/lease';
import { readCandidates } from '@/lib/sweeps/candidates';
import { rulesOf } from '@/lib/sweeps/rules';
import { leaseDue as leaseDeliveries } from '@/lib/webhooks/delivery/lease';
import { openHosts } from '@/lib/webhooks/delivery/hosts';
import { hasWork } from '@/lib/worker/quiet';
import { PENDING } from './lives.mjs';
import type { Operation } from './operation';
import { chainRow, digest, NETWORK, payFor } from './payments';
import { chainOf, rowAt, type Side } from './side';

/** Recipients of the transfers of a busy block, and those of them that are deposit addresses. */
const [RECIPIENTS, OURS] = [2000, 10];
/** Sessions that one run pays or expires. Both halves of the pending sessions last for all rounds. */
const AT_ONCE = 2;
const DELIVERIES = 20;
const HOUR = 3_600_000;

async function findRecipients(side: Side, turn: number): Promise<unknown> {
  const chain = chainOf(side, NETWORK);
  const book = openAddressBook(side.context, chain, { row: await chainRow(side), openOnly: false });
  const recipients = Array.from({ length: RECIPIENTS }, (_, n) => `0x${digest(`${turn} ${n}`).slice(0, 40)}`);
  const text = `SELECT evm_address AS address FROM sessions WHERE store_id = $1 ORDER BY id LIMIT 1000`;
  for (let n = 0; n < OURS; n++) {
    const row = await rowAt<{ address: string }>(side, turn * OURS + n, { text, values: [side.key.storeId] });
    recipients[n * 100] = row.address;
  }
  const found = await book.watch.among(recipients);
  if (found.size !== OURS) throw new Error(`${found.size} of ${OURS} deposit addresses were found`);
  return found;
}

const PAYABLE = {
  text: `SELECT id FROM sessions WHERE status = 'pending' AND order_id LIKE 'order-%' ORDER BY created_at DESC LIMIT ${PENDING / 2}`,
  isOnce: true,
};

/** Payments of the newer half of the pending sessions: they are stored, posted and settled, and their events recorded. */
async function creditPayments(side: Side, turn: number): Promise<void> {
  const ids = [];
  for (let n = 0; n < AT_ONCE; n++) ids.push((await rowAt<{ id: string }>(side, turn * AT_ONCE + n, PAYABLE)).id);
  await payFor(side, ids);
}

/** A clock by which the next sessions of the older half of the pending ones are due: they expire second by second. */
async function expireAt(side: Side, turn: number): Promise<Context> {
  const text = `SELECT expires_at AS at FROM sessions WHERE status = 'pending' AND order_id LIKE 'order-%' ORDER BY created_at LIMIT ${PENDING / 2}`;
  const { at } = await rowAt<{ at: Date }>(side, turn * AT_ONCE + AT_ONCE - 1, { text, isOnce: true });
  return { ...side.context, clock: { now: () => at } };
}

async function addDeliveries({ context: { pool }, key: { storeId } }: Side): Promise<void> {
  await pool.query(
    `INSERT INTO deliveries (event_id, store_id, environment, next_at)
     SELECT id, store_id, environment, now() - interval '1 second' FROM events WHERE store_id = $1 ORDER BY id DESC LIMIT $2`,
    [storeId, DELIVERIES],
  );
}

async function takeDeliveries({ context }: Side): Promise<unknown> {
  const hosts = openHosts(DELIVERIES, DELIVERIES);
  const taken = await leaseDeliveries(context, {
    total: DELIVERIES,
    perEndpoint: DELIVERIES,
    inFlight: [],
    hosts: hosts.room(),
  });
  if (taken.length !== DELIVERIES) throw new Error(`${taken.length} of ${DELIVERIES} deliveries were leased`);
  return taken;
}

/** A session of a past day changed. */
const changeDay = ({ context: { pool }, ordinary, ordinaryStore }: Side, turn: number): Promise<unknown> =>
  pool.query(
    `INSERT INTO session_total_changes (environment, store_id, day) VALUES ('test', $1, ($2::timestamptz AT TIME ZONE 'UTC')::date)`,
    [ordinaryStore, ordinary[turn % ordinary.length]?.created_at],
  );

async function sweepCandidates(side: Side): Promise<unknown> {
  const [{ spec }, { id: chainId }, now] = [chainOf(side, NETWORK), await chainRow(side), new Date()];
  return readCandidates(side.context.pool, {
    ...{ chainId, currencies: Object.keys(spec.tokens), rules: rulesOf(spec), cost: 1n, now, isScreened: false },
    closedBefore: new Date(now.getTime() - HOUR),
  });
}

async function compareNext(side: Side): Promise<unknown> {
  const { id: chainId } = await chainRow(side);
  return takeDue(side.context.pool, { chain: chainOf(side, NETWORK), chainId, most: 50, now: new Date() });
}

async function solanaAddresses(side: Side): Promise<unknown> {
  const { id: chainId } = await chainRow(side, 'solana');
  const at = { chainId, through: 0, now: new Date(), openOnly: false };
  return findDueAddresses(side.context.pool, { environment: 'test', network: 'solana' }, at);
}

const watches = new WeakMap<Side, Step>();
/** Each side has a watch of its own, which has verified the whole log in the warm-up. */
async function verifyAudit(side: Side): Promise<void> {
  const watch = watches.get(side) ?? watchAudit();
  watches.set(side, watch);
  while ((await watch(side.context)).more);
}

const part = (name: string, run: Operation['run']): Operation => ({ group: 'worker', name, run });
const step = (name: string, run: Step): Operation => part(name, (side) => run(side.context));

export const WORKER: readonly Operation[] = [
  part('look for work', ({ context }) => hasWork(context.pool)),
  part('watch: deposit addresses of a block', findRecipients),
  part('watch: due addresses of Solana', solanaAddresses),
  part('compare balances: what is next', compareNext),
  part('compare balances: remove old rows', async (side) =>
    clearChecks(side.context.pool, (await chainRow(side)).id, new Date()),
  ),
  part('sweeps: candidates', sweepCandidates),
  part('refunds: what is next', ({ context }) =>
    leasePayments(context, { table: 'refunds', environment: 'test', network: NETWORK }, 1000),
  ),
  part('payouts: what is next', ({ context }) =>
    leasePayments(context, { table: 'payouts', environment: 'test', network: NETWORK }, 1000),
  ),
  part('alarms: what needs an operator', ({ context }) => readFacts(context)),
  part('watch the audit log', verifyAudit),
  step('book coins', coinStep),
  step('quarantine frozen money', quarantineFrozen),
  step('mail notices', mailNotices),
  step('clear what is spent', clearSpent),
  step('remove old records', removeOldRecords),
  step('store the status', recordStatus),
  step('close statement months', closeMonths),
];

export const WORKER_WRITES: readonly Operation[] = [
  { ...part('credit and settle payments', creditPayments), isWrite: true },
  { ...part('expire sessions', async (side, turn) => expireSessions(await expireAt(side, turn))), isWrite: true },
  { ...part('take due deliveries', takeDeliveries), isWrite: true, prepare: addDeliveries },
  { ...step('add sessions up', rollUpSessions), isWrite: true, prepare: changeDay },
];
