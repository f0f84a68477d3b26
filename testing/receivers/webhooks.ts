// Stores with a webhook endpoint, and events recorded for them in the product's own way.

import { randomUUID } from 'node:crypto';
import type { Context } from '@/lib/platform/context';
import { transaction } from '@/lib/platform/database/db';
import type { Environment } from '@/lib/platform/ids';
import { setWebhookEndpoint } from '@/lib/merchants/stores/webhook-endpoint';
import { recordPaymentEvent } from '@/lib/webhooks/events/record';
import { makeStore } from '@/testing/fixtures';
import type { TestDatabase } from '@/testing/database/database';

export type TestEndpoint = { readonly storeId: string; readonly environment: Environment; readonly secret: string };

/** An approved store whose events go to this URL. */
export async function makeEndpoint(
  database: TestDatabase,
  context: Context,
  url: string,
  environment: Environment = 'test',
): Promise<TestEndpoint> {
  const { storeId } = await makeStore(database, context.config, environment);
  const { secret } = await setWebhookEndpoint(context, { storeId, environment, url });
  if (secret === null) throw new Error('a new store has no endpoint yet');
  return { storeId, environment, secret };
}

/** Records a payment.cancelled event of a made-up session. Returns the session's id. */
export async function recordEvent(
  context: Context,
  { storeId, environment }: { storeId: string; environment: Environment },
  orderId: string = randomUUID(),
): Promise<string> {
  const sessionId = `cs_${environment}_${randomUUID()}`;
  await transaction(context.pool, (tx) =>
    recordPaymentEvent(tx, {
      storeId,
      environment,
      type: 'payment.cancelled',
      sessionId,
      orderId,
      amountDue: 1250n,
      currency: 'USDT',
      exchangeRate: null,
      network: null,
      transactionHash: null,
      amountReceived: 0n,
      now: context.clock.now(),
    }),
  );
  return sessionId;
}
