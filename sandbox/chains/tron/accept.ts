// The node's checks of a submitted transaction: it is new, its owner signed it, it belongs to this chain, it is still valid, and
// its contract can be executed.

import { toBase58 } from './address';
import type { Block } from './block';
import { Rejected } from './rejected';
import type { TronState } from './state';
import { signerOf, type Transaction } from './transaction';
import { validateContract } from './validate';

const LONGEST_VALIDITY_MS = 86_400_000;

type Surroundings = {
  readonly state: TronState;
  known(id: string): unknown;
  head(): Block;
  referredBlock(bytes: string): Block | undefined;
};

/** Throws Rejected with the code that java-tron returns. */
export function acceptTransaction(chain: Surroundings, transaction: Transaction): void {
  if (chain.known(transaction.id)) throw new Rejected('DUP_TRANSACTION_ERROR', 'Dup transaction.');
  checkSignature(transaction);
  const referred = chain.referredBlock(transaction.refBlockBytes);
  if (referred?.id.slice(16, 32) !== transaction.refBlockHash) throw new Rejected('TAPOS_ERROR', 'Tapos check error.');
  checkExpiration(transaction.expiration, chain.head().time);
  validateContract(chain.state, transaction);
}

/** Accounts here have one owner with one key. Multi-signature permissions are not modelled. */
function checkSignature({ id, owner, signatures }: Transaction): void {
  const [signature] = signatures;
  if (signature === undefined) throw badSignature('miss sig or contract');
  const signer = recoverSigner(id, signature);
  if (signatures.length > 1) throw badSignature(`Signature count is 1 more than key counts of permission : 1`);
  if (signer !== owner) {
    throw badSignature(`${signature} is signed by ${toBase58(signer)} but it is not contained of permission.`);
  }
}

function recoverSigner(id: string, signature: string): string {
  try {
    return signerOf(id, signature);
  } catch (error) {
    throw badSignature((error as Error).message);
  }
}

const badSignature = (why: string): Rejected => new Rejected('SIGERROR', `Validate signature error: ${why}`);

function checkExpiration(expiration: number, headTime: number): void {
  if (expiration > headTime && expiration <= headTime + LONGEST_VALIDITY_MS) return;
  throw new Rejected(
    'TRANSACTION_EXPIRATION_ERROR',
    `Transaction expiration, transaction expiration time is ${expiration}, but headBlockTime is ${headTime}`,
  );
}
