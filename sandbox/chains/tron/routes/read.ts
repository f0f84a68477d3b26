// The reads of both sides of the node: blocks, transactions, receipts, accounts and contracts. The solid side returns nothing
// newer than the solid head, nor any state after it.

import { blockJson, type Block } from '../block';
import { TOTALS } from '../resources';
import { signedJson } from '../transaction';
import { accountJson, bandwidthJson, contractJson, receiptJson, resourceJson, type Json } from '../views';
import { addressIn, inState, numberIn, textIn, topOf, type Ask, type Routes } from './request';

/** java-tron's limit for one response. */
const MOST_BLOCKS = 100;

export const READ_ROUTES: Routes = {
  getnowblock: (ask) => blockJson(topOf(ask), ask),
  getblock: (ask) => {
    const wanted = String(ask.parameters.id_or_num ?? '');
    const detail = String(ask.parameters.detail) === 'true';
    const block = wanted === '' ? topOf(ask) : /^\d{1,15}$/.test(wanted) ? at(ask, Number(wanted)) : byId(ask, wanted);
    return block && blockJson(block, { visible: ask.visible, detail });
  },
  getblockbynum: (ask) => shown(ask, at(ask, numberIn(ask, 'num'))),
  getblockbyid: (ask) => shown(ask, byId(ask, textIn(ask, 'value'))),
  getblockbylimitnext: (ask) => list(ask, numberIn(ask, 'startNum'), numberIn(ask, 'endNum')),
  getblockbylatestnum: (ask) => {
    const top = topOf(ask).number;
    return list(ask, Math.max(0, top + 1 - numberIn(ask, 'num')), top + 1);
  },
  gettransactionbyid: (ask) => {
    const { included, transaction } = ask.chain.known(textIn(ask, 'value')) ?? {};
    if (!transaction || !included || included.block > topOf(ask).number) return {};
    return signedJson(transaction, included.entry.outcome, ask.visible);
  },
  gettransactioninfobyid: (ask) => receipt(ask, textIn(ask, 'value')) ?? {},
  gettransactioninfobyblocknum: (ask) => {
    const number = numberIn(ask, 'num');
    if (number <= 0) return {};
    return (at(ask, number)?.entries ?? []).map(({ transaction }) => receipt(ask, transaction.id));
  },
  gettransactioncountbyblocknum: (ask) => ({ count: at(ask, numberIn(ask, 'num'))?.entries.length ?? -1 }),
  getaccount: (ask) => state(ask, 'address', accountJson),
  getaccountresource: (ask) => state(ask, 'address', resourceJson),
  getaccountnet: (ask) => state(ask, 'address', bandwidthJson),
  getcontract: (ask) => state(ask, 'value', contractJson),
  getcontractinfo: (ask) =>
    inState(ask, () => {
      const address = addressIn(ask, 'value');
      const contract = contractJson(ask.chain.state, address, ask.visible);
      if (Object.keys(contract).length === 0) return {};
      const factor = ask.chain.engine.penalties.get(address) ?? 0;
      const energyState = { update_cycle: 1, ...(factor > 0 ? { energy_factor: factor } : {}) };
      return { smart_contract: contract, contract_state: energyState };
    }),
};

/** Only on the full node's side. */
export const NODE_ROUTES: Routes = {
  gettransactionfrompending: (ask) => {
    const known = ask.chain.known(textIn(ask, 'value'));
    return known && !known.included ? signedJson(known.transaction, null, ask.visible) : {};
  },
  gettransactionlistfrompending: ({ chain }) => ({ txId: chain.pending.map(({ id }) => id) }),
  getpendingsize: ({ chain }) => ({ pendingSize: chain.pending.length }),
  getchainparameters: () => ({ chainParameter: CHAIN_PARAMETERS.map(([key, value]) => ({ key, value })) }),
  getenergyprices: () => ({ prices: '0:100' }),
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
  ['getEnergyFee', 100],
  ['getMaxCpuTimeOfOneTx', 80],
  ['getTotalEnergyCurrentLimit', TOTALS.ENERGY.limit],
  ['getMemoFee', 1_000_000],
  ['getMaxFeeLimit', 15_000_000_000],
  ['getFreeNetLimit', 600],
  ['getTotalNetLimit', TOTALS.BANDWIDTH.limit],
  ['getUnfreezeDelayDays', 14],
];

function at(ask: Ask, number: number): Block | undefined {
  return number <= topOf(ask).number ? ask.chain.block(number) : undefined;
}

/** A block's number is in its id, so it is found by it. */
function byId(ask: Ask, id: string): Block | undefined {
  const found = at(ask, parseInt(id.slice(0, 16), 16));
  return found?.id === id.toLowerCase() ? found : undefined;
}

const shown = (ask: Ask, block: Block | undefined): Json => (block ? blockJson(block, ask) : {});

/** From `start` to before `end`. */
function list(ask: Ask, start: number, end: number): Json {
  if (start < 0 || end - start < 1 || end - start > MOST_BLOCKS) return {};
  const numbers = Array.from({ length: end - start }, (_, n) => start + n);
  const blocks = numbers.flatMap((number) => at(ask, number) ?? []);
  return blocks.length > 0 ? { block: blocks.map((block) => blockJson(block, ask)) } : {};
}

function receipt(ask: Ask, id: string): Json | null {
  const known = ask.chain.known(id.toLowerCase());
  if (!known) return null;
  const timeOf = (number: number) => ask.chain.block(number)?.time ?? 0;
  return receiptJson(known, { top: topOf(ask).number, timeOf, visible: ask.visible });
}

type View = (state: Ask['chain']['state'], address: string, visible: boolean) => Json;
const state = (ask: Ask, name: string, view: View) =>
  inState(ask, () => view(ask.chain.state, addressIn(ask, name), ask.visible));
