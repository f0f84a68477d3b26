// The initial contracts of the local TRON chain: stand-ins for the tokens at their production addresses, beside each a
// counterfeit of the same symbol, and the batch payer. They exist from the first block on, after their constructors ran.

import { AbiCoder, concat, getBytes, hexlify, Interface, MaxUint256, randomBytes } from 'ethers';
import type { NetworkSpec } from '@/lib/networks/networks';
import { centsToBaseUnits } from '@/lib/money/amounts';
import artifacts from '../../contracts/artifacts.json';
import { GRANT_CENTS } from '../local-network';
import { readAddress, toEvm } from './address';
import type { TronChain } from './chain';
import { SMART_CONTRACT } from './messages';
import { decode, encode } from './protobuf';

/** Addresses as hex; counterfeits by currency. */
export type TronContracts = { readonly counterfeits: Readonly<Record<string, string>>; readonly batchPayer: string };
/** `holder`: an additional account with the payer's initial amounts. */
export type GenesisAccounts = { readonly payer: string; readonly issuer: string; readonly holder?: string | undefined };

type Kind = 'TronStable' | 'ModernStable' | 'BatchPayer';
const TOKENS: Readonly<Record<string, { name: string; kind: Kind }>> = {
  USDT: { name: 'Tether USD', kind: 'TronStable' },
  USDC: { name: 'USD Coin', kind: 'ModernStable' },
};
/** USDT's calls cost 4.4 times the energy that they use: the cap of the dynamic penalty. */
const USDT_PENALTY = 34_000;
/** A hundred million TRX: many times the cost of all its payments. */
export const GENESIS_SUN = 10n ** 14n;
const GENESIS_ENERGY = 10n ** 9n;
const ENERGY_LIMIT_OF_ORIGIN = 10_000_000;

const token = new Interface([
  'function mint(address to, uint256 value)',
  'function approve(address spender, uint256 value)',
]);

/** Gives the founders TRX, and the payer and the holder tokens, before the second block. */
export async function deployGenesisContracts(
  chain: TronChain,
  spec: NetworkSpec,
  founders: GenesisAccounts,
): Promise<TronContracts> {
  const { payer, issuer, holder } = founders;
  const holders = holder === undefined ? [payer] : [payer, holder];
  const { state } = chain;
  for (const founder of [...holders, issuer]) {
    state.activate(founder);
    state.addBalance(founder, GENESIS_SUN);
  }
  const batchPayer = await place(chain, issuer, { kind: 'BatchPayer', name: 'BatchPayer', arguments: '0x' });
  const counterfeits: Record<string, string> = {};
  for (const [currency, { contract, decimals }] of Object.entries(spec.tokens)) {
    const plan = TOKENS[currency];
    if (!plan) throw new Error(`the sandbox has no contract for ${currency} on ${spec.network}`);
    const constructed = [plan.name, currency, decimals, toEvm(issuer)];
    const made = { ...plan, arguments: AbiCoder.defaultAbiCoder().encode(CONSTRUCTOR, constructed) };
    const address = readAddress(contract);
    if (address === null) throw new Error(`${contract} is not a TRON address`);
    await place(chain, issuer, made, address);
    counterfeits[currency] = await place(chain, issuer, made);
    const amount = centsToBaseUnits(GRANT_CENTS, decimals);
    for (const one of holders) {
      await call(chain, issuer, address, token.encodeFunctionData('mint', [toEvm(one), amount]));
    }
    await call(chain, payer, address, token.encodeFunctionData('approve', [toEvm(batchPayer), MaxUint256]));
    if (currency === 'USDT') chain.setPenalty(address, USDT_PENALTY);
  }
  return { counterfeits, batchPayer };
}

const CONSTRUCTOR = ['string', 'string', 'uint8', 'address'];
type Plan = { readonly kind: Kind; readonly name: string; readonly arguments: string };

/** Runs the constructor at the address, or at a new one when none is given, and returns it. */
async function place(chain: TronChain, issuer: string, plan: Plan, address = newAddress()): Promise<string> {
  const { bytecode, abi } = artifacts[plan.kind];
  const run = { from: issuer, to: address, data: getBytes(concat([bytecode, plan.arguments])), ...GENESIS_RUN };
  const { outcome } = await chain.engine.machine.create(run, genesis(chain));
  if (outcome !== 'SUCCESS') throw new Error(`placing ${plan.name} failed: ${outcome}`);
  chain.state.activate(address);
  const described = {
    origin_address: issuer,
    contract_address: address,
    abi: { entrys: entriesOf(abi) },
    bytecode,
    consume_user_resource_percent: 100,
    name: plan.name,
    origin_energy_limit: ENERGY_LIMIT_OF_ORIGIN,
  };
  // Encoded and decoded once, so that it equals a contract that was sent in a transaction.
  chain.state.update(address, { contract: decode(SMART_CONTRACT, encode(SMART_CONTRACT, described)) });
  return address;
}

/** ethers writes a constructor's mutability as the text "undefined". */
function entriesOf(abi: readonly string[]): object[] {
  const entries = JSON.parse(Interface.from(abi).formatJson()) as { stateMutability?: string }[];
  return entries.map(({ stateMutability, ...entry }) => ({
    ...entry,
    ...(stateMutability === 'undefined'
      ? { stateMutability: 'nonpayable' }
      : stateMutability
        ? { stateMutability }
        : {}),
  }));
}

async function call(chain: TronChain, from: string, to: string, data: string): Promise<void> {
  const run = { from, to, data: getBytes(data), ...GENESIS_RUN };
  const { outcome } = await chain.engine.machine.call(run, genesis(chain));
  if (outcome !== 'SUCCESS') throw new Error(`preparing ${to} failed: ${outcome}`);
}

const GENESIS_RUN = { value: 0n, energyLimit: GENESIS_ENERGY };
const genesis = (chain: TronChain) => {
  const { number, time, witness } = chain.head();
  return { number, time, witness: witness.address };
};
const newAddress = (): string => `41${hexlify(randomBytes(20)).slice(2)}`;
