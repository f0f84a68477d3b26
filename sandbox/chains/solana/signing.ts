// A signed transaction from instructions, as wallets make them.

import {
  appendTransactionMessageInstructions,
  assertIsTransactionWithinSizeLimit,
  blockhash,
  createTransactionMessage,
  getBase64EncodedWireTransaction,
  pipe,
  setTransactionMessageComputeUnitLimit,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  setTransactionMessageLoadedAccountsDataSizeLimit,
  signTransactionMessageWithSigners,
  type Instruction,
  type KeyPairSigner,
} from '@solana/kit';
import { BLOCKHASH_LIFETIME, type Block } from './blocks';
import { readTransaction, type WireTransaction } from './wire';

export type Unsigned = {
  readonly payer: KeyPairSigner;
  /** Signers other than the payer come with the instructions. */
  readonly instructions: readonly Instruction[];
  readonly version: 0 | 1;
  /** The source of the transaction's blockhash. */
  readonly block: Block;
  readonly computeUnits: number;
};

/** Version 1 loads no account data unless it sets a limit; all others may load the maximum (64 MB). */
const MAX_LOADED = 64 * 1024 * 1024;

/** Signs with all signers. Throws when the transaction is too long for one packet. */
export async function signTransaction({ payer, instructions, version, block, computeUnits }: Unsigned) {
  const lifetime = {
    blockhash: blockhash(block.blockhash),
    lastValidBlockHeight: BigInt(block.height + BLOCKHASH_LIFETIME),
  };
  const signed = await pipe(
    createTransactionMessage({ version }),
    (message) => setTransactionMessageFeePayerSigner(payer, message),
    (message) => setTransactionMessageLifetimeUsingBlockhash(lifetime, message),
    (message) => setTransactionMessageComputeUnitLimit(computeUnits, message),
    (message) => (version === 1 ? setTransactionMessageLoadedAccountsDataSizeLimit(MAX_LOADED, message) : message),
    (message) => appendTransactionMessageInstructions(instructions, message),
    (message) => signTransactionMessageWithSigners(message),
  );
  assertIsTransactionWithinSizeLimit(signed);
  return readTransaction(getBase64EncodedWireTransaction(signed), 'base64') satisfies WireTransaction;
}
