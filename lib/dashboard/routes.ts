// The table of the dashboard's requests: method and path, access, step-up, body and handler. The adapter finds requests here,
// and the test of every route for every role and store derives from it.

import { ACCOUNT_ROUTES } from './requests/account-routes';
import { FACTOR_ROUTES } from './requests/factor-routes';
import { BRANDING_ROUTES } from './requests/branding-routes';
import { MEMBER_ROUTES } from './requests/member-routes';
import { MONEY_ROUTES } from './requests/money-routes';
import { OPERATOR_CONSOLE_ROUTES } from './requests/operator-console-routes';
import { OPERATOR_ROUTES } from './requests/operator-routes';
import { PAYOUT_ROUTES } from './requests/payout-routes';
import { REFUND_ROUTES } from './requests/refund-routes';
import type { DashboardRoute } from './route';
import { SETUP_ROUTES } from './requests/setup-routes';
import { STORE_ROUTES } from './requests/store-routes';
import { SCREENING_ROUTES } from './requests/screening-routes';
import { TILL_ROUTES } from './requests/till-routes';
import { TREASURY_ROUTES } from './requests/treasury-routes';
import { WEBHOOK_ROUTES } from './requests/webhook-routes';

export const ROUTES: readonly DashboardRoute[] = [
  ...ACCOUNT_ROUTES,
  ...FACTOR_ROUTES,
  ...STORE_ROUTES,
  ...BRANDING_ROUTES,
  ...MEMBER_ROUTES,
  ...REFUND_ROUTES,
  ...MONEY_ROUTES,
  ...PAYOUT_ROUTES,
  ...TILL_ROUTES,
  ...WEBHOOK_ROUTES,
  ...OPERATOR_ROUTES,
  ...OPERATOR_CONSOLE_ROUTES,
  ...SETUP_ROUTES,
  ...TREASURY_ROUTES,
  ...SCREENING_ROUTES,
];
