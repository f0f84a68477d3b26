// The strict reader of EVM drafts: a transaction that calls transfer(address,uint256) of a token, or one that pays a batch by the contract
// of payout-batch.sol, and nothing else. It shares no code with the writer (write-draft.ts), which is ethers, so that a mistake of either
// one stops a payment. Pure.

import { BadDraft, type DraftFacts, type EvmDraft, type SignedTransaction } from '@/lib/networks/sending/send';
import {
  PAYOUT_BATCH,
  readBatchData,
  type BatchCall,
  type BatchItem,
} from '@/lib/networks/families/evm/batching/payout-batch';
import { TRANSFER_SELECTOR, transferData } from '@/lib/networks/families/evm/transfer-data';
import { readEvmCall, signedCall, type EvmCall, type EvmTerms } from './evm-call';

/** Addresses in lower case. */
export type EvmTransfer = EvmTerms & { readonly contract: string; readonly to: string; readonly amount: bigint };
export type EvmBatch = EvmTerms & BatchCall;

const WORD = 64;
const ADDRESS = 40;

/** The transfer that the bytes contain. Throws BadDraft for any other transaction, and for an item of a batch. */
export function readEvmTransfer(draft: EvmDraft): EvmTransfer {
  if (draft.item !== undefined) throw new BadDraft('it is an item of a batch');
  const { to: contract, data, ...terms } = readEvmCall(draft.unsigned);
  const isTransfer = data.startsWith(TRANSFER_SELECTOR) && data.length === TRANSFER_SELECTOR.length + 2 * WORD;
  if (!isTransfer) throw new BadDraft('it is no token transfer');
  const words = data.slice(TRANSFER_SELECTOR.length);
  const [to, amount] = [`0x${words.slice(WORD - ADDRESS, WORD)}`, BigInt(`0x${words.slice(WORD)}`)];
  if (transferData(to.slice(2), amount) !== data) throw new BadDraft('it does more than one token transfer');
  return { ...terms, contract, to, amount };
}

/** The batch that the bytes contain. Throws BadDraft for any other transaction. */
export function readEvmBatch({ unsigned }: Pick<EvmDraft, 'unsigned'>): EvmBatch {
  const { to, data, ...terms } = readEvmCall(unsigned);
  const call = to === PAYOUT_BATCH ? readBatchData(data) : null;
  if (!call) throw new BadDraft('it is no batch of payouts');
  return { ...terms, ...call };
}

/** The item of a batch that a draft is, with its batch; null for a transfer. Throws BadDraft. */
export function readEvmItem(draft: EvmDraft): { readonly batch: EvmBatch; readonly item: BatchItem } | null {
  if (draft.item === undefined) return null;
  const batch = readEvmBatch(draft);
  const item = batch.items[draft.item];
  if (!item) throw new BadDraft('its batch has no such item');
  return { batch, item };
}

export function readEvmDraft(draft: EvmDraft): DraftFacts {
  const found = readEvmItem(draft);
  const { gasLimit, maxFeePerGas, nonce, chainId } = found?.batch ?? readEvmTransfer(draft);
  const whole = gasLimit * maxFeePerGas;
  const common = {
    from: draft.from.toLowerCase(),
    validity: { kind: 'nonce', nonce } as const,
    chainId,
    intentId: null,
  };
  if (!found) {
    const { contract, to, amount } = readEvmTransfer(draft);
    return { ...common, contract, to, amount, feeCap: whole };
  }
  const { batch, item } = found;
  const share = BigInt(batch.items.length);
  // Its share of the whole fee, rounded up.
  return { ...common, contract: batch.token, ...item, feeCap: (whole + share - 1n) / share };
}

/** The signed payload, and the transaction that a signature completes. */
export function signedEvm(draft: EvmDraft): { payload: Uint8Array; finish(signature: Uint8Array): SignedTransaction } {
  return signedCall(checkedCall(draft));
}

function checkedCall(draft: EvmDraft): EvmCall {
  if (!readEvmItem(draft)) readEvmTransfer(draft);
  return readEvmCall(draft.unsigned);
}
