// The permissions of an account of the local TRON chain: which keys sign for it, with which weights, and for which contracts. Checks and
// texts are those of java-tron (TransactionCapsule.java, AccountPermissionUpdateActuator.java).

import { CONTRACTS, type ContractType } from './messages';
import { readAddress, toBase58 } from './address';
import type { Message } from './protobuf';
import { invalid, Rejected } from './rejected';
import type { TronState } from './state';
import { signerOf, type Transaction } from './transaction';

export type Permission = {
  readonly id: number;
  readonly name: string;
  readonly threshold: number;
  /** 32 bytes as hex, a bit for each contract's number; null for the owner permission, which allows every contract. */
  readonly operations: string | null;
  readonly keys: readonly { readonly address: string; readonly weight: number }[];
};
export type Permissions = { readonly owner: Permission; readonly actives: readonly Permission[] };

/** Sun for a change of the permissions. */
export const UPDATE_FEE = 100_000_000n;
/** Sun for a transaction with more than one signature. */
export const MULTI_SIGN_FEE = 1_000_000n;
const MAX_SIGNATURES = 5;
const MAX_ACTIVES = 8;
const FIRST_ACTIVE = 2;
const MAX_NAME = 32;
const DEFAULT_OPERATIONS = '7fff1fc0033ec30f000000000000000000000000000000000000000000000000';
/** The contracts that an active permission may allow at all: the default ones and the change of permissions. */
const AVAILABLE_OPERATIONS = '7fff1fc0037ec30f000000000000000000000000000000000000000000000000';

/** A signature is invalid for its transaction; the text is java-tron's. */
export class PermissionError extends Error {}

/** Until an account sets its own, its key alone may do everything. */
export function permissionsOf(state: TronState, address: string): Permissions {
  const keys = [{ address, weight: 1 }];
  return (
    state.account(address).permissions ?? {
      owner: { id: 0, name: 'owner', threshold: 1, operations: null, keys },
      actives: [{ id: FIRST_ACTIVE, name: 'active', threshold: 1, operations: DEFAULT_OPERATIONS, keys }],
    }
  );
}

/** The permission that a transaction names. Throws PermissionError if it does not exist or does not allow the contract. */
export function permissionFor(state: TronState, { owner, permission: id, type }: Transaction): Permission {
  const { owner: all, actives } = permissionsOf(state, owner);
  const found = id === 0 ? all : actives.find((one) => one.id === id);
  if (!found) throw new PermissionError("permission isn't exit");
  if (found.operations !== null && !allows(found.operations, CONTRACTS[type].number))
    throw new PermissionError('Permission denied');
  return found;
}

const allows = (operations: string, contract: number): boolean =>
  ((Buffer.from(operations, 'hex')[contract >> 3] ?? 0) & (1 << (contract & 7))) !== 0;

/** The keys that signed and the sum of their weights. Throws PermissionError for a signature that does not count. */
export function weigh(
  { keys }: Permission,
  { id, signatures }: Pick<Transaction, 'id' | 'signatures'>,
): { readonly signers: readonly string[]; readonly weight: number } {
  if (signatures.length > keys.length)
    throw new PermissionError(
      `Signature count is ${signatures.length} more than key counts of permission : ${keys.length}`,
    );
  const signers: string[] = [];
  let sum = 0;
  for (const signature of signatures) {
    const signer = recovered(id, signature);
    const weight = keys.find(({ address }) => address === signer)?.weight ?? 0;
    if (weight === 0)
      throw new PermissionError(`${signature} is signed by ${toBase58(signer)} but it is not contained of permission.`);
    if (signers.includes(signer)) throw new PermissionError(`${toBase58(signer)} has signed twice!`);
    signers.push(signer);
    sum += weight;
  }
  return { signers, weight: sum };
}

function recovered(id: string, signature: string): string {
  try {
    return signerOf(id, signature);
  } catch (error) {
    throw new PermissionError((error as Error).message);
  }
}

/** Throws Rejected (SIGERROR) unless the signatures reach the threshold of the permission that the transaction names. */
export function checkSignatures(state: TronState, transaction: Transaction): void {
  const { signatures } = transaction;
  if (signatures.length === 0) throw badSignature('miss sig or contract');
  if (signatures.length > MAX_SIGNATURES) throw badSignature('too many signatures');
  try {
    const permission = permissionFor(state, transaction);
    if (weigh(permission, transaction).weight < permission.threshold) throw badSignature('sig error');
  } catch (error) {
    throw error instanceof PermissionError ? badSignature(error.message) : error;
  }
}

const badSignature = (why: string): Rejected => new Rejected('SIGERROR', `Validate signature error: ${why}`);

/** The permissions that an AccountPermissionUpdateContract sets. Throws Rejected for such as java-tron does not take. */
export function permissionsIn({ owner, witness, actives }: Message): Permissions {
  if (!owner) throw invalid('owner permission is missed');
  if (witness) throw invalid("account isn't witness can't set witness permission");
  const active = (actives ?? []) as readonly Message[];
  if (active.length === 0) throw invalid('active permission is missed');
  if (active.length > MAX_ACTIVES) throw invalid('active permission is too many');
  return {
    owner: permissionIn(owner as Message, 'Owner', 0),
    actives: active.map((one, index) => permissionIn(one, 'Active', FIRST_ACTIVE + index)),
  };
}

function permissionIn(given: Message, type: 'Owner' | 'Active', id: number): Permission {
  if ((given.type ?? 'Owner') !== type) throw invalid(`${type.toLowerCase()} permission type is error`);
  const keys = ((given.keys ?? []) as readonly Message[]).map((key) => ({
    address: readAddress(key.address) ?? '',
    weight: Number(key.weight ?? 0),
  }));
  const [threshold, name] = [Number(given.threshold ?? 0), String(given.permission_name ?? '')];
  if (keys.length > MAX_SIGNATURES)
    throw invalid(`number of keys in permission should not be greater than ${MAX_SIGNATURES}`);
  if (keys.length === 0) throw invalid("key's count should be greater than 0");
  if (threshold <= 0) throw invalid("permission's threshold should be greater than 0");
  if (name.length > MAX_NAME) throw invalid("permission's name is too long");
  if (given.parent_id) throw invalid("permission's parent should be owner");
  if (new Set(keys.map(({ address }) => address)).size !== keys.length)
    throw invalid(`address should be distinct in permission ${type}`);
  if (keys.some(({ address }) => address === '')) throw invalid('key is not a validate address');
  if (keys.some(({ weight }) => weight <= 0)) throw invalid("key's weight should be greater than 0");
  if (keys.reduce((sum, { weight }) => sum + weight, 0) < threshold)
    throw invalid(`sum of all key's weight should not be less than threshold in permission ${type}`);
  return { id, name, threshold, operations: operationsIn(given, type), keys };
}

function operationsIn({ operations }: Message, type: 'Owner' | 'Active'): string | null {
  if (type === 'Owner') {
    if (operations) throw invalid("Owner permission needn't operations");
    return null;
  }
  if (typeof operations !== 'string' || operations.length !== AVAILABLE_OPERATIONS.length)
    throw invalid('operations size must 32');
  for (let contract = 0; contract < 256; contract++)
    if (allows(operations, contract) && !allows(AVAILABLE_OPERATIONS, contract))
      throw invalid(`${contract} isn't a validate ContractType`);
  return operations;
}

/** As nodes write an account's permissions. `written`: how they write an address. */
export function permissionJson(
  { id, name, threshold, operations, keys }: Permission,
  written: (address: string) => string,
): Record<string, unknown> {
  return {
    ...(operations === null ? {} : { type: 'Active', id }),
    ...(name === '' ? {} : { permission_name: name }),
    threshold,
    ...(operations === null ? {} : { operations }),
    keys: keys.map(({ address, weight }) => ({ address: written(address), weight })),
  };
}

/** Active permissions that allow these contracts, for tests. */
export function operationsOf(types: readonly ContractType[]): string {
  const bits = Buffer.alloc(32);
  for (const type of types) {
    const { number } = CONTRACTS[type];
    bits[number >> 3] = (bits[number >> 3] ?? 0) | (1 << (number & 7));
  }
  return bits.toString('hex');
}
