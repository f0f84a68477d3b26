// A merchant's store and key for tests that call the refund use cases directly, without an HTTP adapter.

import { randomUUID } from 'node:crypto';
import type { MerchantKey } from '@/lib/merchants/api-keys/verify-key';
import type { Caller } from '@/lib/merchants/api-keys/nonces';
import type { Environment } from '@/lib/platform/ids';
import type { CreateRefundRequest } from '@/lib/refunds/request/schema';
import type { Context } from '@/lib/platform/context';
import type { TestDatabase } from '@/testing/database/database';
import { makeStore } from '@/testing/fixtures';

/** A new approved store; every call of `caller` has its own nonce. */
export async function makeMerchant(db: TestDatabase, { config }: Context, environment: Environment = 'test') {
  const { storeId, keyId } = await makeStore(db, config, environment);
  const key: MerchantKey = {
    id: keyId,
    storeId,
    environment,
    secret: '',
    scopes: ['refunds:read', 'refunds:write'],
    allowedAddresses: [],
    requiresSignatureV2: false,
    storeActive: true,
    usdCurrencies: ['USDT', 'USDC'],
    networks: [],
    allowedPairs: [],
    countryRules: '',
    acceptsOtherToken: false,
    settlementCurrency: 'USDT',
    spreadBasisPoints: 0,
  };
  return { storeId, caller: (): Caller => ({ key, nonce: randomUUID() }) };
}

export const refundRequest = (over: Partial<CreateRefundRequest> & { session_id: string }): CreateRefundRequest => ({
  refund_id: randomUUID(),
  amount: 100,
  currency: 'USDT',
  ...over,
});
