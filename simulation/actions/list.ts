// All actions, in groups that a history has or has not (swarm.ts).

import { FAULT_GROUPS } from '@/simulation/faults/table';
import type { Action } from './action';
import { BATCH_JOURNEYS } from './batches';
import { CLAIM_ACTIONS } from './claims';
import { CLIENT_ACTIONS } from './clients';
import { ANY_COLD, COLD_JOURNEYS } from './cold-journeys';
import { COLD_ACTIONS } from './cold-transfers';
import { CUSTOMER_ACTIONS } from './customers';
import { EVENT_JOURNEYS } from './event-journeys';
import { EXTREME_PAYMENTS } from './extreme-amounts';
import { HELD_SESSION_ACTIONS } from './held-sessions';
import { INTRUDER_ACTIONS } from './intruders';
import { JOURNEYS } from './journeys';
import { LINK_ACTIONS } from './links';
import { SETTINGS_ACTIONS } from './merchant-settings';
import { MERCHANT_ACTIONS } from './merchants';
import { ODD_PAYMENTS } from './odd-payments';
import { OUTFLOW_ACTIONS } from './outflows';
import { PAUSE_ACTIONS, PAUSE_JOURNEYS } from './pauses';
import { OPERATOR_ACTIONS } from './operators';
import { PAYMENT_JOURNEYS } from './payment-journeys';
import { ANY_PAYOUT, PAYOUT_JOURNEYS } from './payout-journeys';
import { PAYOUT_ACTIONS } from './payouts';
import { PRODUCT_ACTIONS } from './product';
import { READING_JOURNEYS } from './reading-journeys';
import { REFUND_JOURNEYS } from './refund-journeys';
import { RESTORE_JOURNEYS } from './restore-journeys';
import { RETURN_ACTIONS } from './returns';
import { RETURN_JOURNEYS } from './return-journeys';
import { SCHEDULE_ACTIONS, SCHEDULE_JOURNEYS } from './schedules';
import { SCREENING_ACTIONS } from './screening';
import { SCREENING_JOURNEYS } from './screening-journeys';
import { SWEEP_ACTIONS } from './sweeps';
import { SWEEP_JOURNEYS } from './sweep-journeys';
import { TIME_ACTIONS } from './time';
import { TIP_JOURNEYS } from './tip-journeys';

/** What a history needs to get anywhere: orders, their payments and refunds, payouts, the worker, time and blocks. */
const BASIC: readonly Action[] = [...JOURNEYS, ANY_PAYOUT, ANY_COLD, ...PRODUCT_ACTIONS, ...TIME_ACTIONS];
const BASIC_NAMES = new Set(['create a session', 'pay exactly', 'refund']);
const isBasic = ({ name }: Action): boolean => BASIC_NAMES.has(name);

export const NEEDED: readonly Action[] = [
  ...BASIC,
  ...CUSTOMER_ACTIONS.filter(isBasic),
  ...MERCHANT_ACTIONS.filter(isBasic),
];

/** Actions that are of use together: one makes what another one changes. */
const TOGETHER: readonly (readonly Action[])[] = [
  CUSTOMER_ACTIONS.filter((one) => !isBasic(one)),
  ODD_PAYMENTS,
  EXTREME_PAYMENTS,
  MERCHANT_ACTIONS.filter((one) => !isBasic(one)),
  SETTINGS_ACTIONS,
  CLIENT_ACTIONS,
  INTRUDER_ACTIONS,
  HELD_SESSION_ACTIONS,
  CLAIM_ACTIONS,
  LINK_ACTIONS,
  OPERATOR_ACTIONS,
  OUTFLOW_ACTIONS,
  SWEEP_ACTIONS,
  PAYOUT_ACTIONS,
  COLD_ACTIONS,
  RETURN_ACTIONS,
  SCREENING_ACTIONS,
  PAUSE_ACTIONS,
  SCHEDULE_ACTIONS,
];

/** A journey makes all that it needs, so each is a group of its own. */
const ALONE: readonly Action[] = [
  ...REFUND_JOURNEYS,
  ...RESTORE_JOURNEYS,
  ...PAYOUT_JOURNEYS,
  ...SWEEP_JOURNEYS,
  ...COLD_JOURNEYS,
  ...RETURN_JOURNEYS,
  ...PAYMENT_JOURNEYS,
  ...READING_JOURNEYS,
  ...EVENT_JOURNEYS,
  ...SCREENING_JOURNEYS,
  ...PAUSE_JOURNEYS,
  ...SCHEDULE_JOURNEYS,
  ...TIP_JOURNEYS,
  ...BATCH_JOURNEYS,
];

/** What people do. */
export const GROUPS: readonly (readonly Action[])[] = [...TOGETHER, ...ALONE.map((one) => [one])];
export const ACTIONS: readonly Action[] = [...NEEDED, ...GROUPS.flat(), ...FAULT_GROUPS.flat()];
