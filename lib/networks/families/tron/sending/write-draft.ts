// Writes TRON drafts with tronweb's protobuf, offline: tronweb's HTTP client is never used. The worker loads tronweb with its first draft;
// web and signer never do. The signer checks the bytes with a reader that shares nothing with this (read-draft.ts).

import type { TronDraft } from '@/lib/networks/sending/send';
import type { PermittedTransfer, TronTransfer } from './read-draft';

/** Long enough for many broadcasts, short enough to prove a lapse within minutes. */
export const VALID_MS = 300_000;
/** The most that distinctFields may add to it, in bits of milliseconds. */
export const LATER_BITS = 16;
/**
 * The same for a lasting draft, for a walk to the machine that signs it. The proof of its lapse reads every block of its life, a block
 * every three seconds, and reading/block-range.ts reads at most 2000.
 */
export const LASTING_MS = 90 * 60_000;
/** Longest time from the newest block at drafting to the expiration. */
export const LONGEST_LIFE_SECONDS = Math.ceil((VALID_MS + 2 ** LATER_BITS) / 1000);
/** The most that tronweb writes exactly: it takes numbers. */
const MAX = BigInt(Number.MAX_SAFE_INTEGER);

/** The draft of a transfer. Throws an Error for text that is no address. */
export async function writeTronDraft(
  transfer: TronTransfer & Partial<PermittedTransfer>,
  intentId: string,
): Promise<TronDraft> {
  const { owner, contract, to, amount, feeLimit } = transfer;
  const { address, transaction } = (await import('tronweb')).utils;
  if (feeLimit > MAX) throw new Error('a fee limit of this size is not written');
  const value = {
    owner_address: address.toHex(owner),
    contract_address: address.toHex(contract),
    function_selector: 'transfer(address,uint256)',
    parameter: await transferParameter(to, amount),
  };
  // No memo: the signer refuses it, as it refuses a permission. Only an account of cold storage with several keys names one.
  const permission = transfer.permissionId ? { Permission_id: transfer.permissionId } : {};
  const message: { getRawData(): { serializeBinary(): Uint8Array } } = transaction.txJsonToPb({
    visible: false,
    raw_data: {
      contract: [{ type: 'TriggerSmartContract', parameter: { value }, ...permission }],
      ref_block_bytes: transfer.refBlockBytes,
      ref_block_hash: transfer.refBlockHash,
      expiration: transfer.expiration,
      timestamp: transfer.timestamp,
      fee_limit: Number(feeLimit),
    },
  });
  const unsigned = Buffer.from(message.getRawData().serializeBinary()).toString('hex');
  return { family: 'tron', intentId, from: owner, unsigned };
}

/** The parameter of transfer(address,uint256), hex. Throws an Error for text that is no address. */
export async function transferParameter(to: string, amount: bigint): Promise<string> {
  const { utils } = await import('tronweb');
  if (!utils.address.isAddress(to)) throw new Error('not a TRON address');
  return utils.abi.encodeParams(['address', 'uint256'], [to, amount]).slice(2);
}
