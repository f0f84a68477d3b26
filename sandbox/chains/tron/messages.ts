// The schemas of TRON's messages, with the numbers of java-tron's protocol (core/Tron.proto and core/contract): the transaction, the
// contracts that the local chain can execute, and the block header.

import type { Field, Kind, Schema } from './protobuf';

const field = (number: number, name: string, kind: Kind, repeated = false): Field => ({ number, name, kind, repeated });

const RESOURCE = { enum: { BANDWIDTH: 0, ENERGY: 1, TRON_POWER: 2 } } as const;

const ABI_PARAMETER: Schema = [field(1, 'indexed', 'bool'), field(2, 'name', 'string'), field(3, 'type', 'string')];
const ABI_ENTRY: Schema = [
  field(1, 'anonymous', 'bool'),
  field(2, 'constant', 'bool'),
  field(3, 'name', 'string'),
  field(4, 'inputs', { message: ABI_PARAMETER }, true),
  field(5, 'outputs', { message: ABI_PARAMETER }, true),
  field(6, 'type', {
    enum: { UnknownEntryType: 0, Constructor: 1, Function: 2, Event: 3, Fallback: 4, Receive: 5, Error: 6 },
  }),
  field(7, 'payable', 'bool'),
  field(8, 'stateMutability', { enum: { UnknownMutabilityType: 0, Pure: 1, View: 2, Nonpayable: 3, Payable: 4 } }),
];
export const SMART_CONTRACT: Schema = [
  field(1, 'origin_address', 'address'),
  field(2, 'contract_address', 'address'),
  field(3, 'abi', { message: [field(1, 'entrys', { message: ABI_ENTRY }, true)] }),
  field(4, 'bytecode', 'bytes'),
  field(5, 'call_value', 'int'),
  field(6, 'consume_user_resource_percent', 'int'),
  field(7, 'name', 'string'),
  field(8, 'origin_energy_limit', 'int'),
];

const PERMISSION: Schema = [
  field(1, 'type', { enum: { Owner: 0, Witness: 1, Active: 2 } }),
  field(2, 'id', 'int'),
  field(3, 'permission_name', 'string'),
  field(4, 'threshold', 'int'),
  field(5, 'parent_id', 'int'),
  field(6, 'operations', 'bytes'),
  field(7, 'keys', { message: [field(1, 'address', 'address'), field(2, 'weight', 'int')] }, true),
];

/** The contracts by their names, with their numbers and the schemas of their parameters. */
export const CONTRACTS = {
  AccountCreateContract: {
    number: 0,
    schema: [
      field(1, 'owner_address', 'address'),
      field(2, 'account_address', 'address'),
      field(3, 'type', { enum: { Normal: 0, AssetIssue: 1, Contract: 2 } }),
    ],
  },
  TransferContract: {
    number: 1,
    schema: [field(1, 'owner_address', 'address'), field(2, 'to_address', 'address'), field(3, 'amount', 'int')],
  },
  CreateSmartContract: {
    number: 30,
    schema: [
      field(1, 'owner_address', 'address'),
      field(2, 'new_contract', { message: SMART_CONTRACT }),
      field(3, 'call_token_value', 'int'),
      field(4, 'token_id', 'int'),
    ],
  },
  TriggerSmartContract: {
    number: 31,
    schema: [
      field(1, 'owner_address', 'address'),
      field(2, 'contract_address', 'address'),
      field(3, 'call_value', 'int'),
      field(4, 'data', 'bytes'),
      field(5, 'call_token_value', 'int'),
      field(6, 'token_id', 'int'),
    ],
  },
  FreezeBalanceV2Contract: {
    number: 54,
    schema: [field(1, 'owner_address', 'address'), field(2, 'frozen_balance', 'int'), field(3, 'resource', RESOURCE)],
  },
  UnfreezeBalanceV2Contract: {
    number: 55,
    schema: [field(1, 'owner_address', 'address'), field(2, 'unfreeze_balance', 'int'), field(3, 'resource', RESOURCE)],
  },
  WithdrawExpireUnfreezeContract: { number: 56, schema: [field(1, 'owner_address', 'address')] },
  AccountPermissionUpdateContract: {
    number: 46,
    schema: [
      field(1, 'owner_address', 'address'),
      field(2, 'owner', { message: PERMISSION }),
      field(3, 'witness', { message: PERMISSION }),
      field(4, 'actives', { message: PERMISSION }, true),
    ],
  },
  DelegateResourceContract: {
    number: 57,
    schema: [
      field(1, 'owner_address', 'address'),
      field(2, 'resource', RESOURCE),
      field(3, 'balance', 'int'),
      field(4, 'receiver_address', 'address'),
      field(5, 'lock', 'bool'),
      field(6, 'lock_period', 'int'),
    ],
  },
  UnDelegateResourceContract: {
    number: 58,
    schema: [
      field(1, 'owner_address', 'address'),
      field(2, 'resource', RESOURCE),
      field(3, 'balance', 'int'),
      field(4, 'receiver_address', 'address'),
    ],
  },
} as const satisfies Record<string, { number: number; schema: Schema }>;
export type ContractType = keyof typeof CONTRACTS;
export const isContractType = (text: unknown): text is ContractType => typeof text === 'string' && text in CONTRACTS;

const CONTRACT_NUMBERS = Object.fromEntries(Object.entries(CONTRACTS).map(([name, { number }]) => [name, number]));
/** `parameter.value` is a message of its own; here it is bytes (transaction.ts assembles them). */
const CONTRACT: Schema = [
  field(1, 'type', { enum: CONTRACT_NUMBERS }),
  field(2, 'parameter', { message: [field(1, 'type_url', 'string'), field(2, 'value', 'bytes')] }),
  field(5, 'Permission_id', 'int'),
];

export const RAW_DATA: Schema = [
  field(1, 'ref_block_bytes', 'bytes'),
  field(3, 'ref_block_num', 'int'),
  field(4, 'ref_block_hash', 'bytes'),
  field(8, 'expiration', 'int'),
  field(10, 'data', 'bytes'),
  field(11, 'contract', { message: CONTRACT }, true),
  field(12, 'scripts', 'bytes'),
  field(14, 'timestamp', 'int'),
  field(18, 'fee_limit', 'int'),
];

/** The results of an execution, as receipts name them. Only those that can occur here. */
const OUTCOMES = { DEFAULT: 0, SUCCESS: 1, REVERT: 2, OUT_OF_ENERGY: 10, UNKNOWN: 13 } as const;
export type Outcome = Exclude<keyof typeof OUTCOMES, 'DEFAULT'>;

export const TRANSACTION: Schema = [
  field(1, 'raw_data', 'bytes'),
  field(2, 'signature', 'bytes', true),
  field(5, 'ret', { message: [field(3, 'contractRet', { enum: OUTCOMES })] }, true),
];

export const BLOCK_HEADER: Schema = [
  field(1, 'timestamp', 'int'),
  field(2, 'txTrieRoot', 'bytes'),
  field(3, 'parentHash', 'bytes'),
  field(7, 'number', 'int'),
  field(9, 'witness_address', 'address'),
  field(10, 'version', 'int'),
];
