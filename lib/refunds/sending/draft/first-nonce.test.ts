// Before its first payment on an EVM network the signer knows no nonce, so only the database knows who made the wallet's earlier
// transactions are. A real database and the real signer; the chain is simulated.

import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { ChainSender } from '@/lib/networks/sending/send';
import { FreezeFiles } from '@/lib/signer/freeze';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { openRefundScene, openSigner, type RefundScene } from '@/testing/refunds/refund-scene';
import { landed, scriptedSender } from '@/testing/refunds/scripted-sender';
import { localSpec, partsOf, PAYERS } from '@/testing/signer/signer-scene';
import { confirmWallet } from '@/lib/refunds/wallet-check/known';

const evm = localSpec('ethereum');
const clock = { now: () => new Date('2026-11-21T12:00:00Z') };
const chain = { final: 0, isLanded: false };
let scene: RefundScene;
const sender: ChainSender = {
  ...scriptedSender({ spec: evm, scene: () => scene }),
  nextNonce: async () => chain.final,
  finalNonce: async () => chain.final,
  outcome: async ({ hash }) => (chain.isLanded ? landed(hash) : { kind: 'waiting' }),
};

let db: TestDatabase;
beforeAll(async () => void (db = await openTestDatabase()));
afterAll(() => db.close());
beforeEach(() => void Object.assign(chain, { final: 0, isLanded: false }));

const open = async (kind: 'mainnet' | 'testnet' | 'local') =>
  void (scene = await openRefundScene({ db, clock, spec: { ...evm, chain: kind }, sender }));

/** A person unfreezes the signer at its terminal. */
function unfreeze(): void {
  const { journalFile, signer } = scene.signing;
  const { head: hash } = signer.state().journal;
  new FreezeFiles(journalFile, partsOf('').journalKey).writeTicket({ number: 0, at: 0, hash });
}

it('a machine that was restored to before its first payment pays nothing again until an operator has checked', async () => {
  await open('mainnet');
  // What was paid after the backup: neither database nor signer knows it.
  chain.final = 1;
  const id = await scene.refund({ to: PAYERS.evm });
  await scene.pass();
  expect(await scene.attempts(id)).toEqual([]);
  expect(scene.signing.signed).toBe(0);
  const reason = 'the wallet made 1 transactions on ethereum, and signer and database do not know all of them';
  expect(scene.signing.signer.state().reason).toBe(reason);

  unfreeze();
  await scene.pass();
  expect(await scene.attempts(id)).toMatchObject([{ status: 'sent', validity: { kind: 'nonce', nonce: 1 } }]);
});

it('a machine that was restored, with payments since, continues after its nonce once an operator has checked', async () => {
  await open('mainnet');
  const name = `${evm.network}@mainnet`;
  const { calls } = scene.signing;
  // The signer's own chain is the local one.
  const state = async () => {
    const { nextNonces, ...known } = await calls.state();
    const next = nextNonces[`${evm.network}@local`];
    return { ...known, nextNonces: next === undefined ? {} : { [name]: next } };
  };
  scene = { ...scene, sending: { ...scene.sending, signer: { ...scene.sending.signer!, calls: { ...calls, state } } } };
  const pass = () => scene.pass({ signer: { ...scene.sending.signer!, calls: { ...calls, state } } });
  await scene.refund({ to: PAYERS.evm });
  await pass();
  // Two more were paid after the backup.
  chain.final = 3;
  const id = await scene.refund({ to: PAYERS.evm });
  await pass();
  expect(scene.signing.signer.state().reason).toMatch(/the chain has 3 transactions/);
  unfreeze();
  await pass();
  expect(scene.signing.signer.state().reason).toMatch(/do not know all of them/);
  unfreeze();
  await pass();
  expect(await scene.attempts(id)).toMatchObject([{ status: 'sent', validity: { nonce: 3 } }]);
  expect(scene.signing.signer.state().frozen).toBe(false);
});

it('on a public test network only its own refunds wait, until an operator confirms the check', async () => {
  await open('testnet');
  chain.final = 1;
  const id = await scene.refund({ to: PAYERS.evm });
  await scene.pass();
  expect(await scene.read(id)).toMatchObject({ hold: 'chain_unavailable' });
  expect(scene.signing.signer.state().frozen).toBe(false);
  await confirmWallet(db.pool, { environment: 'test', network: 'ethereum' }, clock.now());
  await scene.pass();
  expect(await scene.attempts(id)).toMatchObject([{ status: 'sent' }]);
});

it('payments that the database knows do not stop a signer with a new journal', async () => {
  await open('mainnet');
  await scene.refund({ to: PAYERS.evm });
  await scene.pass();
  chain.final = 1;
  scene.signing.signer = openSigner(clock).signer;
  const id = await scene.refund({ to: PAYERS.evm });
  await scene.pass();
  expect(await scene.attempts(id)).toMatchObject([{ status: 'sent', validity: { nonce: 1 } }]);
});

it.each(['mainnet', 'testnet', 'local'] as const)(
  'endpoints that have forgotten a final payment get none with its nonce after an unfreeze, and the next one once they know it again (%s)',
  async (kind) => {
    await open(kind);
    const paid = await scene.refund({ to: PAYERS.evm });
    await scene.pass();
    Object.assign(chain, { final: 1, isLanded: true });
    await scene.pass();
    expect(await scene.attempts(paid)).toMatchObject([{ status: 'landed', validity: { nonce: 0 } }]);

    scene.signing.signer.freeze('an operator looks');
    unfreeze();
    chain.final = 0;
    const id = await scene.refund({ to: PAYERS.evm });
    await scene.pass();
    expect(await scene.attempts(id)).toEqual([]);
    expect(await scene.read(id)).toMatchObject({
      hold: 'chain_unavailable',
      holdMessage: expect.stringMatching(/report fewer transactions of the refund wallet than are final/) as string,
    });
    expect(scene.signing.signer.state().frozen).toBe(false);

    chain.final = 1;
    await scene.pass();
    expect(await scene.attempts(id)).toMatchObject([{ validity: { nonce: 1 } }]);
  },
);

/** A new journal, and what its signer knows of changes of the allowance before: its wallet made `nonces` of them. */
const knowing = (nonces: number) => {
  const { calls } = scene.signing;
  const state = async () => ({
    ...(await calls.state()),
    batches: {},
    allowanceNonces: { 'ethereum@mainnet': nonces },
  });
  return { signer: { ...scene.sending.signer!, calls: { ...calls, state, lastAllowance: async () => null } } };
};

it.each([
  ['that the signer knows', 1, 0],
  ['that the database knows', 0, 1],
  ['that both know', 1, 1],
])('a change of the allowance %s is no foreign transaction, and one more is', async (_, nonces, rows) => {
  await open('mainnet');
  await scene.refund({ to: PAYERS.evm });
  await scene.pass();
  for (let n = 0; n < rows; n++)
    await db.pool.query(
      `INSERT INTO allowance_transactions (chain_id, hash, wallet, nonce, currency, is_reset, signed_at, settled_at)
       VALUES ($1, '0xallowed', $2, 1, 'USDT', false, now(), now())`,
      [scene.chainId, scene.signing.signer.state().wallets.test.evm],
    );
  chain.final = 2;
  scene.signing.signer = openSigner(clock).signer;
  const id = await scene.refund({ to: PAYERS.evm });
  await scene.pass(knowing(nonces));
  expect(await scene.attempts(id)).toMatchObject([{ status: 'sent', validity: { nonce: 2 } }]);

  chain.final = 4;
  scene.signing.signer = openSigner(clock).signer;
  await scene.refund({ to: PAYERS.evm });
  await scene.pass(knowing(nonces));
  expect(scene.signing.signer.state().reason).toMatch(/do not know all of them/);
});
