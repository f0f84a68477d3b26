// The checks of every step, and those of the end, when nothing is under way.

import { chainsAndEventsAddUp } from '@/simulation/oracles/audit-check';
import { addressesAreNeverGivenTwice } from './addresses';
import type { Check } from './check';
import {
  closedSessionsAreUnpaid,
  completedSessionsArePaid,
  everyTransferIsStored,
  storedTransfersAreReal,
} from './credits';
import {
  deliveredEventsWereReceived,
  everyEventIsDelivered,
  eventsAreDocumented,
  eventsReachTheirStoreOnly,
} from './events';
import { otherStoresAreUntouched } from './isolation';
import { statusesFollowTheirMoves } from './moves';
import { everythingEnds } from './progress';
import { refundsGoToTheirPayers, refundsStayWithinThePrice } from './refunds';

export const ALWAYS: readonly Check[] = [
  addressesAreNeverGivenTwice,
  storedTransfersAreReal,
  completedSessionsArePaid,
  closedSessionsAreUnpaid,
  statusesFollowTheirMoves,
  refundsGoToTheirPayers,
  refundsStayWithinThePrice,
  eventsReachTheirStoreOnly,
  deliveredEventsWereReceived,
  otherStoresAreUntouched,
];

export const AT_THE_END: readonly Check[] = [
  everythingEnds,
  everyTransferIsStored,
  everyEventIsDelivered,
  eventsAreDocumented,
  chainsAndEventsAddUp,
];
