// The audit as a check of the end of a history.

import type { Check } from '@/simulation/checks/check';
import { COLD, WALLET } from '@/simulation/parties';
import type { SimulatedStore, Terms } from '@/simulation/stores';
import type { World } from '@/simulation/world';
import { audit, type AuditedSession } from './audit';
import type { AuditedPayout } from './audit-payouts';

export const chainsAndEventsAddUp: Check = ({ world, story }) => {
  const { chains, stores, sessions, refunds, lost, records } = world;
  const found = audit({
    ...{
      chains,
      stores: stores.map(storeOf),
      isRestored: world.isRestored,
      forgotten: new Set(lost.sentRefunds.keys()),
    },
    wallets: Object.values(WALLET),
    coldWallets: Object.values(COLD),
    // A forgotten session can be announced no more.
    sessions: [
      ...sessions.map((one) => ({ ...sessionOf(one), isDecided: one.isDecided || records.unread.has(one.id) })),
      ...[...lost.sessions].map((one) => ({ ...sessionOf(one), isDecided: true })),
    ],
    payouts: payoutsOf(world),
    requests: refunds.map(({ store, refundId, cents }) => ({ store: store.name, refundId, cents })),
  });
  const ids = [...sessions, ...lost.sessions].map(({ id }) => id);
  return found.map((one) => ids.reduce((text, id) => text.replaceAll(id, story.name('session', id)), one));
};

const payoutsOf = ({ stores, records }: World): AuditedPayout[] =>
  records.payouts.requested.map(({ storeId, network, currency, cents }) => ({
    ...{ store: stores.find((one) => one.storeId === storeId)?.name ?? '', network, currency, cents },
    addresses: records.payouts.addresses
      .filter((one) => one.storeId === storeId && one.network === network)
      .map(({ address }) => address),
  }));

const storeOf = ({ name, secrets, receivers }: SimulatedStore) => ({
  ...{ name, secrets: secrets.map(({ text }) => text) },
  receiver: {
    received: receivers.flatMap(({ received }) => received),
    hasFailed: receivers.some(({ hasFailed }) => hasFailed),
  },
});

const sessionOf = ({ store, addresses, ...terms }: Terms): AuditedSession => ({
  ...{ ...terms, store: store.name, addresses: Object.values(addresses) },
});
