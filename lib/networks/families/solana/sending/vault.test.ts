// A vault of a Squads multisig as a recipient: its address is derived from a program and has no key, so it is paid only where it has an
// account of the token already.

import { PublicKey } from '@solana/web3.js';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openRpcClient } from '@/lib/networks/endpoints/json-rpc/client';
import { isOnCurve, keyBytes } from '@/lib/networks/families/solana/address';
import { openNode } from '@/lib/networks/families/solana/node';
import { coldWallets } from '@/lib/networks/wallet-levels';
import type { FakeSolanaNode } from '@/testing/solana/fake-solana-node';
import { ata, pay, PAYER, startSolana, STRANGER, usdc, usdt } from '@/testing/solana/solana-scene';
import { findRoute } from './obstacles';

const SQUADS = new PublicKey('SQDS4ep65T869zMMBKyuUq6aD6EgTu8psMjkvj52pCf');
/** The first vault of a multisig, as Squads derives it. */
const VAULT = PublicKey.findProgramAddressSync(
  [Buffer.from('multisig'), new PublicKey(STRANGER).toBuffer(), Buffer.from('vault'), Uint8Array.of(0)],
  SQUADS,
)[0].toBase58();

let node: FakeSolanaNode;
beforeEach(async () => void (node = await startSolana()));
afterEach(() => node.close());

const routeOf = (to: string, mint: string, currency: string) =>
  findRoute(
    openNode('endpoint 1', openRpcClient(node.url, 'endpoint 1', {})),
    { intentId: 'ct_test', currency, contract: mint, to, amount: 5n },
    { from: PAYER, unmined: { payments: 0, tokens: 0n } },
  );

it('may be named as the cold wallet', () => {
  expect(isOnCurve(keyBytes(VAULT)!)).toBe(false);
  expect(coldWallets([`solana@local=${VAULT}`])).toMatchObject([{ address: VAULT }]);
});

it('is paid into its associated account, and only with a token that it held before', async () => {
  node.mine([pay(node, 1n, VAULT, usdt)]);
  expect(node.ledger.now(ata(VAULT, usdt))).toMatchObject({ owner: VAULT });
  expect(await routeOf(VAULT, usdt, 'USDT')).toMatchObject({ direct: false, creates: false });
  await expect(routeOf(VAULT, usdc, 'USDC')).rejects.toThrow('has no key and never held this token');
});
