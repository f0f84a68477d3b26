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
  callsVerifyWithEverySecret,
  deliveredEventsWereReceived,
  everyEventIsDelivered,
  eventsAreDocumented,
  eventsReachTheirStoreOnly,
  readersReadEverything,
  readersReadNothingTwice,
} from './events';
import { everyUnitHasAPlace, transfersAreReturnedOnce } from './every-unit';
import { otherStoresAreUntouched } from './isolation';
import { statusesFollowTheirMoves } from './moves';
import {
  dayLimitsHold,
  formerKeysAreRefused,
  largeRefundsNeedTwoOperators,
  linksAreNotOverrun,
  nothingIsSignedWhileFrozen,
  refundsFailForLastingReasons,
} from './people';
import { everythingEnds } from './progress';
import {
  everythingReadIsStored,
  oneEndpointCreditsLittle,
  readersReadTheirOwn,
  whatIsShownIsOnItsWay,
} from './reading';
import {
  hourLimitsOfTheSignerHold,
  refundsGoToTheirPayers,
  refundsStayWithinThePrice,
  refundsWaitBeforeTheyAreSigned,
} from './refunds';

export const ALWAYS: readonly Check[] = [
  addressesAreNeverGivenTwice,
  storedTransfersAreReal,
  completedSessionsArePaid,
  closedSessionsAreUnpaid,
  statusesFollowTheirMoves,
  refundsGoToTheirPayers,
  refundsStayWithinThePrice,
  refundsWaitBeforeTheyAreSigned,
  hourLimitsOfTheSignerHold,
  eventsReachTheirStoreOnly,
  deliveredEventsWereReceived,
  otherStoresAreUntouched,
  callsVerifyWithEverySecret,
  readersReadNothingTwice,
  transfersAreReturnedOnce,
  dayLimitsHold,
  formerKeysAreRefused,
  largeRefundsNeedTwoOperators,
  linksAreNotOverrun,
  nothingIsSignedWhileFrozen,
  refundsFailForLastingReasons,
  everythingReadIsStored,
  oneEndpointCreditsLittle,
  readersReadTheirOwn,
  whatIsShownIsOnItsWay,
];

export const AT_THE_END: readonly Check[] = [
  everythingEnds,
  everyTransferIsStored,
  everyEventIsDelivered,
  readersReadEverything,
  everyUnitHasAPlace,
  eventsAreDocumented,
  chainsAndEventsAddUp,
];
