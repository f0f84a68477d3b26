// A hundred final deposits on a local chain are swept: the worker's steps and the real signer move them to the treasury, the watcher reads
// that and the ledger books it. Blocks are made as soon as a step has sent something, so the seconds are those of the product and not of
// the network's finality. The treasury holds the token before, as any treasury does after its first sweep.

import { EVM_NETWORKS } from '@/sandbox/chains/evm/start';
import { startTestEvm } from '@/sandbox/chains/evm/test-chain';
import type { LocalNetwork } from '@/sandbox/chains/local-network';
import { startSolanaNode } from '@/sandbox/chains/solana/node';
import type { TestDatabase } from '@/testing/database/database';
import { openSolanaSweepScene } from '@/testing/sweeps/solana-sweep-scene';
import { openSweepScene } from '@/testing/sweeps/sweep-scene';
import { openTronScene, startSceneChain, TRX } from '@/testing/sweeps/tron-scene';

const DEPOSITS = 100;
/** Rounds until everything must be swept. */
const MOST_ROUNDS = 100;
/** The price of a session of the scenes in cents. */
const CENTS = 12_34n;
/** Sun, enough energy for a hundred new addresses a day. */
const STAKE = 1_300_000n * TRX;
/** Bytes of a token account. */
const TOKEN_ACCOUNT = 165;

type Swept = { readonly seconds: number; readonly transactions: number };
type Deposit = { readonly address: string };
type Scene = {
  readonly treasury: string;
  paid(count: number): Promise<readonly Deposit[]>;
  round(): Promise<void>;
  held(address: string): Promise<bigint> | bigint;
  treasuryInLedger(): Promise<bigint>;
};

/** `first`, `later`: gas per deposit of the first sweep of an address and of a later one, in the product's own batches. */
export type EvmSwept = Swept & { readonly first: number; readonly later: number };

/** Tokens, one after the other, and what is done to the chain before. */
type EvmGiven = {
  readonly currencies?: readonly string[];
  readonly prepare?: (chain: LocalNetwork) => Promise<LocalNetwork>;
};

export async function sweepOnEvm(
  db: TestDatabase,
  network: string,
  { currencies = ['USDT'], prepare = async (chain) => chain }: EvmGiven = {},
): Promise<readonly EvmSwept[]> {
  const row = EVM_NETWORKS.find((one) => one.network === network);
  if (!row) throw new Error(`the sandbox has no ${network}`);
  const node = await startTestEvm(row);
  try {
    const chain = await prepare(node);
    const homes = [];
    for (const currency of currencies) homes.push(await homeOf(db, chain, currency));
    return homes;
  } finally {
    await node.stop();
  }
}

async function homeOf(db: TestDatabase, chain: LocalNetwork, currency: string): Promise<EvmSwept> {
  const given = await openSweepScene({ db, chain });
  const scene: Scene = {
    ...given,
    paid: (count) => given.paid(count, currency),
    held: (address) => given.held(address, currency),
    treasuryInLedger: () => given.treasuryInLedger(currency),
  };
  const price = CENTS * 10n ** BigInt(chain.spec.tokens[currency]!.decimals - 2);
  const gasOf = async (hashes: readonly string[]): Promise<number> => {
    let gas = 0n;
    for (const hash of hashes)
      gas += BigInt((await given.rpc<{ gasUsed: string }>('eth_getTransactionReceipt', hash)).gasUsed);
    return Number(gas) / DEPOSITS;
  };
  await sweepOne(scene, price);
  const deposits = await scene.paid(DEPOSITS);
  const first = await comeHome(db, scene, { deposits, price });
  for (const { address: recipient } of deposits)
    await chain.pay({ currency, recipient, cents: CENTS, scenario: 'exact' });
  await chain.mine(chain.spec.confirmations);
  await given.watch();
  const later = await comeHome(db, scene, { deposits, price });
  return {
    seconds: first.seconds,
    transactions: first.hashes.length,
    first: await gasOf(first.hashes),
    later: await gasOf(later.hashes),
  };
}

/** `burned`: TRX per deposit that the sponsor spent beside its stake's energy. Without `forwarders`, each address has a key and a transfer of its own. */
export async function sweepOnTron(db: TestDatabase, forwarders: boolean): Promise<Swept & { readonly burned: number }> {
  const chain = await startSceneChain();
  try {
    const scene = await openTronScene({ db, chain, forwarders, stake: STAKE });
    const price = CENTS * 10n ** BigInt(chain.spec.tokens.USDT!.decimals - 2);
    await sweepOne(scene, price);
    const deposits = await scene.paid(DEPOSITS);
    const before = scene.account(scene.sponsor).balance;
    const { seconds, hashes } = await comeHome(db, scene, { deposits, price });
    const burned = Number(before - scene.account(scene.sponsor).balance) / Number(TRX) / DEPOSITS;
    return { seconds, transactions: hashes.length, burned };
  } finally {
    await chain.stop();
  }
}

/** `rent`: of a token account, as the node says. `net`: lamports per deposit that the sponsor has more afterwards. */
export async function sweepOnSolana(
  db: TestDatabase,
): Promise<Swept & { readonly net: number; readonly rent: number }> {
  const node = await startSolanaNode({ tick: 'manual' });
  try {
    const scene = await openSolanaSweepScene({ db, node });
    const price = CENTS * 10n ** BigInt(node.spec.tokens.USDT!.decimals - 2);
    await sweepOne(scene, price);
    const deposits = await scene.paid(DEPOSITS);
    const before = await scene.coin();
    const { seconds, hashes } = await comeHome(db, scene, { deposits, price });
    const net = Number((await scene.coin()) - before) / DEPOSITS;
    return { seconds, transactions: hashes.length, net, rent: await rentOf(node.rpcUrl) };
  } finally {
    await node.stop();
  }
}

/** The treasury's first sweep, after which its account and the contract exist. */
async function sweepOne(scene: Scene, price: bigint): Promise<void> {
  await scene.paid(1);
  await untilHome(scene, price);
}

/** Sweeps everything, and makes sure that nothing is left and nothing is missing. `hashes`: the transactions of it. */
async function comeHome(
  { pool }: TestDatabase,
  scene: Scene,
  { deposits, price }: { readonly deposits: readonly Deposit[]; readonly price: bigint },
): Promise<{ readonly seconds: number; readonly hashes: readonly string[] }> {
  const [held, { rows: before }] = [await scene.held(scene.treasury), await pool.query('SELECT id FROM sweeps')];
  const wanted = (await scene.treasuryInLedger()) + BigInt(deposits.length) * price;
  const start = performance.now();
  await untilHome(scene, wanted);
  const seconds = (performance.now() - start) / 1000;
  await untilEnded(pool, scene);
  for (const { address } of deposits)
    if ((await scene.held(address)) !== 0n) throw new Error(`${address} still holds tokens`);
  if ((await scene.held(scene.treasury)) - held !== BigInt(deposits.length) * price)
    throw new Error('the treasury did not get exactly what was deposited');
  const { rows } = await pool.query<{ status: string; hashes: readonly string[] }>(
    'SELECT status, hashes FROM sweeps WHERE NOT id = ANY($1) ORDER BY id',
    [before.map(({ id }) => id as string)],
  );
  const failed = rows.find(({ status, hashes }) => status !== 'final' || hashes.length !== 1);
  if (failed) throw new Error(`a sweep is ${failed.status} after ${failed.hashes.length} transactions`);
  return { seconds, hashes: rows.flatMap(({ hashes }) => hashes) };
}

/** The last sweeps, and on TRON the energy that comes back, are followed to their end. */
async function untilEnded(pool: TestDatabase['pool'], scene: Scene): Promise<void> {
  const open = 'SELECT FROM sweeps WHERE ended_at IS NULL';
  for (let n = 0; n === 0 || (n < MOST_ROUNDS && (await pool.query(open)).rowCount !== 0); n++) await scene.round();
}

async function untilHome(scene: Scene, wanted: bigint): Promise<void> {
  for (let n = 0; n < MOST_ROUNDS; n++) {
    if ((await scene.treasuryInLedger()) >= wanted) return;
    await scene.round();
  }
  throw new Error(`the money was not swept after ${MOST_ROUNDS} rounds`);
}

async function rentOf(rpcUrl: string): Promise<number> {
  const call = { jsonrpc: '2.0', id: 1, method: 'getMinimumBalanceForRentExemption', params: [TOKEN_ACCOUNT] };
  const answer = await fetch(rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(call),
  });
  return ((await answer.json()) as { result: number }).result;
}
