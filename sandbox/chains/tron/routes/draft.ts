// A new transaction from a caller's request: on the solid head, valid for a minute.

import { id as hashOfText } from 'ethers';
import type { ContractType } from '../messages';
import type { Message } from '../protobuf';
import { buildTransaction, type Transaction } from '../transaction';
import { addressIn, numberIn, textIn, type NodeRequest } from './request';

/** java-tron's default validity. */
const VALIDITY_MS = 60_000;

export function built(request: NodeRequest, type: ContractType, value: Message): Transaction {
  const { chain } = request;
  return buildTransaction(type, value, {
    ...chain.reference(),
    expiration: chain.head().time + VALIDITY_MS,
    timestamp: chain.now(),
    fee_limit: numberIn(request, 'fee_limit'),
    permission: numberIn(request, 'Permission_id'),
    data: textIn(request, 'extra_data'),
  });
}

/** The transaction of a contract call. */
export function buildCall(request: NodeRequest): Transaction {
  return built(request, 'TriggerSmartContract', {
    owner_address: addressIn(request, 'owner_address'),
    contract_address: addressIn(request, 'contract_address'),
    call_value: numberIn(request, 'call_value'),
    data: callData(request),
    call_token_value: numberIn(request, 'call_token_value'),
    token_id: numberIn(request, 'token_id'),
  });
}

/** The bytes of a call as hex: given whole, or as a function's name and its parameters. */
export function callData(request: NodeRequest): string {
  const data = textIn(request, 'data').replace(/^0x/, '');
  const selector = textIn(request, 'function_selector');
  if (data !== '' || selector === '') return data;
  return hashOfText(selector).slice(2, 10) + textIn(request, 'parameter');
}
