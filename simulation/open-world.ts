// Opens an installation with everything around it, as a history begins: networks with two endpoints each, stores with
// different rules, customers, receivers, the signer, and the worker's steps. The product's parts are the real ones.

import { openServices, type Services } from '@/lib/api/services';
import { openKeyFinder } from '@/lib/merchants/api-keys/verify-key';
import type { Clock } from '@/lib/platform/clock';
import { readConfig, type Config } from '@/lib/platform/config/config';
import type { Context } from '@/lib/platform/context';
import { armCrashPoint } from '@/lib/platform/crash-point';
import { openPrisma } from '@/lib/platform/database/prisma';
import { openSteps } from '@/lib/worker/steps';
import { silentLog } from '@/testing/chain-clock';
import { evidenceKey } from '@/testing/signer/signer-scene';
import type { SimulatedChain } from './chain/chain';
import { openEndpoint, type SimulatedEndpoint } from './chain/endpoint';
import { PLENTY } from './chain/evm-state';
import { firstFundsOf, NETWORKS, openChain, type Network } from './chain/open-chain';
import { coldConfig, drawCold, type ColdSettings } from './cold/settings';
import { coldLook } from './cold/look';
import type { Harness } from './harness';
import { openStore } from './open-store';
import { openRandom, type Random } from './random';
import { emptyRecords } from './records';
import type { SignerSettings } from './signer';
import { setDrawnRates } from './payouts/costs';
import { drawPayouts, type PayoutSettings } from './payouts/settings';
import { stopLook } from './stops/signed';
import { drawSweeps, SPONSORS, SPONSORS_COIN, type SweepSettings } from './sweeping';
import { drawWithheld } from './withheld';
import type { World } from './world';
import type { SimulatedStore } from './stores';

/** 2027-01-01T10:00:00Z. Every history begins then. */
const START = 1_798_797_600;
/** The stream of random numbers from which the signer's settings come, and the tokens that are withheld; those of the steps are above them. */
const SIGNER = -2;
const WITHHELD = -3;
const SWEEPS = -4;
/** The swarm has the stream between. */
const PAYOUTS = -6;
const RATES = -7;
const COLD = -8;
const A_YEAR = 365 * 86_400;
/** Who decides for the installation. The first one made the last one an operator, so these two may not decide together. */
const OPERATORS = [
  '11111111-1111-4111-8111-111111111111',
  '22222222-2222-4222-8222-222222222222',
  '33333333-3333-4333-8333-333333333333',
] as const;
/** Steps that read files or the outside world, or that only count. The delivery step has its own action. */
const EXCLUDED_STEPS =
  /^(deliver webhooks|fetch exchange rates|send mails|post alarms|watch the audit log|store |tend security)/;
const KEPT = 'store quarantined transfers';

export async function openWorld(harness: Harness, seed: number, networks: readonly Network[]): Promise<World> {
  const random = openRandom(seed, -1);
  const time = { milliseconds: 0 };
  const clock: Clock = { now: () => new Date(START * 1000 + time.milliseconds) };
  const sweeps = drawSweeps(openRandom(seed, SWEEPS));
  const payouts = drawPayouts(openRandom(seed, PAYOUTS));
  const cold = drawCold(openRandom(seed, COLD));
  await beginHistory(harness, clock, { ...signerSettings(openRandom(seed, SIGNER)), sweeps, payouts, cold });
  const withheld = drawWithheld(openRandom(seed, WITHHELD), networks);
  // A wallet that is nearly empty pays some refunds, until its operator fills it (checks/progress.ts).
  const funds = random.pick([PLENTY, PLENTY, 400n]);
  const chains = networks.map((network) => openChain(network, { unixSeconds: START, random, funds }));
  for (const chain of chains) openSponsors(chain, sweeps);
  const advance = (seconds: number): void => {
    time.milliseconds += seconds * 1000;
    harness.database.setTime(clock.now());
  };
  const count = random.pick([2, 2, 3]);
  const endpoints = chains.flatMap((chain) =>
    Array.from({ length: count }, (_, index) => openEndpoint(chain, index + 1, advance)),
  );
  for (const { url, answer } of endpoints) harness.transport.serve(url, answer);
  // In most worlds every payment needs two endpoints that agree, so one that lies can forge nothing.
  const isTrusting = random.chance(20);
  const config = configOf(harness, endpoints, { random, isTrusting, sweeps, payouts, cold });
  const context: Context = { pool: harness.pool.pool, clock, log: harness.log ?? silentLog(), config };
  const world: World = {
    ...{ harness, context, clock, chains, endpoints },
    elapsed: () => time.milliseconds,
    advance,
    ...{ stores: [], sessions: [], refunds: [], halted: new Set<string>(), backup: null, isRestored: false },
    lost: { sessions: new Set(), events: new Set(), sentRefunds: new Map(), payouts: new Map(), returns: new Map() },
    firstFunds: new Map(networks.map((network) => [network, firstFundsOf(network, funds)])),
    ...{ records: emptyRecords(), run: harness.histories.count, operators: OPERATORS, isTrusting, withheld },
    services: {} as Services,
    steps: [],
    openSteps: () => openSteps(context).filter(({ name }) => name === KEPT || !EXCLUDED_STEPS.test(name)),
    otherSteps: once(() => world.openSteps()),
    restartWorker: () => void (world.steps = world.openSteps()),
    restartWeb: () => {
      world.services = {
        ...openServices(context),
        // The time of a key's last use would be written beside the request, at a moment that nothing controls.
        noteUse: () => {},
        // A process remembers keys for a real second, so every request asks a process that has just started.
        findKey: (apiKey) => openKeyFinder(context)(apiKey),
      };
    },
  };
  Object.assign(harness.signer.looks, { look: coldLook(world), stopLook: stopLook(world) });
  world.restartWorker();
  world.restartWeb();
  const stores: SimulatedStore[] = [];
  for (let number = random.pick([2, 2, 3, 3, 4, 6]); number > 0; number--) {
    const receivers = harness.receivers.slice(2 * stores.length, 2 * stores.length + 2);
    stores.push(await openStore(world, random, { receivers, name: `store ${stores.length + 1}` }));
  }
  await openOperators(harness);
  await setDrawnRates({ ...world, stores }, openRandom(seed, RATES));
  await warmUp(world);
  return Object.assign(world, { stores });
}

function openSponsors(chain: SimulatedChain, sweeps: SweepSettings | null): void {
  const { family } = chain.spec;
  for (const sponsor of SPONSORS[family]) {
    chain.giveCoin?.(sponsor, SPONSORS_COIN[family]);
    chain.stake?.(sponsor, sweeps?.stake ?? 0n);
  }
}

/** The same value each time, made when it is needed first. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => (made ??= { value: make() }).value;
}

/** What all histories share begins anew. A history that ended in a crash leaves nothing to the next one. */
async function beginHistory(
  { database, pool, signer, receivers, hook, histories }: Harness,
  clock: Clock,
  settings: SignerSettings,
): Promise<void> {
  histories.count++;
  armCrashPoint(undefined);
  pool.revive();
  pool.setServer('well');
  await database.reset();
  database.setTime(clock.now());
  signer.begin(clock, settings);
  for (const receiver of receivers) receiver.begin(clock);
  hook.begin();
}

async function openOperators({ database: { pool } }: Harness): Promise<void> {
  const prisma = await openPrisma(pool);
  const [first] = OPERATORS;
  for (const id of OPERATORS) {
    const grant =
      id === OPERATORS.at(-1) ? { roleGrantedBy: first, roleGrantedAt: new Date((START - A_YEAR) * 1000) } : {};
    const user = { id, email: `${id}@example.test`, passwordHash: 'no password opens this account' };
    await prisma.user.create({ data: { ...user, role: 'operator', ...grant } });
  }
}

/**
 * Some signers pay little more in an hour than twice the largest refund, as much as a repeated payment needs, and some close a segment of
 * their journal after each few payments.
 */
const signerSettings = (random: Random): Omit<SignerSettings, 'sweeps' | 'payouts' | 'cold'> => ({
  perHour: random.pick([10n ** 12n, 10n ** 12n, 90_000n]),
  segmentBytes: random.pick([8 << 20, 12_000, 3000]),
});

type Drawn = {
  readonly random: Random;
  readonly isTrusting: boolean;
  readonly sweeps: SignerSettings['sweeps'];
  readonly payouts: PayoutSettings;
  readonly cold: ColdSettings | null;
};

function configOf(
  { database, signer }: Harness,
  endpoints: readonly SimulatedEndpoint[],
  { random, isTrusting, sweeps, payouts, cold }: Drawn,
): Config {
  const urlsOf = (network: string): string =>
    endpoints
      .filter(({ chain }) => chain.network === network)
      .map(({ url }) => url)
      .join(' ');
  return readConfig({
    DATABASE_URL: database.url,
    MASTER_KEYS: `1:${Buffer.from([...Array(32).keys()]).toString('base64')}`,
    EVIDENCE_KEY: evidenceKey[0].toString('base64'),
    SIGNER_SOCKET: signer.socket,
    TEST_CHAINS: 'local',
    ...coldConfig(cold),
    ...Object.fromEntries(NETWORKS.map((network) => [`TEST_${network.toUpperCase()}_URLS`, urlsOf(network)])),
    RATE_SOURCES: 'off',
    LOG_LEVEL: 'silent',
    WEBHOOKS_TO_LOOPBACK: 'on',
    ADDRESS_POOL_SIZE: '20',
    AGREEMENT_ABOVE: isTrusting ? '2000' : '0',
    AGREEMENT_ABOVE_PER_HOUR: isTrusting ? '100000' : '0',
    // Most histories are shorter, so no session closes while a network is unread.
    EXPIRY_HOLD_SECONDS: random.pick(['86400', '86400', '86400', '600']),
    REFUND_HOLD_SECONDS_TEST: String(random.pick([0, 5, 5, 60])),
    REFUND_CLAIM_DELAY_SECONDS_TEST: String(random.pick([0, 0, 300])),
    // At most what the signer pays without an approval.
    REFUND_APPROVAL_ABOVE: String(random.pick([500_000, 10_000, 1000])),
    PAYOUT_ADDRESS_DELAY_SECONDS_TEST: String(payouts.delaySeconds),
    SWEEP_DELAY_SECONDS: String(sweeps?.delaySeconds ?? 0),
    LIMIT_LOOPBACK: 'off',
  });
}

/**
 * Runs each step until the networks are followed and deposit addresses are in the pool. In the first round a step may miss
 * what a later one makes; in the second one everything must work.
 */
async function warmUp({ steps, context, advance, chains }: World): Promise<void> {
  for (let round = 0; round < 2; round++) {
    for (const { run } of steps) {
      await run(context).catch((error: unknown) => {
        if (round > 0) throw error;
      });
    }
    for (const chain of chains) chain.mine(Math.floor(context.clock.now().getTime() / 1000));
    advance(5);
  }
}
