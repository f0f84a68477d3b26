// Reads the account of a Squads multisig: its members, its threshold, and the index of its newest transaction.

import { ChainError } from '@/lib/networks/chain';
import { keyText } from '@/lib/networks/families/solana/address';
import type { SolanaNode } from '@/lib/networks/families/solana/node';
import { sendAccounts } from '@/lib/networks/families/solana/sending/shapes';
import type { SquadsMember, SquadsState } from '@/lib/networks/sending/squads';
import { accountName, SQUADS_PROGRAM } from './program';

/** Behind the name: create key, config authority, threshold (u16), time lock (u32), newest and newest stale index (u64 each). */
const [NAME_END, THRESHOLD_AT, TIME_LOCK_AT, INDEX_AT, RENT_COLLECTOR_AT] = [8, 72, 74, 78, 94];
/** A key and the mask of its permissions. */
const [KEY, MEMBER] = [32, 33];
/** Bits of the mask. */
const [PROPOSES, VOTES, EXECUTES] = [1, 2, 4];

/** One endpoint's report; null if the address is no multisig. Throws a ChainError. */
export async function readMultisig(node: SolanaNode, address: string): Promise<SquadsState | null> {
  const params = [[address], { encoding: 'base64', commitment: 'confirmed' }];
  const { value } = await node.rpc.call({ method: 'getMultipleAccounts', params, shape: sendAccounts });
  if (value.length !== 1)
    throw new ChainError('contradiction', `${node.name} answered for ${value.length} of 1 accounts`);
  const data = value[0]?.owner === SQUADS_PROGRAM ? value[0].data : null;
  if (!data?.subarray(0, NAME_END).equals(accountName('Multisig'))) return null;
  return stateOf(data);
}

/** The account may be longer than what it holds: the program makes room for further members. */
function stateOf(data: Buffer): SquadsState | null {
  try {
    // The collector of rents is optional: one byte says whether its key follows. Behind it is one byte of the address.
    const membersAt = RENT_COLLECTOR_AT + 1 + (data.readUInt8(RENT_COLLECTOR_AT) === 0 ? 0 : KEY) + 1;
    const [count, first] = [data.readUInt32LE(membersAt), membersAt + 4];
    if (count * MEMBER > data.length) return null;
    const members = Array.from({ length: count }, (_, at) => memberAt(data, first + at * MEMBER));
    const lastIndex = Number(data.readBigUInt64LE(INDEX_AT));
    if (!Number.isSafeInteger(lastIndex + 1)) return null;
    const [threshold, timeLock] = [data.readUInt16LE(THRESHOLD_AT), data.readUInt32LE(TIME_LOCK_AT)];
    return { threshold, timeLock, lastIndex, members };
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function memberAt(data: Buffer, at: number): SquadsMember {
  // Throws a RangeError for a list that is cut short.
  const mask = data.readUInt8(at + KEY);
  const has = (bit: number): boolean => (mask & bit) !== 0;
  const address = keyText(data.subarray(at, at + KEY));
  return { address, proposes: has(PROPOSES), votes: has(VOTES), executes: has(EXECUTES) };
}
