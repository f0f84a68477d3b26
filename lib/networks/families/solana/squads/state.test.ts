// What is read of the account of a Squads multisig, by accounts that @sqds/multisig 2.1.4 wrote.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openRpcClient } from '@/lib/networks/endpoints/json-rpc/client';
import { openNode } from '@/lib/networks/families/solana/node';
import { multisigAccount } from '@/testing/cold-storage/squads';
import type { FakeSolanaNode } from '@/testing/solana/fake-solana-node';
import { fakeKey } from '@/testing/solana/solana-ledger';
import { startSolana } from '@/testing/solana/solana-scene';
import { BY_SQUADS } from './by-squads';
import { SQUADS_PROGRAM } from './program';
import { readMultisig } from './state';

let node: FakeSolanaNode;
beforeEach(async () => void (node = await startSolana()));
afterEach(() => node.close());

/** The report about an account with this data. */
function reported(data: Buffer, owner = SQUADS_PROGRAM) {
  node.tamper = ({ method }, result) => {
    if (method !== 'getMultipleAccounts') return undefined;
    const { context } = result as { context: object };
    return { context, value: [{ lamports: 1, owner, data: [data.toString('base64'), 'base64'] }] };
  };
  return readMultisig(openNode('endpoint 1', openRpcClient(node.url, 'endpoint 1', {})), fakeKey('multisig'));
}

const MEMBERS = [
  { address: fakeKey('member 1'), proposes: true, votes: true, executes: true },
  { address: fakeKey('member 2'), proposes: false, votes: true, executes: false },
  { address: fakeKey('member 3'), proposes: true, votes: false, executes: true },
];
const STATE = { threshold: 2, timeLock: 0, lastIndex: 6, members: MEMBERS };

it('is its members with their permissions, its threshold and its newest transaction', async () => {
  expect(await reported(Buffer.from(BY_SQUADS.account, 'base64'))).toEqual(STATE);
  expect(await reported(Buffer.from(BY_SQUADS.accountWithCollector, 'base64'))).toEqual(STATE);
});

it('is read with room for more members behind them, and with a time lock', async () => {
  const state = { threshold: 1, timeLock: 3600, lastIndex: 2 ** 40 };
  const account = multisigAccount({ ...state, members: [{ address: fakeKey('member 1'), mask: 7 }] });
  expect(await reported(account)).toEqual({ ...state, members: MEMBERS.slice(0, 1) });
});

describe('is none', () => {
  const account = Buffer.from(BY_SQUADS.account, 'base64');
  const changed = (at: number, bytes: readonly number[]): Buffer => {
    const other = Buffer.from(account);
    other.set(bytes, at);
    return other;
  };

  it.each([
    ['an account of another program', account, '11111111111111111111111111111111'],
    ['another account of the program', changed(0, [1]), SQUADS_PROGRAM],
    ['an account that is cut short', account.subarray(0, -1), SQUADS_PROGRAM],
    ['an account that ends before its members', account.subarray(0, 90), SQUADS_PROGRAM],
    ['a list of more members than there is room for', changed(96, [255, 255, 255, 255]), SQUADS_PROGRAM],
    ['an index beyond every number of JSON', changed(78, [255, 255, 255, 255, 255, 255, 255, 255]), SQUADS_PROGRAM],
    ['no data', Buffer.alloc(0), SQUADS_PROGRAM],
  ])('%s', async (_, data, owner) => {
    expect(await reported(data, owner)).toBeNull();
  });
});
