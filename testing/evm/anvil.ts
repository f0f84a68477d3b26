// A real EVM node for tests: anvil as a child process in its own directory. It has the network's token contracts at
// their addresses and unlocked accounts to pay from. It ends with its test.

import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { Interface } from 'ethers';
import type { NetworkSpec } from '@/lib/networks/networks';
import { TOKEN_INTERFACE, tokenCode } from './token-contract';

const contract = new Interface(TOKEN_INTERFACE);
let started = 0;

export type Anvil = {
  readonly url: string;
  readonly accounts: readonly string[];
  rpc<T>(method: string, ...params: unknown[]): Promise<T>;
  /** Calls a token's function from an account in its own transaction; returns the hash. `mine` mines it. */
  send(token: string, call: string, args: readonly unknown[], from?: string): Promise<string>;
  mine(blocks?: number): Promise<void>;
  stop(): Promise<void>;
};

/** Starts a node of the network that mines only on request; its finalized block is two epochs behind. */
export async function startAnvil(spec: NetworkSpec, slotsInEpoch = 2): Promise<Anvil> {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'stabletill-anvil-'));
  const binary = createRequire(import.meta.url).resolve('@foundry-rs/anvil-linux-amd64/bin/anvil');
  // Otherwise two nodes started in one second would share their genesis block, and so be one chain.
  const gasLimit = 30_000_000 + ++started;
  const flags =
    `--port 0 --no-mining --prune-history 100 --gas-limit ${gasLimit} ` +
    `--slots-in-an-epoch ${slotsInEpoch} --chain-id ${spec.chainId}`;
  const env = { HOME: home } as unknown as NodeJS.ProcessEnv;
  const child = spawn(binary, flags.split(' '), { env, stdio: ['ignore', 'pipe', 'ignore'] });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const killWithUs = () => child.kill('SIGKILL');
  process.once('exit', killWithUs);
  const url = await new Promise<string>((resolve, reject) => {
    let said = '';
    child.stdout.on('data', (text: Buffer) => {
      said += text.toString();
      const address = /Listening on (127\.0\.0\.1:\d+)/.exec(said)?.[1];
      if (address) resolve(`http://${address}`);
    });
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`anvil ended with ${code}`)));
  });
  const rpc = async <T>(method: string, ...params: unknown[]): Promise<T> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const answer = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    const { result, error } = (await answer.json()) as { result: T; error?: { message: string } };
    if (error) throw new Error(`${method}: ${error.message}`);
    return result;
  };
  for (const { contract: address, decimals } of Object.values(spec.tokens)) {
    await rpc('anvil_setCode', address, tokenCode(decimals));
  }
  const accounts = await rpc<string[]>('eth_accounts');
  return {
    url,
    accounts,
    rpc,
    send: (to, call, args, from = accounts[0]!) =>
      rpc('eth_sendTransaction', { from, to, data: contract.encodeFunctionData(call, args), gas: '0x493e0' }),
    mine: async (blocks = 1) => void (await rpc('anvil_mine', `0x${blocks.toString(16)}`)),
    async stop() {
      process.off('exit', killWithUs);
      child.kill('SIGTERM');
      await ended;
      fs.rmSync(home, { recursive: true, force: true });
    },
  };
}
