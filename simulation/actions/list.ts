// All actions of a history, with their weights.

import { FAULTS } from '@/simulation/faults/table';
import type { Action } from './action';
import { CLAIM_ACTIONS } from './claims';
import { CLIENT_ACTIONS } from './clients';
import { CUSTOMER_ACTIONS } from './customers';
import { EVENT_JOURNEYS } from './event-journeys';
import { HELD_SESSION_ACTIONS } from './held-sessions';
import { INTRUDER_ACTIONS } from './intruders';
import { JOURNEYS } from './journeys';
import { LINK_ACTIONS } from './links';
import { SETTINGS_ACTIONS } from './merchant-settings';
import { MERCHANT_ACTIONS } from './merchants';
import { ODD_PAYMENTS } from './odd-payments';
import { OUTFLOW_ACTIONS } from './outflows';
import { OPERATOR_ACTIONS } from './operators';
import { PAYMENT_JOURNEYS } from './payment-journeys';
import { PRODUCT_ACTIONS } from './product';
import { REFUND_JOURNEYS } from './refund-journeys';
import { RESTORE_JOURNEYS } from './restore-journeys';
import { SWEEP_ACTIONS } from './sweeps';
import { SWEEP_JOURNEYS } from './sweep-journeys';
import { TIME_ACTIONS } from './time';

export const ACTIONS: readonly Action[] = [
  ...CUSTOMER_ACTIONS,
  ...ODD_PAYMENTS,
  ...MERCHANT_ACTIONS,
  ...SETTINGS_ACTIONS,
  ...CLIENT_ACTIONS,
  ...INTRUDER_ACTIONS,
  ...HELD_SESSION_ACTIONS,
  ...CLAIM_ACTIONS,
  ...LINK_ACTIONS,
  ...OPERATOR_ACTIONS,
  ...OUTFLOW_ACTIONS,
  ...SWEEP_ACTIONS,
  ...JOURNEYS,
  ...REFUND_JOURNEYS,
  ...RESTORE_JOURNEYS,
  ...SWEEP_JOURNEYS,
  ...PAYMENT_JOURNEYS,
  ...EVENT_JOURNEYS,
  ...PRODUCT_ACTIONS,
  ...TIME_ACTIONS,
  ...FAULTS,
];
