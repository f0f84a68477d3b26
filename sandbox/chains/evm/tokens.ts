// The token contracts of a local chain: stand-ins at the production addresses, so that the product finds them there, and beside
// each a counterfeit of the same symbol at its own address.

import { AbiCoder, concat, Interface, toBeHex, toQuantity } from 'ethers';
import artifacts from '../../contracts/artifacts.json';
import type { Account, LocalChain, Receipt } from './local-chain';
import type { Rpc } from './rpc';

export type TokenKind = 'LegacyStable' | 'ModernStable';
export type TokenPlan = {
  readonly currency: string;
  /** The production contract's address. */
  readonly contract: string;
  readonly decimals: number;
  readonly name: string;
  readonly kind: TokenKind;
};
/** Contracts of one local chain: `counterfeits` by currency, `batchPayer` pays several recipients in one transaction. */
export type Contracts = { readonly counterfeits: Readonly<Record<string, string>>; readonly batchPayer: string };

const DEPLOY_GAS = 5_000_000n;
const MINT_GAS = 200_000n;
/** The constructors of both kinds write below this slot only: names, symbols, decimals, owner. */
const CONSTRUCTED_SLOTS = 10;

/** How each kind's owner freezes an account, and ends that. */
const BLOCKING: Readonly<Record<TokenKind, readonly [block: string, unblock: string]>> = {
  LegacyStable: ['addBlackList', 'removeBlackList'],
  ModernStable: ['blacklist', 'unBlacklist'],
};

const token = new Interface([
  'function addBlackList(address account)',
  'function removeBlackList(address account)',
  'function blacklist(address account)',
  'function unBlacklist(address account)',
  'function mint(address to, uint256 value)',
  'function balanceOf(address account) view returns (uint256)',
]);

/** Deploys everything with `issuer`, who owns every token and may mint it. Throws when a deployment fails. */
export async function placeTokens(
  rpc: Rpc,
  chain: LocalChain,
  issuer: Account,
  plans: readonly TokenPlan[],
): Promise<Contracts> {
  const counterfeits: Record<string, string> = {};
  for (const plan of plans) {
    const genuine = await deployToken(chain, issuer, plan);
    await copyContract(rpc, genuine, plan.contract);
    counterfeits[plan.currency] = await deployToken(chain, issuer, plan);
  }
  return { counterfeits, batchPayer: await deploy(chain, issuer, artifacts.BatchPayer.bytecode) };
}

/** Mints base units of a token to a holder. */
export async function mintToken(
  chain: LocalChain,
  issuer: Account,
  grant: { contract: string; holder: string; amount: bigint },
): Promise<void> {
  const data = token.encodeFunctionData('mint', [grant.holder, grant.amount]);
  const [receipt] = await chain.send([{ from: issuer, to: grant.contract, data, gasLimit: MINT_GAS }]);
  succeeded(receipt, `minting ${grant.contract}`);
}

/** Has the owner of a token block an account, or end that. */
export async function blockAccount(
  chain: LocalChain,
  issuer: Account,
  {
    contract,
    kind,
    account,
    isBlocked = true,
  }: { contract: string; kind: TokenKind; account: string; isBlocked?: boolean },
): Promise<void> {
  const [block, unblock] = BLOCKING[kind];
  const data = token.encodeFunctionData(isBlocked ? block : unblock, [account]);
  const [receipt] = await chain.send([{ from: issuer, to: contract, data, gasLimit: MINT_GAS }]);
  succeeded(receipt, `blocking an account of ${contract}`);
}

/** Base units of a token that an account holds at the newest block. */
export async function balanceOf(chain: LocalChain, contract: string, account: string): Promise<bigint> {
  return BigInt(await chain.read(contract, token.encodeFunctionData('balanceOf', [account])));
}

function deployToken(chain: LocalChain, issuer: Account, plan: TokenPlan): Promise<string> {
  const types = ['string', 'string', 'uint8', 'address'];
  const values = [plan.name, plan.currency, plan.decimals, issuer.address];
  const constructed = AbiCoder.defaultAbiCoder().encode(types, values);
  return deploy(chain, issuer, concat([artifacts[plan.kind].bytecode, constructed]));
}

async function deploy(chain: LocalChain, issuer: Account, data: string): Promise<string> {
  const [receipt] = await chain.send([{ from: issuer, to: null, data, gasLimit: DEPLOY_GAS }]);
  const address = succeeded(receipt, 'deploying a contract').contractAddress;
  if (!address) throw new Error('a deployment gave no contract');
  return address.toLowerCase();
}

/** Immutable values are part of the code. The EIP-712 domain follows the new address by itself. */
async function copyContract(rpc: Rpc, from: string, to: string): Promise<void> {
  await rpc('anvil_setCode', to, await rpc('eth_getCode', from, 'latest'));
  for (let slot = 0; slot < CONSTRUCTED_SLOTS; slot++) {
    const value = await rpc('eth_getStorageAt', from, toQuantity(slot), 'latest');
    await rpc('anvil_setStorageAt', to, toBeHex(slot, 32), toBeHex(BigInt(value), 32));
  }
}

function succeeded(receipt: Receipt | undefined, what: string): Receipt {
  if (!receipt?.succeeded) throw new Error(`${what} failed`);
  return receipt;
}
