// Fixtures for tests: a context on a test's own database, a store with a key, a followed chain and deposit addresses.
// Each call creates new ones, so tests of one file do not share them.

import { randomBytes, randomUUID } from 'node:crypto';
import { apiSecretPurpose } from '@/lib/merchants/api-keys/verify-key';
import type { Clock } from '@/lib/platform/clock';
import { readConfig, type Config } from '@/lib/platform/config/config';
import type { Context } from '@/lib/platform/context';
import { sealSecret, sha256, signatureOf } from '@/lib/platform/crypto';
import { newApiKey, newApiSecret, newStoreId, type Environment } from '@/lib/platform/ids';
import { openLog } from '@/lib/platform/log';
import type { ApiRequest } from '@/lib/platform/http';
import type { TestDatabase } from './database/database';

/** A clock that only the test moves. */
export class TestClock implements Clock {
  private at: number;
  constructor(unixSeconds = 1_800_000_000) {
    this.at = unixSeconds * 1000;
  }
  now(): Date {
    return new Date(this.at);
  }
  /** Moves the time by seconds; fractions are allowed. */
  advance(seconds: number): void {
    this.at += seconds * 1000;
  }
}

/** One for all settings of a test file, so that evidence stored under one is valid under another. */
const EVIDENCE_KEY = randomBytes(32).toString('base64');

/** Settings for tests: local chains on two networks at addresses without a server. */
export const testConfig = (over: Record<string, string> = {}): Config =>
  readConfig({
    DATABASE_URL: 'postgresql://unused',
    MASTER_KEYS: `1:${randomBytes(32).toString('base64')}`,
    EVIDENCE_KEY,
    PUBLIC_URL: 'http://127.0.0.1:3000',
    TEST_CHAINS: 'local',
    TEST_ETHEREUM_URLS: 'http://127.0.0.1:1',
    TEST_BSC_URLS: 'http://127.0.0.1:1',
    // Tests use only their own sources of exchange rates.
    RATE_SOURCES: 'off',
    // Below the amount that the test signer pays without approval (signer-scene: policy).
    REFUND_APPROVAL_ABOVE: '99999',
    PAYOUT_RATE_NOTICE_HOURS: '0',
    LOG_LEVEL: 'silent',
    WEBHOOKS_TO_LOOPBACK: 'on',
    ...over,
  });

export const testContext = (database: TestDatabase, clock: Clock, config: Config = testConfig()): Context => ({
  pool: database.pool,
  clock,
  config,
  log: openLog('test', 'silent'),
});

export type TestStore = {
  readonly storeId: string;
  readonly keyId: number;
  readonly apiKey: string;
  readonly apiSecret: string;
};

/** An approved store of a new merchant with one key. */
export async function makeStore(
  { prisma }: TestDatabase,
  config: Config,
  environment: Environment = 'test',
): Promise<TestStore> {
  const [apiKey, apiSecret, storeId] = [newApiKey(environment), newApiSecret(environment), newStoreId()];
  const hash = sha256(apiKey);
  const owner = await prisma.user.create({
    data: { email: `${randomUUID()}@example.test`, passwordHash: 'no password opens this account', role: 'merchant' },
  });
  await prisma.store.create({ data: { id: storeId, ownerId: owner.id, name: 'Test store', status: 'approved' } });
  await prisma.member.create({ data: { storeId, userId: owner.id, role: 'owner', createdAt: owner.createdAt } });
  const secretCiphertext = new Uint8Array(sealSecret(config.MASTER_KEYS, apiSecret, apiSecretPurpose(hash)));
  const key = await prisma.apiKey.create({
    data: {
      storeId,
      environment,
      name: 'test',
      keyHash: new Uint8Array(hash),
      keyHint: apiKey.slice(-4),
      secretCiphertext,
    },
  });
  return { storeId, keyId: key.id, apiKey, apiSecret };
}

let lastAddress = 0;

/** Puts `count` deposit addresses into the pool of the test environment. No key belongs to them. */
export async function makeAddresses(
  { prisma }: TestDatabase,
  count: number,
  environment: Environment = 'test',
): Promise<void> {
  const data = Array.from({ length: count }, () => {
    const addressIndex = ++lastAddress;
    const hex = addressIndex.toString(16).padStart(40, '0');
    return { environment, addressIndex, evmAddress: `0x${hex}`, tronAddress: `T${hex}`, solanaAddress: `S${hex}` };
  });
  await prisma.addressPoolEntry.createMany({ data });
}

/** Later than any time that a test sets its clock to. */
const ALWAYS_READABLE = new Date('2100-01-01T00:00:00Z');

/** A readable chain whose final cursor is at this chain time (Unix seconds). Returns its id. */
export async function makeChain(
  { prisma }: TestDatabase,
  network: string,
  finalTime: number,
  environment: Environment = 'test',
): Promise<number> {
  const made = await prisma.chain.create({
    data: {
      environment,
      network,
      genesis: randomUUID(),
      tipNumber: 100,
      tipHash: '0xtip',
      finalNumber: 90,
      finalHash: '0xfinal',
      finalTime: new Date(finalTime * 1000),
      scannedAt: ALWAYS_READABLE,
    },
  });
  return made.id;
}

/** A correctly signed request. In `over`, a null header is omitted and a list repeats the header. */
export function signedRequest(
  store: TestStore,
  at: {
    method?: string;
    path: string;
    body?: string;
    now: Date;
    nonce?: string;
    headers?: Record<string, string | readonly string[] | null>;
  },
): ApiRequest {
  const body = Buffer.from(at.body ?? '');
  const timestamp = String(Math.floor(at.now.getTime() / 1000));
  const nonce = at.nonce ?? randomUUID();
  const headers: Record<string, string | readonly string[] | null> = {
    authorization: `Bearer ${store.apiKey}`,
    'content-type': 'application/json',
    'x-service-timestamp': timestamp,
    'x-service-nonce': nonce,
    'x-service-signature': signatureOf(store.apiSecret, timestamp, nonce, body).toString('hex'),
    ...at.headers,
  };
  return {
    method: at.method ?? 'POST',
    path: at.path,
    query: '',
    body,
    address: '203.0.113.9',
    header: (name) => [headers[name] ?? []].flat(),
  };
}
