// Starts anvil, a real EVM node, as a child process that ends when this process does. Each start creates a new chain with a new genesis
// block. Its files are below the given directory.

import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';

/** A start takes 0.1 s, and many times that on a busy machine. */
const READY_LIMIT_MS = 30_000;
/** How long a node may take to exit before it is killed. It has nothing to save. */
const STOP_LIMIT_MS = 2000;
/** States kept in memory. Without it anvil writes hundreds of megabytes to disk; the deepest reorg needs 64. */
const KEPT_STATES = 100;
/** The gas limit of Ethereum's blocks for years; more than any payment needs. */
const LEAST_GAS_LIMIT = 30_000_000;
/** How much of a node's output is kept to explain why it exited. */
const KEPT_OUTPUT = 2000;

export type Node = { readonly url: string; readonly stop: () => Promise<void> };

export type NodeOptions = {
  readonly chainId: number;
  /** The node calls a block final when twice as many blocks follow it. */
  readonly slotsInAnEpoch: number;
  /** Gas costs what the sender offers, as on BSC. */
  readonly zeroBaseFee: boolean;
  /** Where the node may write. */
  readonly home: string;
  /** Called once when the node exits without being stopped. */
  readonly onFault: (error: Error) => void;
};

/**
 * Starts a node on a free loopback port and resolves when it answers. Transactions are mined at once; blocks without any
 * are mined by local-chain.ts. Throws when this platform has no anvil or it does not start.
 */
export async function startAnvil(options: NodeOptions): Promise<Node> {
  fs.mkdirSync(options.home, { recursive: true, mode: 0o700 });
  const [command, args] = withParentDeathSignal(binary(), argumentsOf(options));
  const child = spawn(command, args, {
    cwd: options.home,
    // The child inherits no environment: a proxy or a developer's Foundry setting must not change the chain.
    env: { HOME: options.home, TMPDIR: options.home, NO_COLOR: '1' } as unknown as NodeJS.ProcessEnv,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  child.once('exit', () => process.off('exit', kill));
  const address = await listening(child);

  let stopped = false;
  child.once('exit', (code, signal) => {
    if (!stopped) options.onFault(new Error(`the local chain ${options.chainId} ended by itself (${signal ?? code})`));
  });
  const stop = async () => {
    stopped = true;
    await end(child);
  };
  return { url: `http://${address}`, stop };
}

function argumentsOf({ chainId, slotsInAnEpoch, zeroBaseFee }: NodeOptions): string[] {
  const numbers = {
    port: 0,
    accounts: 0,
    'chain-id': chainId,
    'slots-in-an-epoch': slotsInAnEpoch,
    'prune-history': KEPT_STATES,
    // Makes the genesis block differ from that of a chain started in the same second, so that a restart is detected as a new
    // chain.
    'gas-limit': LEAST_GAS_LIMIT + randomInt(1_000_000),
    ...(zeroBaseFee ? { 'block-base-fee-per-gas': 0 } : {}),
  };
  const flags = ['--no-cors', '--host', '127.0.0.1', ...(zeroBaseFee ? ['--disable-min-priority-fee'] : [])];
  return [...Object.entries(numbers).flatMap(([name, value]) => [`--${name}`, String(value)]), ...flags];
}

/** The program itself: its npm launcher would add one Node process for each chain. */
function binary(): string {
  const platform = os.platform();
  const architecture = os.arch() === 'x64' ? 'amd64' : os.arch();
  const name = `@foundry-rs/anvil-${platform}-${architecture}/bin/anvil${platform === 'win32' ? '.exe' : ''}`;
  try {
    return createRequire(import.meta.url).resolve(name);
  } catch (error) {
    throw new Error(`There is no local EVM chain for ${platform} ${architecture}; start with SANDBOX=off.`, {
      cause: error,
    });
  }
}

/** On Linux the kernel ends the child with its parent, even when the parent is killed. */
function withParentDeathSignal(command: string, args: string[]): [string, string[]] {
  const wrapper = ['--pdeathsig', 'KILL'];
  const available = process.platform === 'linux' && spawnSync('setpriv', [...wrapper, 'true']).status === 0;
  return available ? ['setpriv', [...wrapper, command, ...args]] : [command, args];
}

function listening(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = '';
    const fail = (message: string) => {
      child.kill('SIGKILL');
      reject(new Error(`A local EVM chain did not start (${message}): ${said.trim().slice(-KEPT_OUTPUT)}`));
    };
    const timer = setTimeout(() => fail(`no answer within ${READY_LIMIT_MS / 1000} s`), READY_LIMIT_MS);
    const hear = (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(-2 * KEPT_OUTPUT);
      const address = /Listening on (127\.0\.0\.1:\d+)/.exec(said)?.[1];
      if (!address) return;
      clearTimeout(timer);
      child.stdout?.off('data', hear);
      // The node logs every call to its standard output. The output is read and discarded, or the node would block.
      child.stdout?.resume();
      resolve(address);
    };
    child.stdout?.on('data', hear);
    child.stderr?.on('data', (chunk: Buffer) => (said = (said + chunk.toString()).slice(-2 * KEPT_OUTPUT)));
    child.once('error', (error) => fail(error.message));
    child.once('exit', (code) => {
      clearTimeout(timer);
      reject(new Error(`A local EVM chain ended with code ${code}: ${said.trim().slice(-KEPT_OUTPUT)}`));
    });
  });
}

function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS);
    child.once('exit', () => {
      clearTimeout(timer);
      resolve();
    });
    child.kill('SIGTERM');
  });
}
