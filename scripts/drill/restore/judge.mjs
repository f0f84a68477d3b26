// The guarantees after a point-in-time restore, judged from the chains, the signer's journal and what the former database had given out.

import path from 'node:path';
import { inDatabase } from '../../crash/database.mjs';
import { brokenBooks, inBatches, send, walletOn } from '../../crash/refund-judge.mjs';

/** What the database had given out: positions of events, deposit addresses, and the identity of each refund and payout. */
export const givenOut = (dataDir) =>
  inDatabase(dataDir, async (query) => {
    const events = await query('SELECT id, written_in::text AS position FROM events');
    const sessions = await query('SELECT id, address_index, evm_address, tron_address, solana_address FROM sessions');
    const payments = await query(
      'SELECT id, refund_id AS name, status FROM refunds UNION ALL SELECT id, payout_id, status FROM payouts',
    );
    return {
      events: new Map(events.map((row) => [row.id, BigInt(row.position)])),
      sessions: new Map(sessions.map((row) => [row.id, row])),
      payments: new Map(payments.map((row) => [row.name, row])),
    };
  });

/**
 * @param {{ installation: any, before: any, sides: Record<string, any> }} scene `before` is givenOut at the moment of the loss; `sides` have
 * the payments that merchants requested before and after it.
 */
export async function judgeRestore({ installation, before, sides }) {
  const { dataDir, databaseUrl } = installation;
  const now = await givenOut(dataDir);
  const signer = await send(path.join(dataDir, 'signer.sock'), 'state', {});
  const [guarantees, counts] = [[], {}];
  for (const [network, { refunding, wallet }] of Object.entries(sides)) {
    const identity = (name) => now.payments.get(name)?.id ?? before.payments.get(name)?.id;
    const known = refunding.payments.filter(({ name }) => identity(name));
    const journal = await inBatches(known, ({ name }) =>
      send(path.join(dataDir, 'signer.sock'), 'attempts', { intentId: identity(name) }),
    );
    const sent = await wallet.sentBy(walletOn(signer, network));
    const found = compare(known, journal, sent);
    const unfinished = known.filter(({ name }) => ['pending', 'processing'].includes(now.payments.get(name)?.status));
    const lost = known.filter(({ name }) => !now.payments.has(name));
    const completed = known.filter(({ name }) => now.payments.get(name)?.status === 'completed');
    const unpaid = completed.filter(({ name }) => !found.paid.has(name));
    counts[network] = {
      requested: known.length,
      completed: completed.length,
      'transfers on the chain': sent.length,
      'paid twice': found.twice.length,
      'transfers of no payment': found.strange.length,
      'with a session that the restore lost': lost.length,
    };
    guarantees.push(
      { guarantee: `${network}: no refund and no payout was paid twice`, broken: found.twice },
      { guarantee: `${network}: every transfer of the refund wallet is one refund or payout`, broken: found.strange },
      { guarantee: `${network}: every completed one is on the chain`, broken: unpaid.map(({ name }) => name) },
      { guarantee: `${network}: nothing is left to be done`, broken: unfinished.map(({ name }) => name) },
    );
  }
  const highest = max([...before.events.values()]);
  const newEvents = [...now.events].filter(([id]) => !before.events.has(id));
  const newSessions = [...now.sessions.values()].filter(({ id }) => !before.sessions.has(id));
  const used = new Set([...before.sessions.values()].flatMap(addressesOf));
  guarantees.push(
    {
      guarantee: 'every event since the restore has a position above all that were ever given out',
      broken: newEvents.flatMap(([id, position]) =>
        position > highest ? [] : [`${id}: ${position}, and ${highest} was given out`],
      ),
    },
    {
      guarantee: 'no deposit address and no index was given to a second session',
      broken: newSessions.flatMap((one) => addressesOf(one).filter((address) => used.has(address))),
    },
    {
      guarantee: 'there were events and sessions after the restore',
      broken: newEvents.length > 0 && newSessions.length > 0 ? [] : ['none'],
    },
    { guarantee: 'the signer is not frozen', broken: signer.frozen ? [signer.reason] : [] },
    { guarantee: 'the books are in order (check-books)', broken: await brokenBooks(databaseUrl) },
  );
  const lostSessions = [...before.sessions.keys()].filter((id) => !now.sessions.has(id)).length;
  return { guarantees, counts, lostSessions, newEvents: newEvents.length, newSessions: newSessions.length };
}

const addressesOf = (row) => [String(row.address_index), row.evm_address, row.tron_address, row.solana_address];
const max = (list) => list.reduce((most, one) => (one > most ? one : most), 0n);

/** Each transfer is taken by one payment whose journal has its transaction; a batch has one for each of its payouts. */
function compare(payments, journal, sent) {
  const open = sent.map((one) => ({ ...one, isTaken: false }));
  const paid = new Set();
  const twice = [];
  for (const [n, { name, currency, cents }] of payments.entries()) {
    const hashes = new Set(journal[n].attempts.map(({ hash }) => hash));
    const own = open.filter(
      (one) => !one.isTaken && hashes.has(one.hash) && one.currency === currency && Number(one.cents) === cents,
    );
    const [first] = own;
    if (!first) continue;
    first.isTaken = true;
    paid.add(name);
    // In one transaction they are other payouts of its batch with the same amount.
    const second = own.find((one) => one.hash !== first.hash);
    if (second) twice.push(`${name}: ${first.hash} and ${second.hash}`);
  }
  const strange = open.filter(({ isTaken }) => !isTaken);
  return {
    paid,
    twice,
    strange: strange.map((one) => `${one.cents} cents ${one.currency} to ${one.to} in ${one.hash}`),
  };
}
