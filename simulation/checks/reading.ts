// What the product has read: everything up to the cursor of a network is stored at once, one endpoint alone credits little, and
// programs that read lists get what belongs to their store.

import { FINE, fineAmount } from '@/simulation/chain/units';
import { cents } from '@/simulation/story';
import { depositAddress } from '@/simulation/stores';
import type { Check } from './check';
import { finalTo, isEarly } from './credits';
import { unstoredLosses } from './outflows';
import { isReadInRotation, lacksOf } from './rotation';

/**
 * A window that was read is stored with its cursor, and not when a later comparison of balances finds what is missing. An endpoint
 * that leaves transfers out excuses it. On Solana, some addresses are read in rotation only (rotation.ts).
 */
export const everythingReadIsStored: Check = ({ world, after, story }) => {
  if (world.isRestored || world.records.hasClockGoneBack) return [];
  const stored = new Set(after.transfers.map(({ network, hash, session_id: id }) => `${network} ${hash} ${id}`));
  const cursors = new Map(after.cursors.map(({ network, final_number: final }) => [network, final ?? -1]));
  const quarantined = new Set(after.quarantine.map(({ step }) => step));
  const lied = new Set(world.endpoints.filter(({ hasLied }) => hasLied).map(({ chain }) => chain.network));
  const isRead = (network: string, blockNumber: number): boolean => blockNumber <= (cursors.get(network) ?? -1);
  const missing = world.sessions.flatMap((terms) =>
    finalTo(world, terms)
      .filter(({ chain, blockNumber }) => isRead(chain.network, blockNumber))
      .filter(({ chain, hash }) => !stored.has(`${chain.network} ${hash} ${terms.id}`))
      .map((one) => ({ ...one, terms })),
  );
  const gone = unstoredLosses({ world, after }).filter((one) => isRead(one.network, one.blockNumber));
  const isLeft = ({ chain, recipient, terms }: (typeof missing)[number]): boolean =>
    chain.spec.family === 'solana' &&
    isReadInRotation(chain, {
      came: missing.filter((one) => one.recipient === recipient),
      left: gone.filter((one) => one.address === recipient && one.network === chain.network),
      lacks: lacksOf(world, after, terms),
    });
  return missing
    .filter(({ chain: { network } }) => !lied.has(network) && ![...quarantined].some((step) => step.includes(network)))
    .filter((one) => one.blockTime > one.terms.createdAt && !isEarly(one, one.terms))
    .filter((one) => !isLeft(one))
    .map(
      ({ hash, chain, blockNumber }) =>
        `${story.name('payment', hash)} of block ${blockNumber} is not stored, and ${chain.network} is read to block ${cursors.get(chain.network)}`,
    );
};

/** A payment that left the chain is no longer shown as on its way once the network is read past its block. */
export const whatIsShownIsOnItsWay: Check = ({ world, after, story }) =>
  after.unconfirmed.flatMap(({ network, hash, block_number: block }) => {
    const chain = world.chains.find((one) => one.network === network);
    const cursor = after.cursors.find((one) => one.network === network)?.final_number ?? -1;
    const isThere = chain?.transfers(chain.height()).some((one) => one.hash === hash) ?? false;
    return isThere || block > cursor
      ? []
      : [`${story.name('payment', hash)} is shown as on its way, and ${network} is read to block ${cursor} without it`];
  });

/** A network whose blocks several endpoints have shown needs no other proof. */
const AGREEING = 2;

/** What a single endpoint has shown to the product counts for a session only below the amount that the operator set. */
export const oneEndpointCreditsLittle: Check = ({ world, after, story }) => {
  const above = BigInt(world.context.config.AGREEMENT_ABOVE) * FINE;
  return world.chains.flatMap((chain) => {
    const own = world.endpoints.filter((one) => one.chain === chain);
    return world.sessions.flatMap((terms) => {
      const rows = after.transfers.filter(
        ({ network, session_id: id }) => network === chain.network && id === terms.id,
      );
      const alone = chain
        .transfers(chain.final())
        .filter(({ recipient }) => recipient === depositAddress(terms, chain))
        .filter(({ blockNumber }) => own.filter(({ shown }) => shown >= blockNumber).length < AGREEING)
        .map(({ hash }) => hash);
      const total = rows.reduce((sum, one) => sum + fineAmount(chain, one.currency, BigInt(one.amount)), 0n);
      return total >= above && rows.some(({ hash }) => alone.includes(hash))
        ? [
            `one endpoint of ${chain.network} alone credited ${story.name('session', terms.id)} up to ${cents(total / FINE)}`,
          ]
        : [];
    });
  });
};

/** A program that follows the events of its store gets those of no other one. */
export const readersReadTheirOwn: Check = ({ world, after, story }) => {
  const owners = new Map(after.events.map(({ id, store_id: owner }) => [id, owner]));
  return world.stores.flatMap(({ name, storeId, reader: { read } }) =>
    read
      .filter((id) => (owners.get(id) ?? storeId) !== storeId)
      .map((id) => `${name} read ${story.name('event', id)} of another store`),
  );
};
