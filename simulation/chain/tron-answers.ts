// Answers java-tron's HTTP API and JSON-RPC as the product's TRON adapter, balance reader and sender use them, from a
// simulated chain as one endpoint sees it. A method is named by its path, such as `walletsolidity/getblock`.

import { addressBytes, tronAddress } from '@/lib/networks/families/tron/address';
import { TOTALS } from '@/sandbox/chains/tron/resources';
import { tronRpcResult } from '@/testing/tron/tron-json-rpc';
import { blockOf, headerOf, infoOf, transactionOf, type TronBlock, type TronMined } from '@/testing/tron/tron-shapes';
import type { View } from './chain';
import { isBlocked, isPaused } from './refusals';
import { accountsAt, FREE_BANDWIDTH, type Accounts } from './tron-accounts';
import { ACTIVATION, ACTIVATION_BANDWIDTH, BANDWIDTH_PRICE, canMove, energyOf } from './tron-execution';
import { ENERGY, ENERGY_PRICE, ownOf, tip, tronBalance, walletSun, type TronPlace, type TronState } from './tron-state';

const word = (value: bigint): string => value.toString(16).padStart(64, '0');
const constant = (value: bigint, energy = 1000): object => ({
  result: { result: true },
  energy_used: energy,
  constant_result: [word(value)],
});
/** What customers hold. */
const PLENTY = 10n ** 24n;
const REFUSED = { message: Buffer.from('REVERT opcode executed').toString('hex') };

type Body = Readonly<Record<string, unknown>>;
/** The chain up to `top`, which is the newest block of the side. */
type Seen = {
  readonly state: TronState;
  readonly view: View;
  readonly blocks: readonly TronBlock[];
  readonly top: number;
};

export function answerTron(state: TronState, view: View, method: string, params: readonly unknown[]): unknown {
  const result = resultOf(state, view, method, params);
  const tampered = view.tamper?.(method, params, result);
  return tampered === undefined ? result : tampered;
}

function resultOf(state: TronState, view: View, method: string, params: readonly unknown[]): unknown {
  const blocks = blocksOf(state, view);
  const [side = '', api = ''] = method.split('/');
  if (side !== 'wallet' && side !== 'walletsolidity') {
    if (state.listsTransfers) return tronRpcResult(blocks, { id: 0, method, params: [...params] });
    return { error: { code: -32601, message: `the method ${method} does not exist/is not available` } };
  }
  const top = side === 'wallet' ? view.height : Math.min(view.height, state.finalNumber);
  const body = (params[0] ?? {}) as Body;
  const seen = { state, view, blocks, top };
  return chainResult(seen, api, body) ?? accountResult(seen, api, body) ?? { error: { code: 404, message: api } };
}

/** The blocks that the endpoint has, up to its height. */
function blocksOf({ blocks }: TronState, { height, forkedAbove, keepsFrom }: View): readonly TronBlock[] {
  const upTo = height === blocks.length - 1 ? blocks : blocks.slice(0, height + 1);
  if (forkedAbove === undefined && keepsFrom === undefined) return upTo;
  return upTo.map((block) => {
    if (forkedAbove !== undefined && block.number > forkedAbove) return asForked(block, forkedAbove);
    return keepsFrom !== undefined && block.number > 0 && block.number < keepsFrom ? { ...block, isGone: true } : block;
  });
}

/** The block of a fork at the same height: empty, with another id. */
function asForked(block: TronBlock, above: number): TronBlock {
  const other = (id: string): string => `${id.slice(0, 16)}f0${id.slice(18)}`;
  const parentHash = block.number === above + 1 ? block.parentHash : other(block.parentHash);
  return { ...block, id: other(block.id), parentHash, transactions: [] };
}

/** Blocks and transactions; null for another API. */
function chainResult(seen: Seen, api: string, body: Body): unknown {
  const { state, blocks, top } = seen;
  const at = (number: unknown): TronBlock | undefined => {
    const block = Number(number) <= top ? blocks[Number(number)] : undefined;
    return block && 'isGone' in block ? undefined : block;
  };
  const place = (): TronPlace | null => placeOf(seen, String(body.value), at);
  switch (api) {
    case 'getnowblock':
      return orNothing(at(top), blockOf);
    case 'getblockbynum':
      return orNothing(at(body.num ?? 0), blockOf);
    case 'getblockbylimitnext': {
      const [from, to] = [Number(body.startNum ?? 0), Math.min(Number(body.endNum), top + 1)];
      const found = Array.from({ length: Math.max(0, to - from) }, (_, n) => at(from + n)).filter((one) => one);
      return found.length > 0 ? { block: found.map((one) => blockOf(one as TronBlock)) } : {};
    }
    case 'getblock':
      return orNothing(at(body.id_or_num ?? top), body.detail === true ? blockOf : headerOf);
    case 'gettransactioninfobyblocknum': {
      const block = Number(body.num ?? 0) > 0 ? at(body.num) : undefined;
      return block ? block.transactions.map((own) => resultIn(state, block, own)) : {};
    }
    case 'gettransactioninfobyid':
      return orNothing(place(), ({ block, own }) => resultIn(state, block, own));
    case 'gettransactionbyid':
      return orNothing(place(), ({ own }) => transactionOf(own));
    case 'gettransactionfrompending':
      return state.waiting.some(({ id }) => id === body.value) ? { txID: body.value, raw_data: {} } : {};
    default:
      return null;
  }
}

/** Endpoints that list no transfers report also what a failed transaction had logged before it failed. */
function resultIn({ listsTransfers, sweeps }: TronState, block: TronBlock, own: TronMined): object {
  const hasFailed = own.result !== null && own.result !== 'SUCCESS';
  const sweep = sweeps.find((one) => one.own === own);
  const fee = sweep ? { fee: Number(sweep.effects.fee) } : {};
  return {
    ...infoOf(block, own),
    ...fee,
    ...(hasFailed && !listsTransfers && own.logs.length > 0 ? { log: own.logs } : {}),
  };
}

const orNothing = <T>(found: T | undefined | null, write: (found: T) => object): object => (found ? write(found) : {});

/** A transaction in a block that the endpoint has. On its own fork there are none. */
function placeOf({ state, view }: Seen, id: string, at: (number: number) => unknown): TronPlace | null {
  const found = state.mined.get(id);
  if (!found || !at(found.block.number)) return null;
  return found.block.number > (view.forkedAbove ?? Number.POSITIVE_INFINITY) ? null : found;
}

/** State and sending; null for another API. */
function accountResult(seen: Seen, api: string, body: Body): unknown {
  const { state } = seen;
  switch (api) {
    case 'triggerconstantcontract':
      return called(seen, body);
    case 'getaccount':
      return accountOf(seen, addressIn(body.address));
    case 'getaccountresource':
      return resourcesOf(accountsIn(seen), addressIn(body.address));
    case 'getcandelegatedmaxsize':
      return { max_size: Number(accountsIn(seen).lendable(addressIn(body.owner_address))) };
    case 'getdelegatedresourceaccountindexv2': {
      const toAccounts = accountsIn(seen).borrowers(addressIn(body.value)).map(hexOf);
      return { account: body.value, ...(toAccounts.length > 0 ? { toAccounts } : {}) };
    }
    case 'getdelegatedresourcev2': {
      const lent = accountsIn(seen).lentTo(addressIn(body.fromAddress), addressIn(body.toAddress));
      return lent > 0n ? { delegatedResource: [{ frozen_balance_for_energy: Number(lent) }] } : {};
    }
    case 'getcontract':
      return state.contracts.has(addressIn(body.value)) ? { contract_address: body.value, bytecode: '6001' } : {};
    case 'getchainparameters':
      return {
        chainParameter: [
          { key: 'getTransactionFee', value: Number(BANDWIDTH_PRICE) },
          { key: 'getCreateNewAccountFeeInSystemContract', value: Number(ACTIVATION) },
          { key: 'getCreateAccountFee', value: Number(ACTIVATION_BANDWIDTH) },
          { key: 'getEnergyFee', value: Number(ENERGY_PRICE * state.fees) },
        ],
      };
    case 'broadcasthex': {
      const taken = state.submit(String(body.transaction));
      return 'id' in taken ? { result: true, txid: taken.id } : { code: taken.code, message: '00' };
    }
    default:
      return null;
  }
}

/** Accounts as the endpoint has them: on its own fork nothing was sent. */
const accountsIn = ({ state, view, top }: Seen): Accounts => accountsAt(state, Math.min(top, view.forkedAbove ?? top));

function resourcesOf(accounts: Accounts, address: string): object {
  return {
    freeNetLimit: FREE_BANDWIDTH,
    freeNetUsed: accounts.used(address, 'FREE'),
    EnergyLimit: accounts.energyLimit(address),
    EnergyUsed: accounts.used(address, 'ENERGY'),
    TotalEnergyLimit: TOTALS.ENERGY.limit,
    TotalEnergyWeight: TOTALS.ENERGY.weight,
  };
}

const hexOf = (address: string): string => `41${addressBytes(address)}`;
/** An address with its leading 41. */
const addressIn = (hex: unknown): string => tronAddress(String(hex).slice(2));

/** An account reflects the node's pool, and names the time of the block before its newest transaction. */
function accountOf(seen: Seen, address: string): object {
  const { state, top } = seen;
  if (state.contracts.has(address)) return { address, type: 'Contract' };
  const times = ownOf(state, address, top).map(({ before }) => before);
  if (state.waiting.some(({ owner }) => owner === address)) times.push(tip(state).time);
  const newest = times.length > 0 ? { latest_opration_time: Math.max(...times) } : {};
  if (address !== state.wallet) return { ...ofSweeps(accountsIn(seen), address), ...newest };
  return { address, balance: Number(walletSun(state, top)), ...newest };
}

/** The account of a sponsor or a deposit address. No other account is read. */
function ofSweeps(accounts: Accounts, address: string): object {
  if (!accounts.isActive(address)) return {};
  const stake = Number(accounts.ownStake(address));
  const frozenV2 = [{}, { type: 'ENERGY', ...(stake > 0 ? { amount: stake } : {}) }];
  const lent = accounts.borrowers(address).reduce((sum, to) => sum + accounts.lentTo(address, to), 0n);
  const account_resource = lent > 0n ? { delegated_frozenV2_balance_for_energy: Number(lent) } : {};
  return { address, balance: Number(accounts.coin(address)), frozenV2, account_resource };
}

function called({ state, view, top }: Seen, body: Body): object {
  const token = addressIn(body.contract_address);
  const known = Object.values(state.spec.tokens).find(({ contract }) => contract === token);
  if (!known) {
    const message = Buffer.from('Smart contract is not exist.').toString('hex');
    return { result: { code: 'CONTRACT_VALIDATE_ERROR', message } };
  }
  switch (body.function_selector) {
    case 'decimals()':
      return constant(BigInt(known.decimals));
    case 'balanceOf(address)': {
      const address = tronAddress(String(body.parameter).slice(-40));
      const block = Math.min(top, view.forkedAbove ?? top);
      const amount = tronBalance(state, { token, address, block });
      return constant(amount >= 0n ? amount : PLENTY);
    }
    case 'transfer(address,uint256)': {
      const payer = addressIn(body.owner_address);
      if (payer === state.wallet) return constant(1n, ENERGY);
      const [to, amount] = [String(body.parameter).slice(24, 64), BigInt(`0x${String(body.parameter).slice(64)}`)];
      const movement = { token, payer, recipient: tronAddress(to), amount };
      const block = Math.min(top, view.forkedAbove ?? top);
      if (canMove(state, movement, block)) return constant(1n, energyOf(state, movement, block));
      return { ...constant(0n), result: { result: true, ...REFUSED }, transaction: { ret: [{ ret: 'FAILED' }] } };
    }
    case 'paused()':
      return constant(isPaused(state.refused, token) ? 1n : 0n);
    case 'isBlackListed(address)':
      return constant(isBlocked(state.refused, token, tronAddress(String(body.parameter).slice(-40))) ? 1n : 0n);
    default:
      // The issuer's other lists and switches are empty and off.
      return constant(0n);
  }
}
