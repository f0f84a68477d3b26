// A running local Solana chain: the ledger with its tokens at the production mints, served on this machine. The clock makes its
// blocks or, in tests, the test does.

import { generateKeyPairSigner, type Address } from '@solana/kit';
import { networkSpec, type NetworkSpec } from '@/lib/networks/networks';
import { systemClock, type Clock } from '@/lib/platform/clock';
import { startTicker } from '../work-queue';
import { Bank } from './bank';
import { FINALITY_LAG } from './blocks';
import { Ledger } from './ledger';
import { serveRpc } from './server';
import { TOKEN_2022_PROGRAM } from './token-data';

export type SolanaNode = {
  readonly spec: NetworkSpec;
  readonly rpcUrl: string;
  readonly wsUrl: string;
  readonly ledger: Ledger;
  /** Wallets, payments and tokens, without the RPC. */
  readonly bank: Bank;
  readonly mints: Mints;
  /** Makes blocks. FINALITY_LAG of them make everything before final. */
  readonly tick: (blocks?: number) => void;
  /** While it is halted the clock makes no blocks. */
  readonly halt: (isHalted: boolean) => void;
  /** Drops the newest blocks with all their transactions and puts as many empty ones in their place. */
  readonly dropBlocks: (depth: number) => void;
  readonly stop: () => Promise<void>;
};

type Mints = {
  /** By currency, at the production addresses. */
  readonly genuine: Readonly<Record<string, Address>>;
  /** By currency: other mints of the classic program, with as many decimals. */
  readonly counterfeits: Readonly<Record<string, Address>>;
  /** By currency: other mints, of the Token-2022 program. */
  readonly lookalikes: Readonly<Record<string, Address>>;
};

export type NodeOptions = {
  /** Milliseconds from one block to the next; `manual` for only those of `tick`. */
  readonly tick: number | 'manual';
  readonly clock?: Clock;
  /** Called when no more blocks can be made. Without it the error is thrown uncaught. */
  readonly onFault?: (error: Error) => void;
};

/** Starts a separate chain with a new genesis hash. When this resolves, its mints are final and it serves requests. */
export async function startSolanaNode({ tick, clock = systemClock, onFault = fail }: NodeOptions): Promise<SolanaNode> {
  const spec = networkSpec('test', 'solana', 'local');
  if (!spec) throw new Error('networks.ts has no local solana');
  const ledger = new Ledger(clock);
  const bank = await Bank.open(ledger);
  const mints = await placeMints(bank, spec);
  ledger.tick(FINALITY_LAG);
  const airdrop = async (address: string, lamports: bigint) =>
    (await bank.airdrop(address as Address, lamports)).signature;
  const server = await serveRpc({ ledger, airdrop });
  let isHalted = false;
  const makeBlock = async () => {
    if (!isHalted) ledger.tick();
  };
  const beat = tick === 'manual' ? null : startTicker(tick, makeBlock, onFault);
  const stop = async () => {
    beat?.stop();
    await server.stop();
  };
  return {
    spec,
    rpcUrl: server.rpcUrl,
    wsUrl: server.wsUrl,
    ledger,
    bank,
    mints,
    tick: (blocks) => ledger.tick(blocks),
    halt: (halted) => void (isHalted = halted),
    dropBlocks: (depth) => ledger.dropFork(depth),
    stop,
  };
}

async function placeMints(bank: Bank, { tokens }: NetworkSpec): Promise<Mints> {
  const genuine: Record<string, Address> = {};
  const counterfeits: Record<string, Address> = {};
  const lookalikes: Record<string, Address> = {};
  for (const [currency, { contract, decimals }] of Object.entries(tokens)) {
    genuine[currency] = contract as Address;
    counterfeits[currency] = (await generateKeyPairSigner()).address;
    lookalikes[currency] = (await generateKeyPairSigner()).address;
    bank.placeMint(genuine[currency], decimals);
    bank.placeMint(counterfeits[currency], decimals);
    bank.placeMint(lookalikes[currency], decimals, TOKEN_2022_PROGRAM);
  }
  return { genuine, counterfeits, lookalikes };
}

function fail(error: Error): never {
  throw error;
}
