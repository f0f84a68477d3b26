// All actions of a history, with their weights.

import { FAULTS } from '@/simulation/faults/table';
import type { Action } from './action';
import { CUSTOMER_ACTIONS } from './customers';
import { JOURNEYS } from './journeys';
import { MERCHANT_ACTIONS } from './merchants';
import { PRODUCT_ACTIONS } from './product';
import { TIME_ACTIONS } from './time';

export const ACTIONS: readonly Action[] = [
  ...CUSTOMER_ACTIONS,
  ...MERCHANT_ACTIONS,
  ...JOURNEYS,
  ...PRODUCT_ACTIONS,
  ...TIME_ACTIONS,
  ...FAULTS,
];
