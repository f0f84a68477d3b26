// A deposit address belongs to one session for ever, also when a restored database has forgotten the session.

import type { Check } from './check';

export const addressesAreNeverGivenTwice: Check = ({ world, story }) => {
  const owners = new Map<string, string>();
  return [...world.lost.sessions, ...world.sessions].flatMap(({ id, addresses }) =>
    Object.values(addresses).flatMap((address) => {
      const owner = owners.get(address);
      owners.set(address, id);
      return owner === undefined
        ? []
        : [`${story.name('session', id)} has the deposit address of ${story.name('session', owner)}`];
    }),
  );
};
