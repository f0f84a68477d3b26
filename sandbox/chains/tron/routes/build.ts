// Transactions that the node builds for a wallet to sign. The wallet checks byte by byte that they match its request.

import { createdAddress } from '../address';
import type { ContractType } from '../messages';
import { MalformedMessage, type Message } from '../protobuf';
import { Rejected } from '../rejected';
import { unsignedJson } from '../transaction';
import { validateContract } from '../validate';
import type { Json } from '../views';
import { addressIn, messageOf, numberIn, textIn, type NodeRequest, type Routes } from './request';
import { buildCall, built } from './draft';

export const BUILD_ROUTES: Routes = {
  createtransaction: (request) =>
    checked(request, 'TransferContract', {
      owner_address: addressIn(request, 'owner_address'),
      to_address: addressIn(request, 'to_address'),
      amount: numberIn(request, 'amount'),
    }),
  createaccount: (request) =>
    checked(request, 'AccountCreateContract', {
      owner_address: addressIn(request, 'owner_address'),
      account_address: addressIn(request, 'account_address'),
    }),
  freezebalancev2: (request) =>
    checked(request, 'FreezeBalanceV2Contract', {
      owner_address: addressIn(request, 'owner_address'),
      frozen_balance: numberIn(request, 'frozen_balance'),
      ...resource(request),
    }),
  unfreezebalancev2: (request) =>
    checked(request, 'UnfreezeBalanceV2Contract', {
      owner_address: addressIn(request, 'owner_address'),
      unfreeze_balance: numberIn(request, 'unfreeze_balance'),
      ...resource(request),
    }),
  withdrawexpireunfreeze: (request) =>
    checked(request, 'WithdrawExpireUnfreezeContract', { owner_address: addressIn(request, 'owner_address') }),
  delegateresource: (request) =>
    checked(request, 'DelegateResourceContract', {
      ...lending(request),
      lock: request.parameters.lock === true,
      lock_period: numberIn(request, 'lock_period'),
    }),
  undelegateresource: (request) => checked(request, 'UnDelegateResourceContract', lending(request)),
  deploycontract: (request) => {
    const owner = addressIn(request, 'owner_address');
    const abi: unknown =
      typeof request.parameters.abi === 'string' ? parsed(request.parameters.abi) : request.parameters.abi;
    const described = {
      origin_address: owner,
      abi: { entrys: Array.isArray(abi) ? abi : [] },
      bytecode: textIn(request, 'bytecode') + textIn(request, 'parameter'),
      call_value: numberIn(request, 'call_value'),
      consume_user_resource_percent: numberIn(request, 'consume_user_resource_percent'),
      name: textIn(request, 'name'),
      origin_energy_limit: numberIn(request, 'origin_energy_limit'),
    };
    const transaction = built(request, 'CreateSmartContract', { owner_address: owner, new_contract: described });
    validateContract(request.chain.state, transaction);
    const address = createdAddress(transaction.id, owner);
    return { ...unsignedJson(transaction, request.visible), contract_address: address };
  },
  triggersmartcontract: (request) => {
    try {
      const transaction = buildCall(request);
      validateContract(request.chain.state, transaction);
      return { result: { result: true }, transaction: unsignedJson(transaction, request.visible) };
    } catch (error) {
      if (!(error instanceof Rejected)) throw error;
      return { result: { code: error.code, message: messageOf(request, error.message) } };
    }
  },
};

function checked(request: NodeRequest, type: ContractType, value: Message): Json {
  const transaction = built(request, type, value);
  validateContract(request.chain.state, transaction);
  return unsignedJson(transaction, request.visible);
}

const resource = (request: NodeRequest): Json => {
  const name = textIn(request, 'resource');
  return name === '' ? {} : { resource: name };
};

const lending = (request: NodeRequest): Json => ({
  owner_address: addressIn(request, 'owner_address'),
  receiver_address: addressIn(request, 'receiver_address'),
  balance: numberIn(request, 'balance'),
  ...resource(request),
});

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new MalformedMessage(`abi is not JSON: ${(error as Error).message}`);
  }
}
