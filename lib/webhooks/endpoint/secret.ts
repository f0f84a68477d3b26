// The purpose that a webhook secret is sealed for: its store and environment, so that it opens in no other row.

import type { Environment } from '@/lib/platform/ids';

export const webhookSecretPurpose = (storeId: string, environment: Environment): string =>
  `webhook-secret:${storeId}:${environment}`;
