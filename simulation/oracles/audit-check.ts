// The audit as a check of the end of a history.

import type { Check } from '@/simulation/checks/check';
import { WALLET } from '@/simulation/parties';
import { audit } from './audit';

export const chainsAndEventsAddUp: Check = ({ world, story }) => {
  // A restored database has forgotten some of them, and what they paid and announced stays.
  const sessions = [...world.sessions, ...world.lost.sessions];
  const found = audit({
    chains: world.chains,
    wallets: Object.values(WALLET),
    stores: world.stores,
    sessions: sessions.map(({ store, addresses, ...terms }) => ({
      ...{ ...terms, store: store.name, addresses: Object.values(addresses) },
    })),
    requests: [...world.refunds, ...world.lost.refunds].map(({ store, refundId, cents }) => ({ store: store.name, refundId, cents })),
  });
  const ids = sessions.map(({ id }) => id);
  return found.map((one) => ids.reduce((text, id) => text.replaceAll(id, story.name('session', id)), one));
};
