// One installation with everything around it, as a history begins: networks with two endpoints each, stores with different
// rules, customers, receivers, the signer, and the worker's steps. The product's parts are the real ones.

import { openServices, type Services } from '@/lib/api/services';
import { setWebhookEndpoint } from '@/lib/merchants/stores/webhook-endpoint';
import { networkSpec } from '@/lib/networks/networks';
import type { Clock } from '@/lib/platform/clock';
import { readConfig } from '@/lib/platform/config/config';
import type { Context } from '@/lib/platform/context';
import { openPrisma } from '@/lib/platform/database/prisma';
import { openSteps, type NamedStep } from '@/lib/worker/steps';
import { silentLog } from '@/testing/chain-clock';
import { makeStore, type TestStore } from '@/testing/fixtures';
import { evidenceKey } from '@/testing/signer/signer-scene';
import { openEndpoint, type SimulatedEndpoint } from './chain/endpoint';
import { openEvmChain } from './chain/evm-chain';
import type { SimulatedChain } from './chain/chain';
import type { Laboratory } from './laboratory';
import { openRandom, type Random } from './random';
import type { SimulatedReceiver } from './receivers';
import { WALLET } from './signer';

/** 2027-01-01T10:00:00Z. Every history begins then. */
const START = 1_798_797_600;

export type SimulatedStore = TestStore & {
  readonly name: string;
  readonly usdCurrencies: readonly string[];
  readonly acceptsOtherToken: boolean;
  readonly receiver: SimulatedReceiver;
  readonly secret: string;
};

/** What a session asks for, as its merchant and the store's rules say. */
export type Terms = {
  readonly id: string;
  readonly store: SimulatedStore;
  readonly orderId: string;
  readonly dueCents: bigint;
  readonly currency: string;
  /** Its address on every EVM network. */
  readonly address: string;
  readonly networks: readonly string[];
  readonly tokens: readonly string[];
  readonly createdAt: number;
  readonly expiresAt: number;
  /** Somebody canceled it, or decided about one of its payments. */
  isDecided: boolean;
};

export type RefundRequest = {
  readonly refundId: string;
  readonly store: SimulatedStore;
  readonly session: Terms;
  readonly cents: bigint;
};

export type World = {
  readonly laboratory: Laboratory;
  readonly context: Context;
  readonly clock: Clock;
  /** Milliseconds since the history began. */
  readonly elapsed: () => number;
  readonly advance: (seconds: number) => Promise<void>;
  readonly chains: readonly SimulatedChain[];
  readonly endpoints: readonly SimulatedEndpoint[];
  /** Addresses of contracts that pay, such as exchanges. */
  readonly exchange: string;
  readonly relayer: string;
  readonly customers: readonly { readonly name: string; readonly address: string }[];
  readonly stores: readonly SimulatedStore[];
  readonly sessions: Terms[];
  readonly refunds: RefundRequest[];
  services: Services;
  steps: readonly NamedStep[];
  /** Chains whose blocks have stopped. */
  readonly halted: Set<string>;
  /** The worker and the web process start again. */
  readonly restart: () => void;
};

const NETWORKS = ['ethereum', 'bsc'] as const;
const FINAL_DEPTH = { ethereum: 4, bsc: 2 } as const;
const ENDPOINTS = 2;
const NAMES = ['Alice', 'Bob', 'Carol', 'Dave', 'Erin', 'Frank'] as const;
/** Steps that read files or the outside world, or that only count and clear. The delivery step has its own action. */
const LEFT_OUT =
  /^(deliver webhooks|fetch exchange rates|send mails|post alarms|watch the audit log|clear |store |tend security)/;
const KEPT = 'store quarantined transfers';

const addressOf = (byte: string): string => `0x${byte.repeat(20)}`;

export async function openWorld(laboratory: Laboratory, seed: number): Promise<World> {
  const { database, pool, signer } = laboratory;
  const random = openRandom(seed, -1);
  let milliseconds = 0;
  const clock: Clock = { now: () => new Date(START * 1000 + milliseconds) };
  await database.reset();
  await database.setTime(clock.now());
  signer.begin(clock);
  for (const receiver of laboratory.receivers) receiver.begin();
  const chains = NETWORKS.map((network) => {
    const spec = networkSpec('test', network, 'local')!;
    const chain = openEvmChain({ spec, finalDepth: FINAL_DEPTH[network], wallet: WALLET, unixSeconds: START - 60 });
    for (let block = 8; block > 0; block--) chain.mine(START - 2 * block);
    return chain;
  });
  const exchange = addressOf('e0');
  for (const chain of chains) chain.contracts.add(exchange);
  const endpoints = chains.flatMap((chain) =>
    Array.from({ length: ENDPOINTS }, (_, index) => openEndpoint(chain, index + 1)),
  );
  for (const { url, answer } of endpoints) laboratory.transport.serve(url, answer);
  const urlsOf = (network: string) =>
    endpoints
      .filter(({ chain }) => chain.network === network)
      .map(({ url }) => url)
      .join(' ');
  const config = readConfig({
    DATABASE_URL: database.url,
    MASTER_KEYS: `1:${Buffer.from([...Array(32).keys()]).toString('base64')}`,
    EVIDENCE_KEY: evidenceKey.toString('base64'),
    SIGNER_SOCKET: signer.socket,
    TEST_CHAINS: 'local',
    TEST_ETHEREUM_URLS: urlsOf('ethereum'),
    TEST_BSC_URLS: urlsOf('bsc'),
    RATE_SOURCES: 'off',
    LOG_LEVEL: 'silent',
    WEBHOOKS_TO_LOOPBACK: 'on',
    ADDRESS_POOL_SIZE: '20',
    // Every payment needs both endpoints, so one that lies can forge nothing.
    AGREEMENT_ABOVE: '0',
    AGREEMENT_ABOVE_PER_HOUR: '0',
    // A history is shorter, so no session closes while a network is unread.
    EXPIRY_HOLD_SECONDS: '86400',
    REFUND_HOLD_SECONDS_TEST: String(random.pick([0, 5, 60])),
    LIMIT_LOOPBACK: 'off',
  });
  const context: Context = { pool: pool.pool, clock, log: laboratory.log ?? silentLog(), config };
  const world: World = {
    ...{ laboratory, context, clock, chains, endpoints, exchange, relayer: addressOf('be') },
    elapsed: () => milliseconds,
    advance: async (seconds) => {
      milliseconds += seconds * 1000;
      await database.setTime(clock.now());
    },
    customers: NAMES.map((name, index) => ({ name, address: addressOf(`a${index + 1}`) })),
    stores: [],
    ...{ sessions: [], refunds: [], halted: new Set<string>() },
    services: {} as Services,
    steps: [],
    restart: () => {
      // A store of keys' last use writes beside the request, at a moment that nothing controls.
      world.services = { ...openServices(context), noteUse: () => {} };
      world.steps = openSteps(context).filter(({ name }) => name === KEPT || !LEFT_OUT.test(name));
    },
  };
  world.restart();
  const stores: SimulatedStore[] = [];
  for (const receiver of laboratory.receivers.slice(0, random.int(2, 3))) {
    stores.push(await openStore(world, random, { receiver, name: `store ${stores.length + 1}` }));
  }
  await warmUp({ ...world, stores });
  return Object.assign(world, { stores });
}

async function openStore(
  { context, laboratory }: World,
  random: Random,
  { receiver, name }: { readonly receiver: SimulatedReceiver; readonly name: string },
): Promise<SimulatedStore> {
  const pool = laboratory.database.pool;
  const made = await makeStore(
    { url: '', pool, prisma: await openPrisma(pool), close: async () => {} },
    context.config,
  );
  const usdCurrencies = random.pick([['USDT'], ['USDC'], ['USDT', 'USDC']]);
  const acceptsOtherToken = random.chance(30);
  const networks = random.pick([[], [], ['bsc'], ['ethereum']]);
  await pool.query(
    'UPDATE stores SET usd_currencies = $2, accepts_other_token = $3, networks = $4, refund_day_limit = $5 WHERE id = $1',
    [made.storeId, usdCurrencies, acceptsOtherToken, networks, random.pick([2_000, 1_000_000])],
  );
  const { secret } = await setWebhookEndpoint(context, {
    storeId: made.storeId,
    environment: 'test',
    url: receiver.url,
  });
  return { ...made, name, usdCurrencies, acceptsOtherToken, receiver, secret: secret ?? '' };
}

/** Runs each step until the networks are followed and deposit addresses are in the pool. */
async function warmUp({ steps, context, advance, chains }: World): Promise<void> {
  for (let round = 0; round < 2; round++) {
    for (const { run } of steps) await run(context).catch(() => {});
    for (const chain of chains) chain.mine(Math.floor(context.clock.now().getTime() / 1000));
    await advance(5);
  }
}
