// The handlers of the signed API on a test's own database, with two stores, followed chains and deposit addresses.

import { createServer } from 'node:http';
import { answerApi } from '@/lib/api/adapters/node-adapter';
import { openServices, type Services } from '@/lib/api/services';
import { unixSeconds, type Clock } from '@/lib/platform/clock';
import type { Config } from '@/lib/platform/config/config';
import type { ApiResponse } from '@/lib/platform/http';
import { openTestDatabase } from './database/database';
import { makeAddresses, makeChain, makeStore, testConfig, testContext } from './fixtures';
import { openServer } from './server';

type Opening = {
  readonly clock: Clock;
  readonly config?: Config;
  readonly networks?: readonly string[];
  readonly addresses?: number;
};

/** Opens the API. Close its database in `afterAll`. */
export async function openApi({ clock, config = testConfig(), networks = ['bsc'], addresses = 50 }: Opening) {
  const db = await openTestDatabase();
  const services = openServices(testContext(db, clock, config));
  for (const network of networks) await makeChain(db, network, unixSeconds(clock.now()));
  await makeAddresses(db, addresses);
  const [store, other] = [await makeStore(db, config), await makeStore(db, config)];
  return { db, services, store, other };
}

/** The Node adapter on a free port. `services`: those that answer the next request. */
export const serveApi = (services: () => Services) =>
  openServer(createServer((request, response) => void answerApi(services(), request, response)));

export const json = (response: ApiResponse) => JSON.parse(response.body);
export const codeOf = (response: ApiResponse) => [response.status, json(response).error?.code];
