// The guarantees for refunds and payouts after kills at every step. It compares merchants' webhooks, the database, the signer's
// journal and the chains. Each guarantee is one entry of the result, with the cases that break it.

import { spawn } from 'node:child_process';
import net from 'node:net';
import path from 'node:path';
import { ROOT } from '../test/install.mjs';
import { inDatabase } from './database.mjs';

const ENDS = {
  refund: { completed: 'refund.succeeded', failed: 'refund.failed' },
  payout: { completed: 'payout.paid', failed: 'payout.failed' },
};
/** Concurrent requests to the web process. */
const AT_ONCE = 8;

/**
 * `coldWallets`: addresses by network, to which the refund wallet moves money of its own. Those transfers are returned as `moves`.
 * @param {{ sides: Record<string, { refunding: import('./refunding.mjs').Refunding, merchant: any, wallet: any, before: Record<string, bigint> }>, receiver: any, installation: import('./installation.mjs').Installation, coldWallets?: Record<string, string> }} scene
 */
export async function judgeRefunds({ sides, receiver, installation, coldWallets = {} }) {
  const { dataDir, databaseUrl } = installation;
  const callSigner = (call, params) => send(path.join(dataDir, 'signer.sock'), call, params);
  const signer = await callSigner('state', {});
  const rows = await readRows(dataDir);
  const told = indexEvents(receiver.all());
  const all = [];
  const guarantees = [];
  const counts = {};
  const moves = {};
  for (const [network, side] of Object.entries(sides)) {
    const { payments: asked } = side.refunding;
    const ended = await inBatches(asked, (one) => side.merchant.readPayment(one));
    const payments = asked.map((one, n) => ({ ...one, end: ended[n], row: rows.payments.get(one.name) }));
    const from = walletOn(signer, network);
    const onChain = await compareWithChain(network, { ...side, payments, from, cold: coldWallets[network] }).catch(
      (error) => incomparable(network, error),
    );
    moves[network] = onChain.moves;
    const count = (kind) => payments.filter((one) => one.kind === kind).length;
    counts[network] = { refunds: count('refund'), payouts: count('payout'), ...onChain.counts };
    guarantees.push(...onChain.guarantees);
    all.push(...payments.map((one) => ({ ...one, merchant: side.merchant })));
  }
  const broken = (holds) => all.flatMap((one) => (holds(one) ? [] : [`${one.kind} ${one.name} ${one.end.status}`]));
  const journal = await inBatches(all, (one) => callSigner('attempts', { intentId: one.row.id }));
  const signed = all.flatMap((one, n) => {
    const [ours, theirs] = [one.row.hashes, journal[n].attempts.map(({ hash }) => hash).toSorted()];
    return ours.join() === theirs.join() ? [] : [`${one.name}: ${ours.length} stored, ${theirs.length} in the journal`];
  });
  const genuine = (one) => {
    const list = told.get(one.name) ?? [];
    const isRight = (it) => it.type === ENDS[one.kind][one.end.status] && one.merchant.isGenuine(it.delivery);
    return list.length > 0 && new Set(list.map(({ id }) => id)).size === 1 && list.every(isRight);
  };
  guarantees.push(
    {
      guarantee: 'every refund and payout is completed, or failed where that was planned',
      broken: broken(({ end, planned }) => end.status === 'completed' || (planned && end.status === 'failed')),
    },
    {
      guarantee: 'one request is one refund or one payout',
      broken: all.length === rows.payments.size ? [] : [`${rows.payments.size} rows`],
    },
    {
      guarantee: 'of a completed one exactly one transaction landed, of a failed one none',
      broken: broken(({ end, row }) => row.landed === (end.status === 'completed' ? 1 : 0) && row.open === 0),
    },
    { guarantee: 'there is exactly one event of each', broken: broken(({ row }) => row.events === 1) },
    { guarantee: 'its webhook arrived, always with one event id, and genuine', broken: broken(genuine) },
    { guarantee: 'no delivery is left over', broken: rows.undelivered },
    { guarantee: 'the signer is not frozen', broken: signer.frozen ? [signer.reason] : [] },
    { guarantee: 'the signer’s journal holds what the database holds, and no more', broken: signed },
    { guarantee: 'the books are in order (check-books)', broken: await brokenBooks(databaseUrl) },
  );
  return { guarantees, counts, moves };
}

/** Every transfer of the refund wallet belongs to one refund or payout, and the payer, who is the payee of both, holds exactly their sum. */
async function compareWithChain(network, { refunding, wallet, before, payments, from, cold }) {
  const left = await wallet.sentBy(from);
  const moves = left.filter(({ to }) => to.toLowerCase() === cold?.toLowerCase());
  const sent = left.filter((one) => !moves.includes(one));
  const completed = payments.filter(({ end }) => end.status === 'completed');
  const payer = wallet.network.payer.address;
  // A batch pays several payouts by one transaction, each by a transfer of its own.
  const open = grouped(completed, (one) => `${hashOf(one)} ${one.currency} ${one.cents}`);
  const isRight = (one) => {
    const isOurs = one.to.toLowerCase() === payer.toLowerCase();
    return isOurs && open.get(`${one.hash} ${one.currency} ${one.cents}`)?.pop() !== undefined;
  };
  const doubles = sent.filter((one) => !isRight(one));
  const lost = [...open.values()].flat();
  const transfersOf = grouped(sent, ({ hash }) => hash);
  const shared = completed.filter((one) => one.kind === 'refund' && transfersOf.get(hashOf(one))?.length !== 1);
  const wrong = [];
  for (const [currency, { decimals }] of Object.entries(wallet.network.tokens)) {
    const back = completed.filter((one) => one.currency === currency).reduce((sum, one) => sum + BigInt(one.cents), 0n);
    const unit = 10n ** BigInt(decimals - 2);
    const expected = before[currency] + (back - refunding.paid[currency]) * unit;
    const found = await wallet.balance(currency, payer);
    if (found !== expected) wrong.push(`${currency}: the payer has ${found}, expected ${expected}`);
  }
  const waiting = payments.length - completed.length - payments.filter(({ end }) => end.status === 'failed').length;
  return {
    moves,
    counts: {
      completed: completed.length,
      transfers: sent.length,
      doubles: doubles.length,
      lost: lost.length + waiting,
    },
    guarantees: [
      {
        guarantee: `${network}: every payment of the refund wallet is one completed refund or payout, as asked for`,
        broken: doubles.map((one) => `${one.cents} cents ${one.currency} to ${one.to} in ${one.hash}`),
      },
      {
        guarantee: `${network}: every completed one is one transfer on the chain, and a refund a transaction of its own`,
        broken: [...lost.map(({ name }) => name), ...shared.map(({ name }) => `${name} shares its transaction`)],
      },
      { guarantee: `${network}: the payer’s balance rose by exactly what was refunded and paid out`, broken: wrong },
    ],
  };
}

export function grouped(list, keyOf) {
  const groups = new Map();
  for (const one of list) groups.set(keyOf(one), [...(groups.get(keyOf(one)) ?? []), one]);
  return groups;
}

/** A check that could not run counts as broken, and hides no other result. */
const incomparable = (network, error) => ({
  moves: [],
  counts: { completed: null, transfers: null, doubles: null, lost: null },
  guarantees: [{ guarantee: `${network}: the chain can be compared`, broken: [error.stack] }],
});

const hashOf = ({ end }) => end.transaction_hash;
const FAMILIES = { ethereum: 'evm', bsc: 'evm', tron: 'tron', solana: 'solana' };
export const walletOn = ({ wallets }, network) => wallets.test[FAMILIES[network]];

function readRows(dataDir) {
  return inDatabase(dataDir, async (query) => {
    const payments = await query(
      `SELECT r.id, r.name, (SELECT count(*)::int FROM events v WHERE v.object_id = r.id) AS events,
         (SELECT count(*)::int FROM refund_attempts a WHERE a.intent_id = r.id AND a.status = 'landed') AS landed,
         (SELECT count(*)::int FROM refund_attempts a WHERE a.intent_id = r.id AND a.ended_at IS NULL) AS open,
         ARRAY(SELECT a.hash FROM refund_attempts a WHERE a.intent_id = r.id AND a.hash IS NOT NULL) AS hashes
       FROM (SELECT id, refund_id AS name FROM refunds UNION ALL SELECT id, payout_id FROM payouts) r`,
    );
    const undelivered = await query(
      `SELECT concat_ws(' ', v.object_id, v.type, d.status) AS what FROM deliveries d JOIN events v ON v.id = d.event_id
       WHERE NOT EXISTS (SELECT FROM deliveries o WHERE o.event_id = d.event_id AND o.status = 'delivered')`,
    );
    for (const one of payments) one.hashes.sort();
    return {
      payments: new Map(payments.map((row) => [row.name, row])),
      undelivered: undelivered.map((row) => row.what),
    };
  });
}

/** Received events of refunds and payouts, by the merchant's name of it. */
function indexEvents(deliveries) {
  const found = new Map();
  for (const delivery of deliveries) {
    const type = delivery.headers['x-service-event-type'] ?? '';
    const name = /^(?:refund|payout)\./.test(type) ? /crash-[a-z]+-\d+/.exec(delivery.body.toString())?.[0] : undefined;
    if (!name) continue;
    const list = found.get(name) ?? [];
    list.push({ type, id: delivery.headers['x-service-event-id'], delivery });
    found.set(name, list);
  }
  return found;
}

/** The lines of `stabletill check-books` that say BROKEN. */
export function brokenBooks(databaseUrl) {
  return new Promise((resolve) => {
    const env = { ...process.env, DATABASE_URL: databaseUrl };
    const child = spawn(process.execPath, ['scripts/stabletill.mjs', 'check-books'], {
      cwd: ROOT,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk));
    child.once('close', (code) =>
      resolve(code === 0 ? [] : said.split('\n').filter((line) => !line.startsWith('ok '))),
    );
  });
}

/** Sends one request to the signer in its socket format. */
export function send(socketPath, call, params) {
  return new Promise((resolve, reject) => {
    const socket = net.connect(socketPath, () => socket.write(`${JSON.stringify({ id: call, call, params })}\n`));
    let said = '';
    socket.on('data', (chunk) => {
      said += chunk;
      if (!said.endsWith('\n')) return;
      socket.end();
      const { result, error } = JSON.parse(said);
      if (error) reject(new Error(`the signer answered ${call} with ${error.message}`));
      else resolve(result);
    });
    socket.once('error', reject);
  });
}

export async function inBatches(list, work) {
  const answers = Array.from({ length: list.length });
  let next = 0;
  const take = async () => {
    while (next < list.length) {
      const n = next++;
      answers[n] = await work(list[n]);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, take));
  return answers;
}
