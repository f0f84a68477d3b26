// Methods that read slots and blocks.

import { BLOCKHASH_LIFETIME, type Block } from '../blocks';
import type { Landed } from '../landed';
import type { Ledger } from '../ledger';
import { base58Of, contextOf, optionsOf, refuseProcessed, slotOf, type Options } from '../params';
import { blockCleanedUp, blockNotAvailable, invalidParams, slotSkipped } from '../rpc-error';
import { accountsOnlyJson, transactionJson } from '../transaction-json';
import { API_VERSION, withContext, type Methods } from './method';
import { transactionFormOf } from './transactions';

const WIDEST_RANGE = 500_000;
const SLOTS_IN_EPOCH = 432_000;
const MAX_FEES = 150;

export const blockMethods: Methods = {
  getSlot: ({ ledger }, [rest]) => contextOf(ledger.blocks, optionsOf(rest)).slot,
  getBlockHeight: ({ ledger }, [rest]) => contextOf(ledger.blocks, optionsOf(rest)).height,
  getGenesisHash: ({ ledger }) => ledger.blocks.genesisHash,
  getFirstAvailableBlock: ({ ledger: { blocks } }) =>
    [...blocks.slots(blocks.firstKeptSlot, blocks.newest.slot)][0] ?? 0,
  minimumLedgerSlot: ({ ledger }) => ledger.blocks.firstKeptSlot,
  getIdentity: ({ ledger }) => ({ identity: ledger.blocks.genesisHash }),
  getHealth: () => 'ok',
  getVersion: () => ({ 'solana-core': API_VERSION, 'feature-set': 0 }),

  getEpochInfo: ({ ledger }, [rest]) => {
    const { slot, height } = contextOf(ledger.blocks, optionsOf(rest));
    return {
      absoluteSlot: slot,
      blockHeight: height,
      epoch: Math.floor(slot / SLOTS_IN_EPOCH),
      slotIndex: slot % SLOTS_IN_EPOCH,
      slotsInEpoch: SLOTS_IN_EPOCH,
      transactionCount: ledger.transactionCount,
    };
  },

  getLatestBlockhash: ({ ledger }, [rest]) => {
    const block = contextOf(ledger.blocks, optionsOf(rest));
    const lastValidBlockHeight = block.height + BLOCKHASH_LIFETIME;
    return withContext(block, { blockhash: block.blockhash, lastValidBlockHeight });
  },

  isBlockhashValid: ({ ledger }, [blockhash, rest]) => {
    const given = optionsOf(rest);
    const block = contextOf(ledger.blocks, given);
    return withContext(block, ledger.blocks.takesBlockhash(base58Of(blockhash, 32), given.commitment));
  },

  getBlock: ({ ledger }, [slot, rest]) => {
    const given = optionsOf(rest);
    refuseProcessed(given);
    return blockJson(ledger, readableBlock(ledger, slotOf(slot), given.commitment), given);
  },

  getBlockTime: ({ ledger }, [slot]) => readableBlock(ledger, slotOf(slot), 'confirmed').time,

  getBlocks: ({ ledger }, [from, ...more]) => {
    const [to, rest] = typeof more[0] === 'number' ? more : [null, more.at(-1)];
    return slotsBetween(ledger, slotOf(from), to === null ? null : slotOf(to), rest);
  },

  getBlocksWithLimit: ({ ledger }, [from, limit, rest]) => {
    const most = slotOf(limit);
    if (most > WIDEST_RANGE) throw invalidParams(`Limit too large; max ${WIDEST_RANGE}`);
    return slotsBetween(ledger, slotOf(from), null, rest).slice(0, most);
  },

  getRecentPrioritizationFees: ({ ledger: { blocks } }) =>
    [...blocks.slots(blocks.newest.slot - MAX_FEES, blocks.newest.slot)].map((slot) => ({
      slot,
      prioritizationFee: 0,
    })),
};

function slotsBetween({ blocks }: Ledger, from: number, to: number | null, rest: unknown): number[] {
  const given = optionsOf(rest);
  refuseProcessed(given);
  const last = Math.min(to ?? Infinity, blocks.at(given.commitment).slot);
  if (last - from > WIDEST_RANGE) throw invalidParams(`Slot range too large; max ${WIDEST_RANGE}`);
  return [...blocks.slots(from, last)];
}

function readableBlock({ blocks }: Ledger, slot: number, commitment: 'confirmed' | 'finalized' | 'processed'): Block {
  if (slot > blocks.at(commitment).slot) throw blockNotAvailable(slot);
  const block = blocks.bySlot(slot);
  if (block) return block;
  if (slot < blocks.firstKeptSlot) throw blockCleanedUp(slot, blocks.firstKeptSlot);
  throw slotSkipped(slot);
}

function blockJson(ledger: Ledger, block: Block, given: Options) {
  return {
    blockhash: block.blockhash,
    previousBlockhash: block.previousBlockhash,
    parentSlot: block.parentSlot,
    blockHeight: block.height,
    blockTime: block.time,
    ...detailsOf(ledger, block, given),
    ...(given.rewards === false ? {} : { rewards: [] }),
  };
}

function detailsOf(ledger: Ledger, { signatures }: Block, given: Options) {
  const landed = () => signatures.map((signature) => ledger.find(signature) as Landed);
  const form = transactionFormOf(given);
  const details = given.transactionDetails ?? 'full';
  switch (details) {
    case 'none':
      return {};
    case 'signatures':
      return { signatures };
    case 'accounts':
      return { transactions: landed().map((one) => accountsOnlyJson(one, form.maxVersion)) };
    case 'full':
      return { transactions: landed().map((one) => transactionJson(one, form)) };
  }
  return details satisfies never;
}
