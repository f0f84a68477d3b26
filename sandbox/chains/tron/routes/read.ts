// The reads of both sides of the node: blocks, transactions, receipts, accounts and contracts. The solid side returns nothing
// newer than the solid head, nor any state after it.

import { createAddressFromString } from '@ethereumjs/util';
import { toEvm } from '../address';
import { blockJson, type Block } from '../block';
import { TOTALS } from '../resources';
import { signedJson } from '../transaction';
import { accountJson, bandwidthJson, contractJson, receiptJson, resourceJson, type Json } from '../views';
import { addressIn, inState, numberIn, textIn, topOf, type NodeRequest, type Routes } from './request';

/** java-tron's limit for one response. */
const MAX_BLOCKS = 100;

export const READ_ROUTES: Routes = {
  getnowblock: (request) => blockJson(topOf(request), request),
  getblock: (request) => {
    const wanted = String(request.parameters.id_or_num ?? '');
    const detail = String(request.parameters.detail) === 'true';
    const block =
      wanted === '' ? topOf(request) : /^\d{1,15}$/.test(wanted) ? at(request, Number(wanted)) : byId(request, wanted);
    return block && blockJson(block, { visible: request.visible, detail });
  },
  getblockbynum: (request) => shown(request, at(request, numberIn(request, 'num'))),
  getblockbyid: (request) => shown(request, byId(request, textIn(request, 'value'))),
  getblockbylimitnext: (request) => list(request, numberIn(request, 'startNum'), numberIn(request, 'endNum')),
  getblockbylatestnum: (request) => {
    const top = topOf(request).number;
    return list(request, Math.max(0, top + 1 - numberIn(request, 'num')), top + 1);
  },
  gettransactionbyid: (request) => {
    const { included, transaction } = request.chain.known(textIn(request, 'value')) ?? {};
    if (!transaction || !included || included.block > topOf(request).number) return {};
    return signedJson(transaction, included.entry.outcome, request.visible);
  },
  gettransactioninfobyid: (request) => receipt(request, textIn(request, 'value')) ?? {},
  gettransactioninfobyblocknum: (request) => {
    const number = numberIn(request, 'num');
    if (number <= 0) return {};
    return (at(request, number)?.entries ?? []).map(({ transaction }) => receipt(request, transaction.id));
  },
  gettransactioncountbyblocknum: (request) => ({ count: at(request, numberIn(request, 'num'))?.entries.length ?? -1 }),
  getaccount: (request) => state(request, 'address', accountJson),
  getaccountresource: (request) => state(request, 'address', resourceJson),
  getaccountnet: (request) => state(request, 'address', bandwidthJson),
  getcontract: (request) => state(request, 'value', contractJson),
  getcontractinfo: (request) =>
    inState(request, async () => {
      const address = addressIn(request, 'value');
      const { state } = request.chain;
      const contract = contractJson(state, address, request.visible);
      if (Object.keys(contract).length === 0) return {};
      const code = await state.getCode(createAddressFromString(toEvm(address)));
      const factor = request.chain.engine.penalties.get(address) ?? 0;
      const energyState = { update_cycle: 1, ...(factor > 0 ? { energy_factor: factor } : {}) };
      const runtimecode = Buffer.from(code).toString('hex');
      return { smart_contract: contract, runtimecode, contract_state: energyState };
    }),
};

/** Only on the full node's side. */
export const NODE_ROUTES: Routes = {
  gettransactionfrompending: (request) => {
    const known = request.chain.known(textIn(request, 'value'));
    return known && !known.included ? signedJson(known.transaction, null, request.visible) : {};
  },
  gettransactionlistfrompending: ({ chain }) => ({ txId: chain.pending.map(({ id }) => id) }),
  getpendingsize: ({ chain }) => ({ pendingSize: chain.pending.length }),
  getchainparameters: ({ chain }) => ({
    chainParameter: [
      ...CHAIN_PARAMETERS.map(([key, value]) => ({ key, value })),
      { key: 'getEnergyFee', value: Number(chain.state.energyPrice) },
    ],
  }),
  getenergyprices: ({ chain }) => ({ prices: `0:${chain.state.energyPrice}` }),
  getbandwidthprices: () => ({ prices: '0:10,1:1000' }),
  getmemofee: () => ({ prices: '0:1000000' }),
  getnodeinfo: ({ chain }) => ({
    block: `Num:${chain.head().number},ID:${chain.head().id}`,
    solidityBlock: `Num:${chain.solid().number},ID:${chain.solid().id}`,
    configNodeInfo: { codeVersion: 'local' },
  }),
  listnodes: () => ({ nodes: [] }),
  getnextmaintenancetime: ({ chain }) => ({ num: chain.now() + 6 * 3_600_000 }),
};

const CHAIN_PARAMETERS: readonly (readonly [string, number])[] = [
  ['getMaintenanceTimeInterval', 21_600_000],
  ['getCreateAccountFee', 100_000],
  ['getTransactionFee', 1000],
  ['getCreateNewAccountFeeInSystemContract', 1_000_000],
  ['getCreateNewAccountBandwidthRate', 1],
  ['getMaxCpuTimeOfOneTx', 80],
  ['getTotalEnergyCurrentLimit', TOTALS.ENERGY.limit],
  ['getUpdateAccountPermissionFee', 100_000_000],
  ['getMultiSignFee', 1_000_000],
  ['getMemoFee', 1_000_000],
  ['getMaxFeeLimit', 15_000_000_000],
  ['getFreeNetLimit', 600],
  ['getTotalNetLimit', TOTALS.BANDWIDTH.limit],
  ['getUnfreezeDelayDays', 14],
];

function at(request: NodeRequest, number: number): Block | undefined {
  return number <= topOf(request).number ? request.chain.block(number) : undefined;
}

/** A block's number is in its id, so it is found by it. */
function byId(request: NodeRequest, id: string): Block | undefined {
  const found = at(request, parseInt(id.slice(0, 16), 16));
  return found?.id === id.toLowerCase() ? found : undefined;
}

const shown = (request: NodeRequest, block: Block | undefined): Json => (block ? blockJson(block, request) : {});

/** From `start` to before `end`. */
function list(request: NodeRequest, start: number, end: number): Json {
  if (start < 0 || end - start < 1 || end - start > MAX_BLOCKS) return {};
  const numbers = Array.from({ length: end - start }, (_, n) => start + n);
  const blocks = numbers.flatMap((number) => at(request, number) ?? []);
  return blocks.length > 0 ? { block: blocks.map((block) => blockJson(block, request)) } : {};
}

function receipt(request: NodeRequest, id: string): Json | null {
  const known = request.chain.known(id.toLowerCase());
  if (!known) return null;
  const timeOf = (number: number) => request.chain.block(number)?.time ?? 0;
  return receiptJson(known, { top: topOf(request).number, timeOf, visible: request.visible });
}

type View = (state: NodeRequest['chain']['state'], address: string, visible: boolean) => Json;
const state = (request: NodeRequest, name: string, view: View) =>
  inState(request, () => view(request.chain.state, addressIn(request, name), request.visible));
