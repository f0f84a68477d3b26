// The published sources of USDT and USDC, which are not part of this repository, at the addresses of the tokens on a local Ethereum, so that
// the product sweeps them as it sweeps the sandbox's. docs/sweeping-contract.md says how to prepare the directory that has them.

import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { AbiCoder, concat, Interface, toBeHex, Wallet } from 'ethers';
import { openRpc, type Rpc } from '@/sandbox/chains/evm/rpc';
import type { LocalNetwork } from '@/sandbox/chains/local-network';

type Compiled = Record<string, Record<string, { evm: { bytecode: { object: string } } }>>;
type Compiler = {
  compile(input: string, readers?: { import: (file: string) => { contents: string } }): string;
  /** Of compilers before 0.5. */
  compileStandardWrapper?(input: string): string;
};

/** Slots that the constructors of the sandbox's tokens wrote. */
const CONSTRUCTED_SLOTS = 10;
const COINS = '0x3635c9adc5dea00000';
/** Base units that the holder gets of each token. */
const HELD = 10n ** 15n;
const GAS = '0x989680';
const USDC_RUNS = 10_000_000;
const SIGNATURE_CHECKER = 'contracts/util/SignatureChecker.sol';

const token = new Interface([
  'function transfer(address to, uint256 value)',
  'function initialize(string,string,string,uint8,address,address,address,address)',
  'function initializeV2(string)',
  'function initializeV2_1(address)',
  'function initializeV2_2(address[],string)',
  'function configureMinter(address,uint256)',
  'function mint(address,uint256)',
]);
const coder = AbiCoder.defaultAbiCoder();

/** Puts both tokens in their places. Returns the chain whose payments are transfers of a holder, as there is no other payer of them. */
export async function withRealTokens(chain: LocalNetwork, directory: string): Promise<LocalNetwork> {
  const rpc = openRpc(chain.rpcUrl);
  const [admin, holder] = [newAddress(), newAddress()];
  for (const account of [admin, holder]) {
    await rpc('anvil_impersonateAccount', account);
    await rpc('anvil_setBalance', account, COINS);
  }
  const { USDT, USDC } = chain.spec.tokens;
  if (!USDT || !USDC) throw new Error(`${chain.network} has not both tokens`);
  const send = sender(rpc);
  const place = placer(rpc, send);
  const usdt = compileUsdt(directory);
  const issued = coder.encode(['uint256', 'string', 'string', 'uint256'], [HELD, 'Tether USD', 'USDT', 6]);
  await place(USDT.contract, { code: concat([usdt, issued]), from: holder });

  const usdc = compileUsdc(directory);
  const deploy = async (data: string): Promise<string> => (await send({ from: admin, data })).contractAddress ?? '';
  const checker = await deploy(usdc.checker);
  const implementation = await deploy(usdc.linked(checker));
  const proxied = coder.encode(['address'], [implementation]);
  await place(USDC.contract, { code: concat([usdc.proxy, proxied]), from: admin });
  const call = (name: string, values: readonly unknown[]) =>
    send({ from: holder, to: USDC.contract, data: token.encodeFunctionData(name, values) });
  await call('initialize', ['USD Coin', 'USDC', 'USD', 6, holder, holder, holder, holder]);
  await call('initializeV2', ['USD Coin']);
  await call('initializeV2_1', [admin]);
  await call('initializeV2_2', [[], 'USDC']);
  await call('configureMinter', [holder, HELD]);
  await call('mint', [holder, HELD]);

  return {
    ...chain,
    pay: async ({ currency, recipient, cents }) => {
      const one = chain.spec.tokens[currency]!;
      const data = token.encodeFunctionData('transfer', [recipient, cents * 10n ** BigInt(one.decimals - 2)]);
      return (await send({ from: holder, to: one.contract, data })).transactionHash;
    },
  };
}

const newAddress = (): string => Wallet.createRandom().address.toLowerCase();

type Sent = { readonly from: string; readonly to?: string; readonly data: string };
type Receipt = {
  readonly status: string;
  readonly transactionHash: string;
  readonly contractAddress: string | null;
};

const sender =
  (rpc: Rpc) =>
  async (sent: Sent): Promise<Receipt> => {
    const hash = await rpc('eth_sendTransaction', { gas: GAS, ...sent });
    await rpc('anvil_mine', '0x1');
    const receipt = await rpc<Receipt>('eth_getTransactionReceipt', hash);
    if (receipt.status !== '0x1') throw new Error('a transaction of the tokens failed');
    return receipt;
  };

/** Runs a constructor at the address of the token: as its code it writes the token's storage, and answers with the code to put there. */
function placer(rpc: Rpc, send: (sent: Sent) => Promise<Receipt>) {
  return async (address: string, { code, from }: { readonly code: string; readonly from: string }): Promise<void> => {
    for (let slot = 0; slot < CONSTRUCTED_SLOTS; slot++)
      await rpc('anvil_setStorageAt', address, toBeHex(slot, 32), toBeHex(0, 32));
    await rpc('anvil_setCode', address, code);
    const deployed = await rpc('eth_call', { from, to: address, gas: GAS }, 'latest');
    await send({ from, to: address, data: '0x' });
    await rpc('anvil_setCode', address, deployed);
  };
}

function compileUsdt(directory: string): string {
  const content = fs.readFileSync(path.join(directory, 'USDT/TetherToken.sol'), 'utf8');
  const compiled = compile(directory, 'solc4', { sources: { 'TetherToken.sol': { content } }, optimizer: null });
  return `0x${compiled['TetherToken.sol']!.TetherToken!.evm.bytecode.object}`;
}

function compileUsdc(directory: string): {
  readonly checker: string;
  readonly proxy: string;
  readonly linked: (checker: string) => string;
} {
  const files = { implementation: 'contracts/v2/FiatTokenV2_2.sol', proxy: 'contracts/v1/FiatTokenProxy.sol' };
  const sources = Object.fromEntries(
    [files.implementation, files.proxy].map((file) => [file, { content: read(directory, file) }]),
  );
  const compiled = compile(directory, 'solc6', { sources, optimizer: { enabled: true, runs: USDC_RUNS } });
  const codeOf = (file: string, name: string): string => compiled[file]![name]!.evm.bytecode.object;
  return {
    checker: `0x${codeOf(SIGNATURE_CHECKER, 'SignatureChecker')}`,
    proxy: `0x${codeOf(files.proxy, 'FiatTokenProxy')}`,
    // The only library that it calls.
    linked: (checker) =>
      `0x${codeOf(files.implementation, 'FiatTokenV2_2').replaceAll(/__\$[0-9a-f]{34}\$__/g, checker.slice(2))}`,
  };
}

const read = (directory: string, file: string): string =>
  fs.readFileSync(
    path.join(directory, file.startsWith('@') ? `node_modules/${file}` : `stablecoin-evm/${file}`),
    'utf8',
  );

type Input = { readonly sources: object; readonly optimizer: object | null };

function compile(directory: string, compiler: string, { sources, optimizer }: Input): Compiled {
  const solc = createRequire(path.join(path.resolve(directory), 'package.json'))(compiler) as Compiler;
  const outputSelection = { '*': { '*': ['evm.bytecode.object'] } };
  const settings = { outputSelection, ...(optimizer ? { optimizer } : {}) };
  const input = JSON.stringify({ language: 'Solidity', sources, settings });
  const readers = { import: (file: string) => ({ contents: read(directory, file) }) };
  const text = solc.compileStandardWrapper?.(input) ?? solc.compile(input, readers);
  const output = JSON.parse(text) as { errors?: { severity: string; formattedMessage: string }[]; contracts: Compiled };
  const fault = output.errors?.find(({ severity }) => severity === 'error');
  if (fault) throw new Error(fault.formattedMessage);
  return output.contracts;
}
