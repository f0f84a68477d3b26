// Executes one transaction on the present state: bandwidth, the contract itself, energy and fees, and its receipt.

import { createdAddress } from './address';
import type { Entry } from './block';
import type { BlockContext, Machine, Penalties, Ran } from './evm';
import type { Outcome } from './messages';
import type { Message } from './protobuf';
import { checkSignatures, MULTI_SIGN_FEE, permissionsIn, UPDATE_FEE } from './permissions';
import { Rejected } from './rejected';
import { energyLimit, PRICES, takeBandwidth, takeEnergy } from './resources';
import { delegate, freeze, lendingIn, undelegate, unfreeze, withdraw } from './stakes';
import type { TronState } from './state';
import { rawJson, transactionBytes, type Transaction } from './transaction';
import { addressIn, resourceOf, sun } from './parameters';
import { validateContract } from './validate';

/** Each transaction pays for its result too. */
const RESULT_BYTES = 64;

export type Engine = {
  readonly state: TronState;
  readonly machine: Machine;
  readonly penalties: Penalties;
};

type Done = { readonly outcome: Outcome; readonly fee: number; readonly receipt: Message; readonly more: Message };

/** Throws Rejected when the transaction cannot be included in a block. The state may have changed by then. */
export async function executeTransaction(
  engine: Engine,
  transaction: Transaction,
  block: BlockContext & { readonly headTime: number },
): Promise<Entry> {
  const { state } = engine;
  const { owner } = transaction;
  checkSignatures(state, transaction);
  validateContract(state, transaction);
  const memoFee = rawJson(transaction.raw).data === undefined ? 0n : PRICES.memo;
  const bytes = transactionBytes(transaction, null).length + RESULT_BYTES;
  const bill = takeBandwidth(state, owner, bytes, activates(state, transaction));
  const extra = memoFee + (transaction.signatures.length > 1 ? MULTI_SIGN_FEE : 0n);
  if (bill === null || state.account(owner).balance < extra) {
    throw new Rejected('BANDWITH_ERROR', 'Account resource insufficient error.');
  }
  state.addBalance(owner, -extra);
  const done = await executeContract(engine, transaction, block);
  // As java-tron does: the time of the newest block before this one (BandwidthProcessor.java).
  state.update(owner, { lastOperationAt: block.headTime });

  const fee = Number(extra) + (bill.net_fee ?? 0) + done.fee;
  const receipt = { ...done.receipt, ...bill };
  return {
    transaction,
    outcome: done.outcome,
    receipt: { ...(fee > 0 ? { fee } : {}), contractResult: [''], receipt, ...done.more },
  };
}

function activates(state: TronState, { type, value }: Transaction): boolean {
  if (type === 'AccountCreateContract') return true;
  return type === 'TransferContract' && !state.isActive(addressIn(value, 'to_address'));
}

const PLAIN: Done = { outcome: 'SUCCESS', fee: 0, receipt: {}, more: {} };
const paid = (fee: bigint): Done => ({ ...PLAIN, fee: Number(fee) });

async function executeContract(engine: Engine, transaction: Transaction, block: BlockContext): Promise<Done> {
  const { state } = engine;
  const { type, value, owner } = transaction;
  switch (type) {
    case 'TransferContract': {
      const [to, amount] = [addressIn(value, 'to_address'), sun(value.amount)];
      const fee = state.isActive(to) ? 0n : PRICES.activation;
      state.addBalance(owner, -amount - fee);
      state.activate(to);
      state.addBalance(to, amount);
      return paid(fee);
    }
    case 'AccountCreateContract':
      state.addBalance(owner, -PRICES.activation);
      state.activate(addressIn(value, 'account_address'));
      return paid(PRICES.activation);
    case 'AccountPermissionUpdateContract':
      state.addBalance(owner, -UPDATE_FEE);
      state.update(owner, { permissions: permissionsIn(value) });
      return paid(UPDATE_FEE);
    case 'FreezeBalanceV2Contract':
      state.addBalance(owner, -sun(value.frozen_balance));
      freeze(state, owner, resourceOf(value), sun(value.frozen_balance));
      return PLAIN;
    case 'UnfreezeBalanceV2Contract':
      unfreeze(state, owner, resourceOf(value), sun(value.unfreeze_balance));
      return PLAIN;
    case 'WithdrawExpireUnfreezeContract':
      withdraw(state, owner);
      return PLAIN;
    case 'DelegateResourceContract':
      delegate(state, lendingIn(transaction));
      return PLAIN;
    case 'UnDelegateResourceContract':
      undelegate(state, lendingIn(transaction));
      return PLAIN;
    case 'TriggerSmartContract':
    case 'CreateSmartContract':
      return runContract(engine, transaction, block);
  }
  return type satisfies never;
}

async function runContract(engine: Engine, transaction: Transaction, block: BlockContext): Promise<Done> {
  const { state, machine } = engine;
  const { id, type, value, owner, feeLimit } = transaction;
  const creates = type === 'CreateSmartContract';
  const described = (value.new_contract ?? {}) as Message;
  const contract = creates ? createdAddress(id, owner) : addressIn(value, 'contract_address');
  const callValue = sun(creates ? described.call_value : value.call_value);
  const limit = energyLimit(state.account(owner), {
    ...{ feeLimit, callValue, time: block.time, price: state.energyPrice },
  });
  const run = {
    from: owner,
    to: contract,
    data: Buffer.from(String((creates ? described.bytecode : value.data) ?? ''), 'hex'),
    value: callValue,
    energyLimit: limit,
  };
  const ran = await (creates ? machine.create(run, block) : machine.call(run, block));
  if (creates && ran.outcome === 'SUCCESS') {
    state.activate(contract);
    state.update(contract, { contract: { ...described, contract_address: contract } });
  }
  const bill = takeEnergy(state, owner, ran.energy);
  return {
    outcome: ran.outcome,
    fee: bill.energy_fee ?? 0,
    receipt: {
      ...bill,
      energy_usage_total: ran.energy,
      ...(ran.penalty > 0 ? { energy_penalty_total: ran.penalty } : {}),
      result: ran.outcome,
    },
    more: { contract_address: contract, ...resultOf(ran, limit) },
  };
}

function resultOf({ outcome, returned, logs, energy }: Ran, limit: bigint): Message {
  const contractResult = [returned.toString('hex')];
  if (outcome === 'SUCCESS') return { contractResult, ...(logs.length > 0 ? { log: logs } : {}) };
  return { contractResult, result: 'FAILED', resMessage: hexOfText(failureMessage(outcome, energy, limit)) };
}

/** In java-tron's wording. */
export function failureMessage(outcome: Outcome, energy: number, limit: bigint): string {
  if (outcome === 'REVERT') return 'REVERT opcode executed';
  if (outcome !== 'OUT_OF_ENERGY') return 'Unknown Exception';
  return `Not enough energy for 'SSTORE' operation executing: curInvokeEnergyLimit[${limit}], usedEnergy[${energy}]`;
}

const hexOfText = (text: string): string => Buffer.from(text, 'utf8').toString('hex');
