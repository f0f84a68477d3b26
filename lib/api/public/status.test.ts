// The public status, the metrics for the holder of the token alone, and what monitoring costs the signed API.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import {
  makeAddresses,
  makeChain,
  makeStore,
  signedRequest,
  TestClock,
  testConfig,
  testContext,
} from '@/testing/fixtures';
import { answer } from '@/lib/api/answer';
import { openRequestTimes } from '@/lib/api/request-times';
import { openServices } from '@/lib/api/services';
import { answerMetrics, answerStatus } from './status';

const TOKEN = 'a-token-of-some-length';
const clock = new TestClock();
let database: TestDatabase;
beforeAll(async () => void (database = await openTestDatabase()));
afterAll(() => database.close());

const servicesWith = (settings: Record<string, string> = {}) =>
  openServices(testContext(database, clock, testConfig(settings)));
const bearer = (token: string) => `Bearer ${token}`;

describe('GET /status.json', () => {
  it('is public and not cacheable', async () => {
    const { status, headers, body } = await answerStatus(servicesWith(), '203.0.113.1');
    expect([status, headers['Cache-Control']]).toEqual([200, 'no-store']);
    const { state, networks } = JSON.parse(body) as { state: string; networks: { network: string; state: string }[] };
    expect(state).toBe('degraded');
    expect(networks.map((one) => [one.network, one.state])).toEqual([
      ['ethereum', 'starting'],
      ['bsc', 'starting'],
    ]);
  });

  it('is limited like the public pages', async () => {
    const services = servicesWith({ PAGE_RATE: '1', PAGE_BURST: '2' });
    const call = async () => (await answerStatus(services, '203.0.113.2')).status;
    expect([await call(), await call(), await call()]).toEqual([200, 200, 429]);
    expect((await answerStatus(services, '203.0.113.3')).status).toBe(200);
  });
});

describe('GET /metrics', () => {
  it('O-04: does not exist without a token in the settings', async () => {
    expect((await answerMetrics(servicesWith(), bearer(TOKEN))).status).toBe(404);
  });

  it('says in one sentence why nothing is shown, and reveals no token', async () => {
    const messageOf = async (settings: Record<string, string>) => {
      const { body } = await answerMetrics(servicesWith(settings), bearer('another-token-of-some-length'));
      expect(body).not.toContain('-of-some-length');
      return (JSON.parse(body) as { error: { message: string } }).error.message;
    };
    expect(await messageOf({})).toBe('Metrics are switched off: the operator has not set METRICS_TOKEN.');
    expect(await messageOf({ METRICS_TOKEN: TOKEN })).toBe(
      'Metrics are shown only with the header Authorization: Bearer and the METRICS_TOKEN of this installation.',
    );
  });

  it.each([null, '', bearer('another-token-of-some-length'), TOKEN, `Basic ${TOKEN}`, bearer(`${TOKEN} `)])(
    'O-04: is refused to %s',
    async (authorization) => {
      const { status, body } = await answerMetrics(servicesWith({ METRICS_TOKEN: TOKEN }), authorization);
      expect(status).toBe(401);
      expect(body).not.toContain('stabletill_');
    },
  );

  it('contains the metrics of the process and of the networks, and the open work in the database', async () => {
    const config = testConfig({ METRICS_TOKEN: TOKEN });
    clock.advance(5);
    const services = openServices(testContext(database, clock, config));
    await makeAddresses(database, 7);
    await makeChain(database, 'ethereum', clock.now().getTime() / 1000);
    const store = await makeStore(database, config);
    const body = JSON.stringify({ amount: 1234, currency: 'USD', order_id: 'metrics' });
    const path = '/api/v1/checkout/sessions/create';
    expect((await answer(services, signedRequest(store, { path, body, now: clock.now() }))).status).toBe(200);
    await answer(services, signedRequest(store, { path: '/api/v1/nothing"}', now: clock.now() }));
    await database.pool.query('UPDATE chains SET scanned_at = $1', [new Date(clock.now().getTime() - 70_000)]);
    await database.pool.query(
      `INSERT INTO deliveries (event_id, store_id, environment, status, created_at)
       VALUES ('e1', $1, 'test', 'pending', $2), ('e2', $1, 'test', 'failed', $2)`,
      [store.storeId, new Date(clock.now().getTime() - 42_000)],
    );

    const answered = await answerMetrics(services, bearer(TOKEN));
    expect(answered.status).toBe(200);
    expect(answered.headers['Content-Type']).toMatch(/^text\/plain; version=0\.0\.4/);
    const lines = answered.body.split('\n');
    for (const line of [
      'stabletill_chain_trouble{environment="test",network="ethereum"} 1',
      'stabletill_chain_lag_seconds{environment="test",network="ethereum"} 70',
      'stabletill_chain_final_block{environment="test",network="ethereum"} 90',
      'stabletill_chain_endpoints{environment="test",network="ethereum",state="unknown"} 1',
      'stabletill_sessions_pending{environment="live"} 0',
      'stabletill_sessions_pending{environment="test"} 1',
      'stabletill_address_pool{environment="test"} 6',
      'stabletill_deliveries_pending 1',
      'stabletill_deliveries_oldest_pending_seconds 42',
      'stabletill_deliveries_failed_of_newest 1',
      'stabletill_cases_open{environment="live"} 0',
      'stabletill_api_request_duration_seconds_count{route="/api/v1/checkout/sessions/create",status="200"} 1',
      'stabletill_api_request_duration_seconds_count{route="none",status="404"} 1',
    ]) {
      expect(lines).toContain(line);
    }
    expect(answered.body).toMatch(/^process_resident_memory_bytes \d+/m);
    expect(answered.body).toMatch(/^nodejs_eventloop_lag_p99_seconds /m);
    // Every line is valid in the format, and no metric is described twice.
    const described = lines.filter((line) => line.startsWith('# TYPE ')).map((line) => line.split(' ')[2]);
    expect(new Set(described).size).toBe(described.length);
    const sample = /^[a-zA-Z_]\w*(\{(\w+="[^"\\\n]*",?)*\})? (-?[\d.e+-]+|Nan|[+-]Inf)$/;
    expect(lines.filter((line) => line !== '' && !line.startsWith('#') && !sample.test(line))).toEqual([]);
  });
});

describe('request times', () => {
  it('are counted in buckets that include all smaller ones', () => {
    const times = openRequestTimes();
    for (const milliseconds of [0.5, 1, 3, 9999]) times.observe('/a', 200, milliseconds);
    const of = (bound: string) => new RegExp(`le="${bound}",route="/a",status="200"} (\\d+)`).exec(times.text())?.[1];
    expect(['0.001', '0.0025', '0.005', '5', '\\+Inf'].map(of)).toEqual(['2', '2', '3', '3', '4']);
    expect(times.text()).toContain('_sum{route="/a",status="200"} 10.0035');
    expect(times.text()).toContain('_count{route="/a",status="200"} 4');
  });

  it('cost a request less than five microseconds', () => {
    const times = openRequestTimes();
    const rounds = 20_000;
    const best = Math.min(
      ...Array.from({ length: 50 }, () => {
        const start = performance.now();
        for (let n = 0; n < rounds; n++) {
          const started = performance.now();
          times.observe('/api/v1/checkout/sessions/{session_id}', 200, performance.now() - started);
        }
        return performance.now() - start;
      }),
    );
    expect((best / rounds) * 1000).toBeLessThan(5);
  });
});
