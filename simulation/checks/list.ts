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
import {
  coldTransfersEnd,
  coldTransfersLeaveWhatIsOwed,
  coldTransfersPayOnce,
  everyRefillIsBooked,
  nothingStaysAboveTheMark,
  refillsAreBookedOnce,
} from './cold';
import { oneReturnIsOpen, returnsEnd, returnsPayOnce, returnsTellTheTruth } from './cold-returns';
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
import { everyOutflowIsBooked, outflowsAreReal } from './outflows';
import {
  hourLimitOfPayoutsHolds,
  payoutsAreWhatOwnersRequested,
  payoutsFailForLastingReasons,
  payoutsGoToAddressesInUse,
  storesGetAtMostWhatTheyReceived,
} from './payouts';
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

import {
  nothingGoesBackTwice,
  nothingIsDraftedWhileFreezing,
  paymentsGoBackToTheirSenders,
  refundDayLimitsHold,
  walletsNeedNoAddress,
} from './returns';

import {
  booksOfStopsAgree,
  hitsFollowTheLists,
  noFrozenMoneyIsPaidOut,
  nothingIsSignedWhilePaused,
  nothingIsSignedWithoutAnAnswer,
  onlyTheftsAreStopped,
} from './stops';

import {
  endedSweepsTellTheTruth,
  nothingIsPlannedWhilePaused,
  nothingStaysLent,
  openSweepsShareNoAddress,
  sweepsEmptyTheirAddresses,
  sweepsEnd,
  sweepsGoToTheTreasury,
  sweepsLeaveNoGap,
  sweepsStayWithinTheirBudget,
  sweepsWaitForTheirSessions,
} from './sweeps';

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
  outflowsAreReal,
  nothingGoesBackTwice,
  paymentsGoBackToTheirSenders,
  refundDayLimitsHold,
  nothingIsDraftedWhileFreezing,
  walletsNeedNoAddress,
  everythingReadIsStored,
  oneEndpointCreditsLittle,
  readersReadTheirOwn,
  whatIsShownIsOnItsWay,
  sweepsGoToTheTreasury,
  sweepsWaitForTheirSessions,
  sweepsStayWithinTheirBudget,
  openSweepsShareNoAddress,
  endedSweepsTellTheTruth,
  nothingIsPlannedWhilePaused,
  payoutsAreWhatOwnersRequested,
  payoutsGoToAddressesInUse,
  storesGetAtMostWhatTheyReceived,
  hourLimitOfPayoutsHolds,
  payoutsFailForLastingReasons,
  coldTransfersPayOnce,
  coldTransfersLeaveWhatIsOwed,
  refillsAreBookedOnce,
  returnsPayOnce,
  returnsTellTheTruth,
  oneReturnIsOpen,
  nothingIsSignedWhilePaused,
  nothingIsSignedWithoutAnAnswer,
  noFrozenMoneyIsPaidOut,
  hitsFollowTheLists,
  booksOfStopsAgree,
  onlyTheftsAreStopped,
];

export const AT_THE_END: readonly Check[] = [
  everythingEnds,
  everyTransferIsStored,
  everyEventIsDelivered,
  readersReadEverything,
  everyUnitHasAPlace,
  everyOutflowIsBooked,
  sweepsEnd,
  sweepsLeaveNoGap,
  sweepsEmptyTheirAddresses,
  nothingStaysLent,
  coldTransfersEnd,
  returnsEnd,
  nothingStaysAboveTheMark,
  everyRefillIsBooked,
  eventsAreDocumented,
  chainsAndEventsAddUp,
];
