// Signing freezes when a sponsor of sweeps made a transaction that this installation did not, and only then.

import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { ChainError } from '@/lib/networks/chain';
import { openEvmSender } from '@/lib/networks/families/evm/sending/send';
import { systemClock } from '@/lib/platform/clock';
import { FreezeFiles } from '@/lib/signer/freeze';
import { Journal } from '@/lib/signer/journal/journal';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { truncateFacts } from '@/testing/database/truncate';
import { startAnvil } from '@/testing/evm/anvil';
import { silentLog } from '@/testing/chain-clock';
import { openJournalScene } from '@/testing/signer/journal-scene';
import { localSpec, partsOf } from '@/testing/signer/signer-scene';
import { delegate, wallets } from '@/testing/signer/sweep-scene';
import { useTemporaryDirectory } from '@/testing/temporary-directory';
import type { CheckedChain } from './account-nonces';
import { openSignerCheck } from './signer-check';

const FROZEN = 'the key of the sponsor was used elsewhere on ethereum';
const { sponsor, spareSponsor } = wallets;
const spec = localSpec('ethereum');
const directory = useTemporaryDirectory();
let db: TestDatabase;
beforeAll(async () => void (db = await openTestDatabase()));
afterAll(() => db.close());
beforeEach(() => truncateFacts(db.pool, 'refund_attempts, sweeps, sweep_items'));

type Sent = {
  readonly kind?: string;
  readonly status?: string;
  readonly sender?: string;
  readonly hashes?: readonly string[];
};

/** The signer sweeps on Ethereum. `mined` and `pending`: account nonces by address. `signed`: as the signer reports them. */
async function open(chain = spec, sender?: CheckedChain['sender']) {
  const scene = await openJournalScene(db, directory);
  const mined: Record<string, number | ChainError> = { [sponsor]: 3, [spareSponsor]: 0 };
  const pending: Record<string, number> = {};
  const signed: Record<string, number> = {};
  const read = async (address: string): Promise<number> => {
    const count = mined[address] ?? 0;
    if (count instanceof ChainError) throw count;
    return count;
  };
  const simulated = { minedNonce: read, nextNonce: async (address: string) => pending[address] ?? read(address) };
  const signer = {
    ...scene.signer,
    state: async () => {
      const own = { ...wallets, network: `ethereum@${chain.chain}`, environment: chain.environment, active: sponsor };
      const fees = { feesPerHour: '0', feesLastHour: '0' };
      return { ...(await scene.signer.state()), sweeps: [{ ...own, ...fees, delegate, sponsorNonces: signed }] };
    },
  };
  const start = () => openSignerCheck(signer, [{ spec: chain, sender: sender ?? simulated }]);
  let check = start();
  const reason = () => scene.signing.signer.state().reason;
  return {
    ...{ ...scene, mined, pending, signed },
    /** The next check, half a minute later: why signing is frozen, or null. */
    async check() {
      scene.clock.advance(30);
      await check(scene.context);
      return reason();
    },
    restartWorker: () => void (check = start()),
    unfreeze() {
      const { journalFile } = scene.signing;
      const { journalKey } = partsOf(journalFile);
      new FreezeFiles(journalFile, journalKey).writeTicket(Journal.read(journalFile, journalKey, () => {}).head);
    },
    sweep: (
      nonce: number,
      { kind = 'batch', status = 'signed', sender: from = sponsor, hashes = ['0x01'] }: Sent = {},
    ) =>
      db.pool.query(
        `INSERT INTO sweeps (environment, network, chain_id, kind, status, sender, request, terms, hashes, bytes, signed_at, created_at, ended_at)
         SELECT c.environment, c.network, c.id, $1, $2, $3, '{}', $4, $5::text[], CASE WHEN $5 <> '{}' THEN '0x' END,
           CASE WHEN $5 <> '{}' THEN now() END, now(), CASE WHEN $2 IN ('signed', 'planned') THEN NULL ELSE now() END
         FROM chains c WHERE c.network = 'ethereum' AND c.retired_at IS NULL`,
        [kind, status, from, JSON.stringify({ nonce }), hashes],
      ),
  };
}

test.each([
  ['the sponsor', sponsor],
  ['the spare one', spareSponsor],
])('a transaction of %s that no sweep explains freezes signing', async (_, address) => {
  const scene = await open();
  await scene.sweep(2, { status: 'final' });
  expect(await scene.check()).toBeNull();
  expect(await scene.check()).toBeNull();
  scene.mined[address] = 4;
  expect(await scene.check()).toBe(FROZEN);
});

test('a transfer of coin from the sponsor in a block freezes signing, with the nonce that a node reports', async () => {
  const anvil = await startAnvil(spec);
  try {
    const sender = openEvmSender({ spec, urls: [anvil.url], needed: 1, clock: systemClock, log: silentLog() });
    const scene = await open(spec, sender);
    await anvil.rpc('anvil_setBalance', sponsor, '0xde0b6b3a7640000');
    await anvil.rpc('anvil_impersonateAccount', sponsor);
    const steal = () => anvil.rpc('eth_sendTransaction', { from: sponsor, to: spareSponsor, value: '0x1' });
    // What is outside a block at the first check may have been sent by a database that was restored since.
    await steal();
    expect(await scene.check()).toBeNull();
    await anvil.mine();
    expect(await scene.check()).toBeNull();
    await steal();
    await anvil.mine();
    expect(await scene.check()).toBe(FROZEN);
  } finally {
    await anvil.stop();
  }
});

test.each([
  ['a sweep', {}],
  ['a deployment', { kind: 'deploy' }],
  ['a top-up', { kind: 'top_up' }],
  ['a replacement', { hashes: ['0x01', '0x02'] }],
  ['a sweep that is final', { status: 'final' }],
  ['a sweep that reverted', { status: 'reverted' }],
  ['a sweep that was given up and landed all the same', { status: 'lapsed' }],
] satisfies [string, Sent][])('%s explains its account nonce and those before it', async (_, sent) => {
  const scene = await open();
  expect(await scene.check()).toBeNull();
  await scene.sweep(4, sent);
  scene.mined[sponsor] = 5;
  expect(await scene.check()).toBeNull();
  scene.mined[sponsor] = 6;
  expect(await scene.check()).toBe(FROZEN);
});

test.each([
  ['a sweep that was never signed', { status: 'planned', hashes: [] }],
  ['a transfer of a deposit address', { kind: 'transfer', sender: '0x00000000000000000000000000000000000000aa' }],
  ['a sweep of the other sponsor', { sender: spareSponsor }],
] satisfies [string, Sent][])('%s explains no transaction of the sponsor', async (_, sent) => {
  const scene = await open();
  expect(await scene.check()).toBeNull();
  await scene.sweep(3, sent);
  scene.mined[sponsor] = 4;
  expect(await scene.check()).toBe(FROZEN);
});

test('what a database sent that was restored since is explained: before the start, outside a block then, and by the signer', async () => {
  const scene = await open();
  scene.pending[sponsor] = 4;
  expect(await scene.check()).toBeNull();
  scene.mined[sponsor] = 4;
  expect(await scene.check()).toBeNull();
  // The database is replaced under the running worker, which has not seen the last sweep in a block yet.
  scene.signed[sponsor] = 4;
  scene.mined[sponsor] = 5;
  expect(await scene.check()).toBeNull();
  scene.restartWorker();
  expect(await scene.check()).toBeNull();
  scene.mined[sponsor] = 6;
  expect(await scene.check()).toBe(FROZEN);
});

test('what the sponsor made until the end of a freeze is not suspected again, and what it makes later is', async () => {
  const scene = await open();
  expect(await scene.check()).toBeNull();
  scene.signed[sponsor] = 2;
  scene.mined[sponsor] = 4;
  expect(await scene.check()).toBe(FROZEN);
  scene.mined[sponsor] = 5;
  expect(await scene.check()).toBe(FROZEN);
  scene.unfreeze();
  expect(await scene.check()).toBeNull();
  scene.mined[sponsor] = 6;
  expect(await scene.check()).toBe(FROZEN);
});

test('a sponsor of a public test network freezes nothing', async () => {
  const scene = await open({ ...spec, chain: 'testnet' });
  expect(await scene.check()).toBeNull();
  scene.mined[sponsor] = 9;
  expect(await scene.check()).toBeNull();
});

test('a sponsor whose nonce cannot be read hides no transaction of the other one, and its own is found later', async () => {
  const scene = await open();
  expect(await scene.check()).toBeNull();
  const silent = new ChainError('unavailable', 'too few endpoints answer');
  scene.mined[sponsor] = silent;
  expect(await scene.check()).toBeNull();
  scene.mined[sponsor] = 4;
  scene.mined[spareSponsor] = silent;
  expect(await scene.check()).toBe(FROZEN);
});
