// The operator's pages offer exactly the actions that their requests accept.

import { expect, test } from 'vitest';
import { EXCEPTION_ACTIONS } from '@/lib/payments/exceptions/states';
import { OPERATOR_CONSOLE_ROUTES } from './operator-console-routes';

test.each(EXCEPTION_ACTIONS)('an operator can %s a payment exception, as the page offers', (action) => {
  const decide = OPERATOR_CONSOLE_ROUTES.find(({ path }) => path.endsWith('/operator/cases/{case_id}/decide'));
  expect(decide?.body?.safeParse({ action }).success).toBe(true);
});
