// Nodes that refuse one call, or that deleted the block that they name as their first.

import { expect, it } from 'vitest';
import type { Log } from '@/lib/platform/log';
import { refusal } from '@/testing/solana/solana-faults';
import { useFaultySolana } from '@/testing/solana/solana-faulty-pair';
import { localSolana, OURS } from '@/testing/solana/solana-scene';
import { noMentions } from '@/testing/refunds/no-mentions';
import { openRpcClient } from '@/lib/networks/endpoints/json-rpc/client';
import { openAuxiliaries } from './reading/auxiliary';
import { openNode } from './node';
import { solanaUnknown } from './reading/own-transactions';

const { faulty, on } = useFaultySolana();
const node = () => openNode('endpoint 1', openRpcClient(faulty().url, 'endpoint 1', {}));

it('logs once per endpoint that it does not list token accounts by owner', async () => {
  on('getTokenAccountsByOwner', () => refusal(-32601, 'Method not found'));
  const warned: string[] = [];
  const log = { warn: ({ endpoint }: { endpoint: string }) => warned.push(endpoint) } as unknown as Log;
  const auxiliaries = openAuxiliaries(localSolana, log);
  const requested = node();
  const at = { commitment: 'finalized', minSlot: 0, watched: new Map() } as const;
  for (let n = 0; n < 3; n++) expect(await auxiliaries.find(requested, [OURS], at)).toEqual([]);
  expect(warned).toEqual(['endpoint 1']);
});

it('finds the oldest block of a node although the node deleted its first block meanwhile', async () => {
  faulty().tamper = ({ method, params: [slot] }) => {
    if (method === 'getFirstAvailableBlock') return 3;
    if (method === 'getSignaturesForAddress') return [];
    return method === 'getBlock' && Number(slot) < 5 ? refusal(-32001, 'Block cleaned up') : undefined;
  };
  const query = { since: 0, known: async () => new Set<string>(), knownExpiry: async () => 0, mentions: noMentions };
  const { from } = await solanaUnknown(node(), OURS, query);
  expect(from).toBe(faulty().blocks[5]!.time);
});
