// The guarantees after many kills: compares the webhooks that merchants received, the database and the chains. Each
// guarantee is one entry of the result, with the sessions that break it.

import { readFacts } from './database.mjs';

/**
 * @param {{ paid: { id: string, network: string, address: string, merchant: any }[], wallets: Record<string, any>, receiver: any, dataDir: string }} scene
 * @returns {Promise<{ guarantee: string, broken: string[] }[]>}
 */
export async function judge({ paid, wallets, receiver, dataDir }) {
  const chain = await chainTotals(paid, wallets);
  const ids = paid.map((one) => one.id);
  const told = await Promise.all(paid.map((one) => one.merchant.read(one.id)));
  const statuses = await Promise.all(paid.map((one) => one.merchant.status(one.id)));
  const deliveries = paid.map((one) => receiver.about(one.id));
  const rows = await readFacts(dataDir, ids);
  const broken = (holds) => paid.flatMap((one, n) => (holds(one, n) ? [] : [one.id]));
  const eventsOf = (n, type) => deliveries[n].filter((one) => one.headers['x-service-event-type'] === type);

  return [
    { guarantee: 'every session that was paid is COMPLETED', broken: broken((_, n) => told[n].status === 'COMPLETED') },
    {
      guarantee: 'as much counts as received as the chain carried, no more and no less',
      broken: broken((_, n) => centsOf(statuses[n].amount_received) === chain[n].cents),
    },
    {
      guarantee: 'every transfer on the chain is recorded exactly once',
      broken: broken((one, n) => (rows.transfers.get(one.id) ?? 0) === chain[n].count),
    },
    { guarantee: 'a session is completed by exactly one move', broken: broken((one) => rows.moves.get(one.id) === 1) },
    {
      guarantee: 'there is exactly one payment.completed event',
      broken: broken((one) => rows.events.get(one.id) === 1),
    },
    {
      guarantee: 'the webhook arrived, always with one event id, and genuine',
      broken: broken((one, n) => {
        const list = eventsOf(n, 'payment.completed');
        const eventIds = new Set(list.map(({ headers }) => headers['x-service-event-id']));
        return list.length > 0 && eventIds.size === 1 && list.every((it) => one.merchant.isGenuine(it));
      }),
    },
    {
      guarantee: 'no other payment event was sent',
      broken: broken((_, n) => deliveries[n].length === eventsOf(n, 'payment.completed').length),
    },
    { guarantee: 'no delivery is left over', broken: rows.undelivered },
    { guarantee: 'no deposit address belongs to two sessions', broken: duplicates(paid.map((one) => one.address)) },
    { guarantee: 'the ledger’s entries sum to zero', broken: rows.unbalanced },
    {
      guarantee: 'the ledger holds what the chains carried',
      broken: rows.held === sumOf(chain) ? [] : [`${rows.held} cents in the ledger, ${sumOf(chain)} on the chains`],
    },
  ];
}

const sumOf = (chain) => chain.reduce((total, one) => total + one.cents, 0n);
const centsOf = (text) => BigInt(text.replace('.', ''));
const duplicates = (values) => values.filter((one, n) => values.indexOf(one) !== n);

/** Every EVM address exists on every EVM network, so each chain is queried for all addresses. */
async function chainTotals(paid, wallets) {
  const addresses = paid.map((one) => one.address);
  const found = await Promise.all(Object.values(wallets).map((wallet) => wallet.received(addresses)));
  return addresses.map((address) => {
    const parts = found.flatMap((one) => one.get(address) ?? []);
    return {
      cents: parts.reduce((sum, one) => sum + one.cents, 0n),
      count: parts.reduce((sum, one) => sum + one.count, 0),
    };
  });
}
