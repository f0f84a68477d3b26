// The audit as a check of the end of a history.

import type { Check } from '@/simulation/checks/check';
import { WALLET } from '@/simulation/signer';
import { audit } from './audit';

export const chainsAndEventsAddUp: Check = ({ world, story }) => {
  const found = audit({
    chains: world.chains,
    wallets: [WALLET],
    stores: world.stores,
    sessions: world.sessions.map(({ store, address, ...terms }) => ({
      ...{ ...terms, store: store.name, addresses: [address] },
    })),
    requests: world.refunds.map(({ store, refundId, cents }) => ({ store: store.name, refundId, cents })),
  });
  const ids = world.sessions.map(({ id }) => id);
  return found.map((one) => ids.reduce((text, id) => text.replaceAll(id, story.name('session', id)), one));
};
