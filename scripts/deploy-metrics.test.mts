// The monitoring in deploy/ against the product: rules and routes pass the tools of Prometheus, every alert has a test, and every metric that
// a rule or dashboard names exists in what a web process and a real worker serve. runbooks.test.mts follows alerts to their runbooks.

import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answerMetrics } from '@/lib/api/public/status';
import { openServices } from '@/lib/api/services';
import { readNumbers } from '@/lib/installation/metrics/metrics';
import { pagesText } from '@/lib/installation/metrics/pages';
import { systemClock } from '@/lib/platform/clock';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { testConfig, testContext } from '@/testing/fixtures';
import { freePort } from './free-port.mjs';

const ROOT = path.resolve(import.meta.dirname, '..');
const DEPLOY = path.join(ROOT, 'deploy');
const RULES = ['recording.yml', 'alerts.yml'].map((file) => path.join(DEPLOY, 'prometheus', file));
const TESTS = path.join(DEPLOY, 'prometheus/tests/alerts.test.yml');
const ROUTES = path.join(DEPLOY, 'alertmanager/alertmanager.yml');
const DASHBOARDS = fs.readdirSync(path.join(DEPLOY, 'grafana')).map((file) => path.join(DEPLOY, 'grafana', file));
const TOKEN = 'a-token-of-some-length';
const read = (file: string): string => fs.readFileSync(file, 'utf8');
const alerts = [...read(RULES[1] as string).matchAll(/^ +- alert: (\w+)$/gm)].map(([, name = '']) => name);

const run = (program: string, args: readonly string[]) => {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', cwd: path.dirname(TESTS) });
  return { status, stdout, text: stdout + stderr };
};
/** Debian's packages prometheus and prometheus-alertmanager. */
const isMissing = (program: string): boolean => {
  const missing = spawnSync(program, ['--version']).error !== undefined;
  if (missing)
    console.warn(
      `${program} is not installed: the rules of deploy/ are not tried (apt-get install prometheus prometheus-alertmanager)`,
    );
  return missing;
};

/** promtool computes hours of every case; a busy machine needs minutes for that. */
const PROMTOOL_MILLISECONDS = 300_000;

describe.skipIf(isMissing('promtool'))('rules', () => {
  it(
    'are valid, and each test case fires exactly the alerts that it names',
    () => {
      expect(run('promtool', ['check', 'rules', ...RULES])).toMatchObject({ status: 0 });
      expect(run('promtool', ['test', 'rules', TESTS])).toMatchObject({ status: 0 });
      expect(
        run('promtool', ['check', 'config', '--syntax-only', path.join(DEPLOY, 'prometheus/prometheus.yml')]).status,
      ).toBe(0);
    },
    PROMTOOL_MILLISECONDS,
  );
});

describe.skipIf(isMissing('amtool'))('routes', () => {
  it.each([
    ['page', 'on-call'],
    ['ticket', 'tickets'],
  ])('an alert of severity %s reaches %s', (severity, receiver) => {
    expect(run('amtool', ['check-config', ROUTES])).toMatchObject({ status: 0 });
    const routed = run('amtool', ['config', 'routes', 'test', `--config.file=${ROUTES}`, `severity=${severity}`]);
    expect(routed).toMatchObject({ status: 0, stdout: `${receiver}\n` });
  });
});

it('every alert has a test case in which it fires', () => {
  expect(alerts.length).toBeGreaterThan(20);
  expect(alerts.filter((name) => !read(TESTS).includes(`"${name}"`))).toEqual([]);
});

it('every alert about a share of API requests also needs a least number of failures', () => {
  const shares = [...read(RULES[1] as string).matchAll(/^ +expr: (.*api_errors:ratio.*)$/gm)].map(
    ([, one = '']) => one,
  );
  expect(shares).toHaveLength(2);
  expect(shares.filter((one) => !/ and stabletill:api_errors:increase\dh >= [2-9]$/.test(one))).toEqual([]);
});

describe('metrics that rules and dashboards name', () => {
  let db: TestDatabase;
  beforeAll(async () => void (db = await openTestDatabase()));
  afterAll(() => db.close());

  it('exist in what a web process and a worker serve', async () => {
    const config = testConfig({ METRICS_TOKEN: TOKEN });
    const services = openServices(testContext(db, systemClock, config));
    services.readPagesMetrics = pagesText(db.pool);
    const web = await answerMetrics(services, `Bearer ${TOKEN}`);
    // Numbers without a sample in an empty database have a name all the same.
    const numbers = (await readNumbers(services)).map(({ name }) => `stabletill_${name}`);
    const served = new Set([
      ...describedIn(web.body),
      ...describedIn(await workerMetrics(db.url)),
      ...numbers,
      'up',
      'ALERTS',
    ]);
    const recorded = [
      ...RULES.map(read)
        .join('\n')
        .matchAll(/record: (\S+)/g),
    ].map(([, name = '']) => name);
    const expressions = [
      ...RULES.flatMap((file) => [...read(file).matchAll(/^ +expr: (.*)$/gm)].map(([, expression = '']) => expression)),
      ...DASHBOARDS.flatMap((file) => expressionsIn(JSON.parse(read(file)))),
    ];
    const named = new Set(
      expressions.flatMap((expression) => expression.match(/\b(?:stabletill[_:][\w:]+|process_\w+|nodejs_\w+)/g) ?? []),
    );
    expect(named.size).toBeGreaterThan(50);
    expect([...named].filter((name) => !served.has(name) && !recorded.includes(name))).toEqual([]);
  });
});

/** Names of a scrape, with those that Prometheus makes of a histogram. */
const describedIn = (text: string): string[] =>
  [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].flatMap(([, name = '', type]) =>
    type === 'histogram' ? ['_bucket', '_sum', '_count'].map((end) => name + end) : [name],
  );

function expressionsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) => (key === 'expr' ? [String(one)] : expressionsIn(one)));
}

/** What a real worker process serves on its port. */
async function workerMetrics(databaseUrl: string): Promise<string> {
  const port = await freePort();
  const child = spawn(process.execPath, ['--import', 'tsx', 'lib/worker/main.ts'], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'test',
      DATABASE_URL: databaseUrl,
      MASTER_KEYS: `1:${randomBytes(32).toString('base64')}`,
      EVIDENCE_KEY: randomBytes(32).toString('base64'),
      TEST_CHAINS: 'local',
      RATE_SOURCES: 'off',
      LOG_LEVEL: 'silent',
      SIGNER_SOCKET: path.join(ROOT, 'no-signer.sock'),
      METRICS_TOKEN: TOKEN,
      METRICS_PORT: String(port),
    },
  });
  const ended = once(child, 'exit');
  try {
    await Promise.race([once(createInterface({ input: child.stdout }), 'line'), ended]);
    const response = await fetch(`http://127.0.0.1:${port}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } });
    expect(response.status).toBe(200);
    return await response.text();
  } finally {
    child.kill('SIGTERM');
    await ended;
  }
}
