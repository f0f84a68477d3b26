// A network at its main network's block rate: the product's watcher on a programmable node. A test or a benchmark moves
// the clock by which the node makes blocks, so that minutes of the network take seconds.

import { randomBytes } from 'node:crypto';
import type { ChainAdapter } from '@/lib/networks/chain';
import type { EndpointControl } from '@/lib/networks/endpoints/endpoints';
import { openEvmAdapter } from '@/lib/networks/families/evm/adapter';
import { networkSpec, type NetworkSpec } from '@/lib/networks/networks';
import type { OpenedChain } from '@/lib/networks/registry';
import { headsOf, type SharedHead } from '@/lib/networks/endpoints/shared-head';
import { openSolanaAdapter } from '@/lib/networks/families/solana/adapter';
import { openTronAdapter } from '@/lib/networks/families/tron/adapter';
import { tronAddress } from '@/lib/networks/families/tron/address';
import type { Context } from '@/lib/platform/context';
import type { Log } from '@/lib/platform/log';
import { recordEndpoints } from '@/lib/installation/status/record-endpoints';
import { openHeadStore } from '@/lib/installation/status/shared-heads';
import { watchStep } from '@/lib/payments/watcher/step';
import { openTestClock, silentLog, type TestClock } from '@/testing/chain-clock';
import { startFakeNode, transferLog, type FakeNode } from '@/testing/evm/fake-evm-node';
import type { FakeSolanaNode } from '@/testing/solana/fake-solana-node';
import { startFakeTronNode, type FakeTronNode } from '@/testing/tron/fake-tron-node';
import { fakeKey } from '@/testing/solana/solana-ledger';
import { pay as solanaPayment, startSolana, T0 } from '@/testing/solana/solana-scene';
import { TRON_PAYER, TRON_STRANGER } from '@/testing/tron/tron-pair';
import { transferLog as tronTransferLog } from '@/testing/tron/tron-shapes';
import { watchedSession } from './watched-session';

export const MEASURED = ['ethereum', 'bsc', 'tron', 'solana'] as const;
export type MeasuredNetwork = (typeof MEASURED)[number];

/** As the worker runs the watcher. */
export const TICK_MS = 500;
/** As the worker runs the checks of endpoints. */
const ENDPOINTS_EVERY_TICKS = 10;
/** The number of blocks before the watcher starts. */
const BLOCKS_BEFORE = 200;
const DAY_SECONDS = 86_400;
/** The delay from the time of a block until an endpoint has it. */
const ARRIVES_AFTER_MS: Record<MeasuredNetwork, number> = { ethereum: 1500, bsc: 300, tron: 500, solana: 300 };
/** Ethereum's finality moves by epochs, two to three of them behind the newest block. */
const EPOCH = 32;
const EVM_PAYER = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8';
/** The price of a watched session, in cents. */
const PRICE = 1234n;

/** A deposit address in the format of every family. */
export type Payee = { readonly id: string; readonly evm: string; readonly tron: string; readonly solana: string };

type Node = {
  /** The programmable node itself, for a test to make it behave like a provider. */
  readonly fake: FakeNode | FakeTronNode | FakeSolanaNode;
  readonly url: string;
  readonly genesis: string;
  readonly calls: Map<string, number>;
  /** Mines a block with payments to these. */
  readonly mine: (time: number, payees: readonly Payee[]) => void;
  /** The newest final block; blocks are counted from 0 without gaps. */
  readonly final: () => number;
  readonly newest: () => number;
  readonly close: () => Promise<void>;
};

type SceneOptions = {
  readonly spec: NetworkSpec;
  readonly urls: readonly string[];
  readonly clock: TestClock;
  readonly log: Log;
  readonly heads: readonly SharedHead[] | undefined;
};

export type NetworkScene = {
  readonly network: MeasuredNetwork;
  readonly context: Context;
  readonly node: Node;
  /** Opens its adapter, and with `needed` its senders and readers. */
  readonly options: SceneOptions;
  readonly chain: OpenedChain;
  /** Opens the network as another worker does. */
  readonly openChain: () => OpenedChain;
  /** Milliseconds of the network's time since its genesis. */
  readonly elapsed: () => number;
  /** The next block pays the session; returns its number. */
  readonly pay: (payee: Payee) => number;
  /** Runs the watcher like the worker, for this many ticks; `between` runs after each of its steps. */
  readonly run: (ticks: number, between?: () => Promise<void>) => Promise<void>;
  /** When the block became final, in milliseconds since genesis; null while it is not. */
  readonly finalAt: (block: number) => number | null;
  readonly trouble: () => Promise<string | null>;
};

/** Starts the network with its watcher. `base` is a context whose clock is not used. */
export async function openNetworkScene(base: Context, network: MeasuredNetwork): Promise<NetworkScene> {
  const clock = openTestClock(T0);
  const context: Context = { ...base, clock };
  await context.pool.query('UPDATE chains SET retired_at = now() WHERE retired_at IS NULL');
  const main = networkSpec('live', network, 'public') as NetworkSpec;
  const local = networkSpec('test', network, 'local') as NetworkSpec;
  const node = await startNode(local);
  const { blockMs } = main;
  const delay = ARRIVES_AFTER_MS[network];
  const finals: number[] = [];
  const due: Payee[] = [];
  let blocks = 0;
  const elapsed = () => clock.now().getTime() - T0 * 1000;
  const mineUntil = (ms: number) => {
    for (; blocks * blockMs + delay <= ms; blocks++) {
      node.mine(T0 + Math.floor((blocks * blockMs) / 1000), due.splice(0));
      for (let number = finals.length; number <= node.final(); number++) finals.push(blocks * blockMs + delay);
    }
  };
  mineUntil(BLOCKS_BEFORE * blockMs);
  clock.advance(BLOCKS_BEFORE * blockMs);
  const { confirmations, finalityFallback } = main;
  const spec = { ...local, chain: 'mainnet', genesis: node.genesis, confirmations, finalityFallback } as NetworkSpec;
  const heads = headsOf(openHeadStore(context), { environment: 'test', spec, urls: [node.url] });
  const options = { spec, urls: [node.url], clock, log: silentLog(), heads };
  const openChain = (): OpenedChain => {
    const adapter = openAdapter(options);
    return { environment: 'test', network, spec, adapter, endpoints: adapter.endpoints };
  };
  const chain = openChain();
  const steps = { watch: watchStep(chain), endpoints: recordEndpoints(chain) };
  return {
    network,
    context,
    node,
    options,
    chain,
    openChain,
    elapsed,
    pay: (payee) => {
      due.push(payee);
      return node.newest() + 1;
    },
    run: async (ticks, between) => {
      for (let tick = 0; tick < ticks; tick++) {
        mineUntil(elapsed());
        while ((await steps.watch(context)).more);
        await between?.();
        if (tick % ENDPOINTS_EVERY_TICKS === 0) await steps.endpoints(context);
        clock.advance(TICK_MS);
      }
    },
    finalAt: (block) => finals[block] ?? null,
    trouble: async () => {
      const { rows } = await context.pool.query<{ trouble: string | null }>(
        'SELECT trouble FROM chains WHERE retired_at IS NULL AND network = $1',
        [network],
      );
      return rows[0] ? rows[0].trouble : 'it was never read';
    },
  };
}

type Opening = { readonly storeId?: string; readonly createdAt?: number };

/** A pending session on the network for the rest of the day, created with the network by default. */
export async function openPayee({ pool }: Context, network: string, opening: Opening = {}): Promise<Payee> {
  const solana = fakeKey(randomBytes(16).toString('hex'));
  const tron = tronAddress(randomBytes(20).toString('hex'));
  const given = { createdAt: T0, ...opening, networks: [network], expiresIn: DAY_SECONDS };
  const { id, address } = await watchedSession(pool, { ...given, solanaAddress: solana, tronAddress: tron });
  return { id, evm: address, tron, solana };
}

/** Closes the sessions of earlier scenes. */
export const closeSessions = async ({ pool }: Context): Promise<void> =>
  void (await pool.query(`UPDATE sessions SET status = 'canceled', closed_at = '2020-01-01' WHERE status = 'pending'`));

function openAdapter(options: SceneOptions): ChainAdapter & { endpoints: EndpointControl } {
  const { spec } = options;
  if (spec.family === 'evm') return openEvmAdapter(options);
  if (spec.family === 'solana') return openSolanaAdapter(options);
  // As at TronGrid, whose limits these are.
  return openTronAdapter({ ...options, isMetered: () => true, wait: () => Promise.resolve() });
}

async function startNode(spec: NetworkSpec): Promise<Node> {
  const decimals = Object.fromEntries(Object.values(spec.tokens).map((token) => [token.contract, token.decimals]));
  const { contract, decimals: digits } = spec.tokens.USDT!;
  const amount = PRICE * 10n ** BigInt(digits - 2);
  if (spec.family === 'solana') {
    const node = await startSolana();
    node.finalDepth = 31;
    const mine = (time: number, payees: readonly Payee[]) =>
      void node.mine(
        payees.map(({ solana }) => solanaPayment(node, amount, solana)),
        { time },
      );
    return { ...shared(node), genesis: node.genesis, mine, final: () => node.blocks.length - 1 - node.finalDepth };
  }
  if (spec.family === 'tron') {
    const node = await startFakeTronNode({ decimals, time: T0 - 3, jsonRpc: true });
    const transfer = (to: string, value: bigint) => ({ logs: [tronTransferLog(contract, TRON_PAYER, to, value)] });
    // Every block of the main network holds transfers of the token; the node's lists are verified by them.
    const mine = (time: number, payees: readonly Payee[]) =>
      void node.mine([transfer(TRON_STRANGER, 1n), ...payees.map(({ tron }) => transfer(tron, amount))], time);
    return {
      ...shared(node),
      genesis: node.blocks[0]!.id,
      mine,
      final: () => node.blocks.length - 1 - node.solidDepth,
    };
  }
  const node = await startFakeNode({ chainId: spec.chainId as number, decimals, time: T0 - 1 });
  const isEthereum = spec.network === 'ethereum';
  const mine = (time: number, payees: readonly Payee[]) => {
    const paid = payees.map(({ evm }) => ({ logs: [transferLog(contract, EVM_PAYER, evm, amount)] }));
    const { number } = node.mine(paid, time);
    node.finalDepth = isEthereum ? 2 * EPOCH + (number % EPOCH) : 2;
  };
  return {
    ...shared(node),
    genesis: node.blocks[0]!.hash,
    mine,
    final: () => node.blocks.length - 1 - node.finalDepth,
  };
}

const shared = (node: Node['fake']) => ({
  fake: node,
  url: node.url,
  calls: node.calls,
  newest: () => node.blocks.length - 1,
  close: () => node.close(),
});
