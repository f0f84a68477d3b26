// The node's checks of a submitted transaction: it is new, enough of its owner's keys signed it, it belongs to this chain, it is still valid, and
// its contract can be executed.

import type { Block } from './block';
import { checkSignatures } from './permissions';
import { Rejected } from './rejected';
import type { TronState } from './state';
import type { Transaction } from './transaction';
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
  checkSignatures(chain.state, transaction);
  const referred = chain.referredBlock(transaction.refBlockBytes);
  if (referred?.id.slice(16, 32) !== transaction.refBlockHash) throw new Rejected('TAPOS_ERROR', 'Tapos check error.');
  checkExpiration(transaction.expiration, chain.head().time);
  validateContract(chain.state, transaction);
}

function checkExpiration(expiration: number, headTime: number): void {
  if (expiration > headTime && expiration <= headTime + LONGEST_VALIDITY_MS) return;
  throw new Rejected(
    'TRANSACTION_EXPIRATION_ERROR',
    `Transaction expiration, transaction expiration time is ${expiration}, but headBlockTime is ${headTime}`,
  );
}
