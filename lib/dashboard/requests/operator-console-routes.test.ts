// What the operator's pages offer is what their requests may ask for.

import { expect, test } from 'vitest';
import { EXCEPTION_ACTIONS } from '@/lib/payments/exceptions/states';
import { OPERATOR_DESK_ROUTES } from './operator-console-routes';

test.each(EXCEPTION_ACTIONS)('an operator can %s a payment that did not count, as the page offers', (action) => {
  const decide = OPERATOR_DESK_ROUTES.find(({ path }) => path.endsWith('/operator/cases/{case_id}/decide'));
  expect(decide?.body?.safeParse({ action }).success).toBe(true);
});
