// A new transaction from a caller's request: on the solid head, valid for a minute.

import { id as hashOfText } from 'ethers';
import type { ContractType } from '../messages';
import type { Message } from '../protobuf';
import { buildTransaction, type Transaction } from '../transaction';
import { addressIn, numberIn, textIn, type Ask } from './request';

/** java-tron's default validity. */
const VALIDITY_MS = 60_000;

export function built(ask: Ask, type: ContractType, value: Message): Transaction {
  const { chain } = ask;
  return buildTransaction(type, value, {
    ...chain.reference(),
    expiration: chain.head().time + VALIDITY_MS,
    timestamp: chain.now(),
    fee_limit: numberIn(ask, 'fee_limit'),
    permission: numberIn(ask, 'Permission_id'),
    data: textIn(ask, 'extra_data'),
  });
}

/** The transaction of a contract call. */
export function buildCall(ask: Ask): Transaction {
  return built(ask, 'TriggerSmartContract', {
    owner_address: addressIn(ask, 'owner_address'),
    contract_address: addressIn(ask, 'contract_address'),
    call_value: numberIn(ask, 'call_value'),
    data: callData(ask),
    call_token_value: numberIn(ask, 'call_token_value'),
    token_id: numberIn(ask, 'token_id'),
  });
}

/** The bytes of a call as hex: given whole, or as a function's name and its parameters. */
export function callData(ask: Ask): string {
  const data = textIn(ask, 'data').replace(/^0x/, '');
  const selector = textIn(ask, 'function_selector');
  if (data !== '' || selector === '') return data;
  return hashOfText(selector).slice(2, 10) + textIn(ask, 'parameter');
}
