// All actions of a history, with their weights.

import { FAULTS } from '@/simulation/faults/table';
import type { Action } from './action';
import { CUSTOMER_ACTIONS } from './customers';
import { JOURNEYS } from './journeys';
import { MERCHANT_ACTIONS } from './merchants';
import { ODD_PAYMENTS } from './odd-payments';
import { PRODUCT_ACTIONS } from './product';
import { TIME_ACTIONS } from './time';

export const ACTIONS: readonly Action[] = [
  ...CUSTOMER_ACTIONS,
  ...ODD_PAYMENTS,
  ...MERCHANT_ACTIONS,
  ...JOURNEYS,
  ...PRODUCT_ACTIONS,
  ...TIME_ACTIONS,
  ...FAULTS,
];
