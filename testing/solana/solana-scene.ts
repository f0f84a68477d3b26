// The actors in tests of reading Solana: deposit addresses with their token accounts, a payer, a stranger, and short
// forms of their actions.

import { associatedAccount } from '@/lib/networks/families/solana/address';
import { networkSpec } from '@/lib/networks/networks';
import type { FoundTransfer } from '@/lib/networks/chain';
import { payment, startFakeSolanaNode, type FakeSolanaNode } from './fake-solana-node';
import { fakeKey, type Change, type FakeTransaction, type TokenState } from './solana-ledger';

/** Unix time of the nodes' genesis. */
export const T0 = 1_760_000_000;
export const localSolana = networkSpec('test', 'solana', 'local')!;
export const usdt = localSolana.tokens.USDT!.contract;
export const usdc = localSolana.tokens.USDC!.contract;
export const FAKE_MINT = fakeKey('fake mint');

export const PAYER = fakeKey('payer');
export const STRANGER = fakeKey('stranger');
/** Owners of deposit addresses. */
export const OURS = fakeKey('ours');
export const OTHER = fakeKey('other of ours');

export const ata = (owner: string, mint = usdt): string => associatedAccount(owner, mint);
export const side = (owner: string, mint = usdt) => ({ account: ata(owner, mint), owner });

/** A node on which the payer has plenty, and nothing else has happened. */
export async function startSolana(): Promise<FakeSolanaNode> {
  const tokens = Object.values(localSolana.tokens);
  const mints = Object.fromEntries(tokens.map((token) => [token.contract, token.decimals]));
  const node = await startFakeSolanaNode({ mints, time: T0 });
  const plenty = (mint: string) => ({ account: ata(PAYER, mint), state: { mint, owner: PAYER, amount: 10n ** 15n } });
  node.mine([{ changes: [usdt, usdc, FAKE_MINT].map(plenty) }]);
  return node;
}

/** A payment from the payer to an owner's associated account. */
export const pay = (node: FakeSolanaNode, amount: bigint, to = OURS, mint = usdt): FakeTransaction =>
  payment(node, { from: side(PAYER, mint), to: side(to, mint), mint, amount });

/** The state of an account after a transaction. */
export const becomes = (account: string, state: TokenState | null): Change => ({ account, state });

export const brief = (transfers: readonly FoundTransfer[]) =>
  transfers.map(({ currency, payer, recipient, amount, ordinal }) => ({ currency, payer, recipient, amount, ordinal }));
