// How many requests the watcher makes of an endpoint in a day: the product's steps on a programmable node that makes blocks as
// the main network does, by a clock that a test or a benchmark moves. What pays, compares balances and reads fees is not in it.

import { randomBytes } from 'node:crypto';
import type { EndpointControl } from '@/lib/chains/endpoints';
import type { ChainAdapter } from '@/lib/chains/chain';
import { openEvmAdapter } from '@/lib/chains/evm/adapter';
import { networkSpec, type NetworkSpec } from '@/lib/chains/networks';
import { openSolanaAdapter } from '@/lib/chains/solana/adapter';
import { openTronAdapter } from '@/lib/chains/tron/adapter';
import type { Context } from '@/lib/context';
import { recordEndpoints } from '@/lib/status/record-endpoints';
import { watchStep } from '@/lib/watcher/step';
import { openTestClock, silentLog } from './chain-clock';
import { startFakeNode } from './fake-evm-node';
import { startFakeSolanaNode } from './fake-solana-node';
import { startFakeTronNode } from './fake-tron-node';
import { fakeKey } from './solana-ledger';
import { TRON_PAYER, TRON_STRANGER } from './tron-pair';
import { transferLog as tronTransferLog } from './tron-shapes';
import { watchedSession } from './watched-session';

export const MEASURED = ['ethereum', 'bsc', 'tron', 'solana'] as const;
export type MeasuredNetwork = (typeof MEASURED)[number];

const START = 1_760_000_000;
const TICK_MS = 500;
/** As the worker runs it. */
const ENDPOINTS_EVERY_TICKS = 10;
/** Blocks that there are before the watcher starts. */
const BLOCKS_BEFORE = 200;
const DAY_SECONDS = 86_400;
/** Ethereum's finality moves by epochs, two to three of them behind the newest block. */
const EPOCH = 32;

type Node = {
  readonly url: string;
  readonly genesis: string;
  readonly calls: ReadonlyMap<string, number>;
  readonly forget: () => void;
  readonly mine: (time: number) => void;
  readonly close: () => Promise<void>;
};

export type Measured = {
  readonly network: string;
  readonly open: number;
  readonly seconds: number;
  readonly perDay: number;
  /** Requests a day by method. */
  readonly methods: Readonly<Record<string, number>>;
};

type Measuring = {
  readonly network: MeasuredNetwork;
  /** Sessions that await payment there. */
  readonly open: number;
  /** Of the network's time. */
  readonly seconds: number;
};

/** Watches a network for some of its time. `base` is a context whose clock is not used. */
export async function measureRequests(base: Context, { network, open, seconds }: Measuring): Promise<Measured> {
  const clock = openTestClock(START);
  const context: Context = { ...base, clock };
  await reset(context, network, open);
  const main = networkSpec('live', network, 'public') as NetworkSpec;
  const local = networkSpec('test', network, 'local') as NetworkSpec;
  const node = await startNode(local);
  const { blockMs } = main;
  let blocks = 0;
  const mineUntil = (ms: number) => {
    for (; blocks * blockMs <= ms; blocks++) node.mine(START + Math.floor((blocks * blockMs) / 1000));
  };
  mineUntil(BLOCKS_BEFORE * blockMs);
  const begin = START * 1000 + BLOCKS_BEFORE * blockMs;
  clock.set(begin / 1000);
  const { confirmations, finalityFallback } = main;
  const spec = { ...local, chain: 'mainnet', genesis: node.genesis, confirmations, finalityFallback } as NetworkSpec;
  const adapter = openAdapter(spec, node.url, clock);
  const chain = { environment: 'test', network, spec, adapter, endpoints: adapter.endpoints } as const;
  const steps = { watch: watchStep(chain), endpoints: recordEndpoints(chain) };
  const run = async (ticks: number) => {
    for (let tick = 0; tick < ticks; tick++) {
      mineUntil(clock.now().getTime() - START * 1000);
      while ((await steps.watch(context)).more);
      if (tick % ENDPOINTS_EVERY_TICKS === 0) await steps.endpoints(context);
      clock.advance(TICK_MS);
    }
  };
  // The first scan, with its proof, is once an hour or less.
  await run(ENDPOINTS_EVERY_TICKS);
  node.forget();
  await run((seconds * 1000) / TICK_MS);
  const { rows } = await context.pool.query<{ trouble: string | null }>(
    'SELECT trouble FROM chains WHERE retired_at IS NULL AND network = $1',
    [network],
  );
  const methods = Object.fromEntries(
    [...node.calls].map(([name, count]) => [name, Math.round((count * DAY_SECONDS) / seconds)]),
  );
  await node.close();
  if (rows[0]?.trouble !== null) throw new Error(`${network} could not be watched: ${rows[0]?.trouble}`);
  const perDay = Object.values(methods).reduce((sum, count) => sum + count, 0);
  return { network, open, seconds, perDay, methods };
}

/** Nothing of an earlier measurement, and as many open sessions as asked for. */
async function reset({ pool }: Context, network: string, open: number): Promise<void> {
  await pool.query('UPDATE chains SET retired_at = now() WHERE retired_at IS NULL');
  await pool.query(`UPDATE sessions SET status = 'canceled', closed_at = '2020-01-01' WHERE status = 'pending'`);
  for (let n = 0; n < open; n++) {
    const solanaAddress = fakeKey(randomBytes(16).toString('hex'));
    await watchedSession(pool, { createdAt: START, networks: [network], expiresIn: DAY_SECONDS, solanaAddress });
  }
}

function openAdapter(
  spec: NetworkSpec,
  url: string,
  clock: Context['clock'],
): ChainAdapter & { endpoints: EndpointControl } {
  const options = { spec, urls: [url], clock, log: silentLog() };
  if (spec.family === 'evm') return openEvmAdapter(options);
  if (spec.family === 'solana') return openSolanaAdapter(options);
  // As at TronGrid, whose limits these are.
  return openTronAdapter({ ...options, isMetered: () => true, wait: () => Promise.resolve() });
}

async function startNode(spec: NetworkSpec): Promise<Node> {
  const decimals = Object.fromEntries(Object.values(spec.tokens).map((token) => [token.contract, token.decimals]));
  if (spec.family === 'solana') {
    const node = await startFakeSolanaNode({ mints: decimals, time: START });
    node.finalDepth = 31;
    const { genesis } = node;
    return { ...shared(node), genesis, mine: (time) => void node.mine([], { time }) };
  }
  if (spec.family === 'tron') {
    const node = await startFakeTronNode({ decimals, time: START - 3, jsonRpc: true });
    // Every block of the main network holds transfers of the token, by which the node's lists are proven.
    const others = [{ logs: [tronTransferLog(spec.tokens.USDT!.contract, TRON_PAYER, TRON_STRANGER, 1n)] }];
    return { ...shared(node), genesis: node.blocks[0]!.id, mine: (time) => void node.mine(others, time) };
  }
  const node = await startFakeNode({ chainId: spec.chainId as number, decimals, time: START - 1 });
  const isEthereum = spec.network === 'ethereum';
  const mine = (time: number) => {
    const { number } = node.mine([], time);
    node.finalDepth = isEthereum ? 2 * EPOCH + (number % EPOCH) : 2;
  };
  return { ...shared(node), genesis: node.blocks[0]!.hash, mine };
}

const shared = (node: { url: string; calls: Map<string, number>; close: () => Promise<void> }) => ({
  url: node.url,
  calls: node.calls,
  forget: () => node.calls.clear(),
  close: node.close,
});
