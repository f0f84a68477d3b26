// Transactions that the node builds for a wallet to sign. The wallet checks byte by byte that they match its request.

import { createdAddress } from '../address';
import type { ContractType } from '../messages';
import { MalformedMessage, type Message } from '../protobuf';
import { Rejected } from '../rejected';
import { unsignedJson } from '../transaction';
import { validateContract } from '../validate';
import type { Json } from '../views';
import { addressIn, messageOf, numberIn, textIn, type Ask, type Routes } from './request';
import { buildCall, built } from './draft';

export const BUILD_ROUTES: Routes = {
  createtransaction: (ask) =>
    checked(ask, 'TransferContract', {
      owner_address: addressIn(ask, 'owner_address'),
      to_address: addressIn(ask, 'to_address'),
      amount: numberIn(ask, 'amount'),
    }),
  createaccount: (ask) =>
    checked(ask, 'AccountCreateContract', {
      owner_address: addressIn(ask, 'owner_address'),
      account_address: addressIn(ask, 'account_address'),
    }),
  freezebalancev2: (ask) =>
    checked(ask, 'FreezeBalanceV2Contract', {
      owner_address: addressIn(ask, 'owner_address'),
      frozen_balance: numberIn(ask, 'frozen_balance'),
      ...resource(ask),
    }),
  delegateresource: (ask) =>
    checked(ask, 'DelegateResourceContract', {
      ...lending(ask),
      lock: ask.parameters.lock === true,
      lock_period: numberIn(ask, 'lock_period'),
    }),
  undelegateresource: (ask) => checked(ask, 'UnDelegateResourceContract', lending(ask)),
  deploycontract: (ask) => {
    const owner = addressIn(ask, 'owner_address');
    const abi: unknown = typeof ask.parameters.abi === 'string' ? parsed(ask.parameters.abi) : ask.parameters.abi;
    const described = {
      origin_address: owner,
      abi: { entrys: Array.isArray(abi) ? abi : [] },
      bytecode: textIn(ask, 'bytecode') + textIn(ask, 'parameter'),
      call_value: numberIn(ask, 'call_value'),
      consume_user_resource_percent: numberIn(ask, 'consume_user_resource_percent'),
      name: textIn(ask, 'name'),
      origin_energy_limit: numberIn(ask, 'origin_energy_limit'),
    };
    const transaction = built(ask, 'CreateSmartContract', { owner_address: owner, new_contract: described });
    validateContract(ask.chain.state, transaction);
    const address = createdAddress(transaction.id, owner);
    return { ...unsignedJson(transaction, ask.visible), contract_address: address };
  },
  triggersmartcontract: (ask) => {
    try {
      const transaction = buildCall(ask);
      validateContract(ask.chain.state, transaction);
      return { result: { result: true }, transaction: unsignedJson(transaction, ask.visible) };
    } catch (error) {
      if (!(error instanceof Rejected)) throw error;
      return { result: { code: error.code, message: messageOf(ask, error.message) } };
    }
  },
};

function checked(ask: Ask, type: ContractType, value: Message): Json {
  const transaction = built(ask, type, value);
  validateContract(ask.chain.state, transaction);
  return unsignedJson(transaction, ask.visible);
}

const resource = (ask: Ask): Json => {
  const name = textIn(ask, 'resource');
  return name === '' ? {} : { resource: name };
};

const lending = (ask: Ask): Json => ({
  owner_address: addressIn(ask, 'owner_address'),
  receiver_address: addressIn(ask, 'receiver_address'),
  balance: numberIn(ask, 'balance'),
  ...resource(ask),
});

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new MalformedMessage(`abi is not JSON: ${(error as Error).message}`);
  }
}
