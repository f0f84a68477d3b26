// Methods that read transactions: by signature, by the accounts that they name, and their commitment.

import type { Blocks } from '../blocks';
import { memoOf, type Landed } from '../landed';
import type { Ledger } from '../ledger';
import { addressOf, base58Of, contextOf, listOf, optionsOf, refuseProcessed, type Options } from '../params';
import { invalidParams } from '../rpc-error';
import { statusJson, transactionJson, type TransactionForm } from '../transaction-json';
import { withContext, type Methods } from './method';

const MAX_SIGNATURES = 1000;
const MAX_STATUSES = 256;
/** Nodes keep the statuses of this many blocks. For older ones the caller must request the history. */
const STATUS_BLOCKS = 300;

export const transactionMethods: Methods = {
  getTransaction: ({ ledger }, [signature, rest]) => {
    const given = optionsOf(rest);
    refuseProcessed(given);
    const landed = ledger.find(base58Of(signature, 64));
    if (!landed || landed.slot > ledger.blocks.at(given.commitment).slot) return null;
    const body = transactionJson(landed, transactionFormOf(given));
    return { slot: landed.slot, blockTime: landed.time, ...body };
  },

  getSignaturesForAddress: ({ ledger }, [address, rest]) => {
    const given = optionsOf(rest);
    refuseProcessed(given);
    const { slot } = contextOf(ledger.blocks, given);
    const limit = given.limit ?? MAX_SIGNATURES;
    if (limit < 1 || limit > MAX_SIGNATURES) throw invalidParams(`Invalid limit; max ${MAX_SIGNATURES}`);
    return newestFirst(ledger, addressOf(address), given)
      .filter((landed) => landed.slot <= slot)
      .slice(0, limit)
      .map((landed) => ({
        signature: landed.signature,
        slot: landed.slot,
        err: landed.execution.error,
        memo: memoOf(landed),
        blockTime: landed.time,
        confirmationStatus: ledger.blocks.commitmentOf(landed.slot),
      }));
  },

  getSignatureStatuses: ({ ledger }, [signatures, rest]) => {
    const { searchTransactionHistory } = optionsOf(rest);
    const list = listOf(signatures, MAX_STATUSES).map((one) => base58Of(one, 64));
    const oldest = searchTransactionHistory ? 0 : ledger.blocks.newest.slot - STATUS_BLOCKS;
    return withContext(
      ledger.blocks.newest,
      list.map((signature) => {
        const landed = ledger.find(signature);
        return landed && landed.slot >= oldest ? statusOf(ledger.blocks, landed) : null;
      }),
    );
  },

  getTransactionCount: ({ ledger }) => ledger.transactionCount,
};

/** The requested encoding of transactions. */
export function transactionFormOf({ encoding, maxSupportedTransactionVersion }: Options): TransactionForm {
  if (encoding === 'base64+zstd') throw invalidParams('Invalid params: unknown variant `base64+zstd`');
  return { encoding: encoding ?? 'json', maxVersion: maxSupportedTransactionVersion ?? undefined };
}

/** As on real nodes, an unknown `before` ends the list at once, and an unknown `until` does not end it. */
function newestFirst(ledger: Ledger, address: Parameters<Ledger['signaturesOf']>[0], given: Options): Landed[] {
  const newest = ledger.signaturesOf(address).toReversed();
  const from = given.before ? newest.indexOf(given.before) + 1 : 0;
  if (given.before && from === 0) return [];
  const until = given.until ? newest.indexOf(given.until) : -1;
  return newest.slice(from, until < 0 ? undefined : until).flatMap((signature) => ledger.find(signature) ?? []);
}

function statusOf(blocks: Blocks, { slot, execution }: Landed) {
  const confirmationStatus = blocks.commitmentOf(slot);
  const height = blocks.bySlot(slot)?.height ?? 0;
  return {
    slot,
    confirmations: confirmationStatus === 'finalized' ? null : blocks.newest.height - height,
    err: execution.error,
    status: statusJson(execution.error),
    confirmationStatus,
  };
}
