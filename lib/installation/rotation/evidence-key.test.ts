// The rotation of EVIDENCE_KEY as a drill: worker and signer go through its steps one after the other, and refunds are paid at each of them.

import { randomBytes, randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { evidenceKeys } from '@/lib/platform/config/key-rings';
import type { MacKeys } from '@/lib/platform/crypto';
import { transaction } from '@/lib/platform/database/db';
import { payableAddress } from '@/lib/payouts/addresses/payable';
import { isBackedByStore } from '@/lib/refunds/approval/store-backing';
import type { LeasedPayout } from '@/lib/refunds/rows';
import type { Work } from '@/lib/refunds/sending/sending-context';
import { destinationMac, noticeMac } from '@/lib/refunds/sending/worker-macs';
import { transferMac } from '@/lib/signer/attestations/payer-evidence';
import { isOutcome, makeOutcome } from '@/lib/signer/attestations/refund-evidence';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { announcedAddress } from '@/testing/payouts/announced-address';
import { openRefundScene, type RefundScene } from '@/testing/refunds/refund-scene';
import { openWalletChain } from '@/testing/refunds/wallet-chain';
import { evidenceKey, localSpec, PAYERS, policy } from '@/testing/signer/signer-scene';
import { runRotate } from './command';
import { isEvidenceDone, rotateEvidenceKey, type EvidenceReport } from './evidence-key';
import { KEPT_MACS } from './kept-macs';
import { countMacs } from './remake';

const [OLD] = evidenceKey;
const NEW = randomBytes(32);
const FOREIGN: MacKeys = [randomBytes(32)];

const time = { now: Date.now() };
const clock = { now: () => new Date(time.now) };
let db: TestDatabase;
let scene: RefundScene;
beforeAll(async () => {
  db = await openTestDatabase();
  scene = await openRefundScene({ db, clock, spec: localSpec('tron'), sender: openWalletChain(clock).sender });
});
afterAll(() => db.close());

async function rotate(keys: MacKeys, ...words: string[]) {
  const printed: string[] = [];
  const text = keys.map((key) => Buffer.from(key).toString('base64')).join(',');
  const environment = { DATABASE_URL: db.url, MASTER_KEYS: `1:${NEW.toString('base64')}`, EVIDENCE_KEY: text };
  const print = (line: string) => void printed.push(line);
  const code = await runRotate(['evidence-key', '--json', ...words], { environment, print });
  return { code, report: JSON.parse(printed.join('\n')) };
}

/** Runs as the owner of the tables without triggers, as a backup or an attacker would write. */
const force = (text: string, values: unknown[] = []) =>
  transaction(db.pool, async (tx) => {
    await tx.query('SET LOCAL session_replication_role = replica');
    await tx.query(text, values);
  });

/** Of a worker with these keys. */
const contextOf = (worker: MacKeys) => ({
  ...scene.context,
  config: { ...scene.context.config, EVIDENCE_KEY: worker },
});

/** A session whose payment this worker stored. */
async function paidSession(worker: MacKeys): Promise<string> {
  const id = await scene.session();
  await force('UPDATE transfers SET mac = $2 WHERE session_id = $1', [id, await transferMacOf(id, worker)]);
  return id;
}

/** Of the session's transfer, as it is stored or with other facts. */
async function transferMacOf(sessionId: string, keys: MacKeys, facts: object = {}): Promise<Buffer | undefined> {
  const transfers = KEPT_MACS.find(({ table }) => table === 'transfers')!;
  const { rows } = await db.pool.query(transfers.read, [null]);
  const row = rows.find(({ session_id: session }) => session === sessionId);
  return transfers.coveredBy({ ...row, ...facts })?.made(keys);
}

/** A refund of this session, or why it waits. */
async function pay(worker: MacKeys, sessionId: string): Promise<string | null> {
  const id = await scene.refund({ to: PAYERS.tron, sessionId, cents: 100n });
  for (let turn = 0; turn < 6; turn++) {
    await scene.pass({ signer: { calls: scene.signing.calls, evidenceKey: worker } }, contextOf(worker));
    const [attempt] = await scene.attempts(id);
    if (attempt?.status === 'sent') return null;
    const { hold } = await scene.read(id);
    if (hold !== null) return hold;
  }
  return 'unpaid';
}

test('refunds are paid at every step of the rotation, and one with a wrong MAC is refused at every step', async () => {
  const [paid, forged] = [await scene.session(), await scene.session()];
  await force('UPDATE transfers SET mac = $2 WHERE session_id = $1', [forged, randomBytes(32)]);
  const steps: readonly [worker: MacKeys, signer: MacKeys][] = [
    [[OLD], [OLD]],
    [[OLD], [OLD, NEW]],
    [
      [OLD, NEW],
      [OLD, NEW],
    ],
    [
      [NEW, OLD],
      [OLD, NEW],
    ],
    [
      [NEW, OLD],
      [NEW, OLD],
    ],
  ];
  const both = async ([worker, signer]: readonly [MacKeys, MacKeys]) => {
    scene.signing.restart({ policy: { ...policy(), evidenceKey: signer } });
    return [await pay(worker, paid), await pay(worker, await paidSession(worker)), await pay(worker, forged)];
  };
  for (const step of steps) expect(await both(step)).toEqual([null, null, 'evidence']);

  // Too early: what is not made anew is not proven without the former key.
  expect(await both([[NEW], [NEW, OLD]])).toEqual(['evidence', null, 'evidence']);

  expect(await rotate([NEW, OLD], '--check')).toMatchObject({ code: 1, report: { remade: 0, refused: 1 } });
  const [first, second] = await Promise.all([rotate([NEW, OLD]), rotate([NEW, OLD])]);
  for (const { code, report } of [first, second]) {
    expect([code, report.remaining, report.refused]).toEqual([1, 0, 1]);
    expect(report.named).toEqual([
      { table: 'transfers', column: 'mac', id: expect.any(String), reason: expect.any(String) },
    ]);
  }
  scene.signing.restart({ policy: { ...policy(), evidenceKey: [NEW] } });
  expect([await pay([NEW], paid), await pay([NEW], forged)]).toEqual([null, 'evidence']);
  // A worker that has the former key as well cannot pay by a signer that has lost it.
  expect(await pay([OLD, NEW], paid)).toBe('evidence');
});

/** One good row of every kind under the former key, and one whose MAC no key of ours made. */
async function keepAll(): Promise<void> {
  const { storeId, chainId } = scene;
  const { genesis } = await db.prisma.chain.findUniqueOrThrow({ where: { id: chainId } });
  for (const keys of [evidenceKey, FOREIGN]) {
    const isForged = keys === FOREIGN;
    const session = await scene.session();
    if (isForged) await force('UPDATE transfers SET mac = $2 WHERE session_id = $1', [session, randomBytes(32)]);
    const refund = await scene.refund({ to: PAYERS.tron, sessionId: session });
    const facts = { environment: 'test', network: 'tron', currency: 'USDT', amount: 500n } as const;
    const destination = { address: PAYERS.tron, kind: 'payer', reference: 'transfer/1' } as const;
    const sets = `destination = $2, destination_kind = 'payer', destination_reference = 'transfer/1', destination_mac = $3`;
    const macOf = (id: string) => destinationMac(keys, { id, ...facts }, destination);
    await force(`UPDATE refunds SET ${sets} WHERE id = $1`, [refund, PAYERS.tron, macOf(refund)]);
    const payout = `po_${randomBytes(20).toString('hex')}`;
    const number = isForged ? 2 : 1;
    const cold = `ct_test_tron_USDT_${number}`;
    await force(
      `INSERT INTO payouts (id, store_id, environment, payout_id, amount, currency, network, request_hash, created_at)
       VALUES ($1, $2, 'test', $1, 500, 'USDT', 'tron', '', now())`,
      [payout, storeId],
    );
    await force(
      `INSERT INTO cold_transfers (id, environment, network, currency, number, amount, created_at, sign_after,
         signature_requested_at, status, destination, destination_kind, destination_reference, destination_mac)
       VALUES ($1, 'test', 'tron', 'USDT', $4, 500, now(), now(), now(), 'processing', $2, 'payer', 'transfer/1', $3)`,
      [cold, PAYERS.tron, macOf(cold), number],
    );
    await force(`UPDATE payouts SET ${sets} WHERE id = $1`, [payout, PAYERS.tron, macOf(payout)]);
    // The customer gave the address, and the refund has no destination yet.
    const claimed = await scene.refund({ to: PAYERS.tron, sessionId: session });
    await force(
      `INSERT INTO refund_addresses (session_id, network, address, intent_id, given_at) VALUES ($1, 'tron', $2, $3, now())`,
      [session, PAYERS.tron, claimed],
    );
    const payAfter = new Date('2026-12-01T00:00:00Z');
    const notice = noticeMac(keys, { id: claimed, ...facts }, { address: PAYERS.tron, payAfter });
    await force('INSERT INTO refund_address_notices (refund, pay_after, mac) VALUES ($1, $2, $3)', [
      claimed,
      payAfter,
      notice,
    ]);
    const address = await announcedAddress(db.pool, { storeId, network: 'tron', address: PAYERS.tron, payAfter });
    if (isForged) await force('UPDATE payout_addresses SET notice_mac = $2 WHERE id = $1', [address, randomBytes(32)]);
    const outcome = { intentId: refund, network: 'tron', hash: '0x1', outcome: 'lapsed', finalized: 7 } as const;
    await force(
      `INSERT INTO refund_attempts (intent_id, number, chain_id, draft, lapsed, drafted_at) VALUES ($1, 9, $2, '{}', $3, now())`,
      [refund, chainId, JSON.stringify(makeOutcome(keys, 'test', outcome))],
    );
    const found = {
      ...{
        sessionId: session,
        transactionHash: randomUUID(),
        ordinal: 0,
        blockNumber: 7,
        blockHash: '0xb',
        blockTime: 7,
      },
      ...{ currency: 'USDT', contract: 'T', payer: 'T1', recipient: 'T2', amount: 5n, isPlain: true, decimals: 6 },
    };
    const mac = transferMac(keys, { environment: 'test', network: 'tron', genesis, ...found });
    const stored = { chainId, network: 'tron', ...found, amount: '5', mac: mac.toString('hex') };
    await force(
      `INSERT INTO quarantine (kind, subject_id, step, error, facts, attempts, first_at, last_at, next_run_at)
       VALUES ('transfer', $1, 'watch', 'why', $2, 1, now(), now(), now() + interval '1 day')`,
      [found.transactionHash, JSON.stringify(stored)],
    );
  }
  // The sums of a store, and those of another one that an attacker wrote.
  await force(`UPDATE ledger_entries SET created_at = created_at - interval '1 hour' WHERE store_id = $1`, [storeId]);
  await isBackedByStore(payout(), evidenceKey);
  await force(
    `INSERT INTO payout_backing (store_id, environment, entry_id, entry_at, sums, mac)
     SELECT store_id, 'live', entry_id, entry_at, sums, mac FROM payout_backing`,
  );
}

/** A payout of the store, as the worker holds it. */
const payout = () =>
  ({
    ...{ context: scene.context, sending: scene.sending },
    payment: {
      table: 'payouts',
      id: 'po_none',
      storeId: scene.storeId,
      environment: 'test',
      amount: 1n,
      network: 'tron',
      currency: 'USDT',
    },
  }) as unknown as Work<LeasedPayout>;

test('every kept MAC under a former key is made anew, and none that no key verifies', async () => {
  scene = await openRefundScene({ db, clock, spec: localSpec('tron'), sender: openWalletChain(clock).sender });
  await force('TRUNCATE transfers, refunds, refund_attempts, ledger_entries CASCADE');
  await keepAll();
  const columns = (state: object) => KEPT_MACS.map(({ table, column }) => ({ table, column, ...state }));
  expect((await countMacs(db.pool, evidenceKey)).columns).toEqual(columns({ current: 1, former: 0, refused: 1 }));

  const { code, report } = await rotate([NEW, OLD]);
  expect(report.columns).toEqual(columns({ current: 1, former: 0, refused: 1 }));
  expect([code, report.remade, report.refused, report.remaining]).toEqual([1, KEPT_MACS.length, KEPT_MACS.length, 0]);
  expect((await countMacs(db.pool, [NEW])).columns).toEqual(columns({ current: 1, former: 0, refused: 1 }));
  expect((await countMacs(db.pool, evidenceKey)).columns).toEqual(columns({ current: 0, former: 0, refused: 2 }));

  // As its readers see it.
  const request = {
    storeId: scene.storeId,
    environment: 'test',
    network: 'tron',
    now: new Date('2027-01-01'),
  } as const;
  expect(await payableAddress(db.pool, [NEW], request)).toMatchObject({ address: PAYERS.tron });
  expect(await payableAddress(db.pool, evidenceKey, request)).toBeNull();
  const { rows } = await db.pool.query('SELECT lapsed FROM refund_attempts WHERE number = 9 ORDER BY id');
  expect(rows.map(({ lapsed }) => isOutcome([NEW], 'test', lapsed))).toEqual([true, false]);

  // A second run has nothing to do, and going back is the same rotation.
  expect((await rotate([NEW, OLD])).report.remade).toBe(0);
  expect((await rotate([OLD, NEW])).report).toMatchObject({ remade: KEPT_MACS.length, remaining: 0 });
});

/** Rotates, and does `work` once, before the first statement that starts with `text`. */
async function rotateWith(text: string, work: () => Promise<void>): Promise<EvidenceReport> {
  const racing = Object.create(db.pool) as typeof db.pool;
  const query = db.pool.query.bind(db.pool) as (text: string, values?: unknown[]) => Promise<unknown>;
  let isDone = false;
  racing.query = (async (statement: string, values?: unknown[]) => {
    const isNow = !isDone && statement.startsWith(text);
    isDone ||= isNow;
    if (isNow) await work();
    return query(statement, values);
  }) as typeof db.pool.query;
  return rotateEvidenceKey(racing, [NEW, OLD], false);
}

test('rows that a process writes under the former key during a run fail the run, and the next run makes them anew', async () => {
  const [late, changed] = [await paidSession([OLD]), await paidSession([OLD])];
  const macOfLate = await transferMacOf(late, [OLD]);
  await force('UPDATE transfers SET mac = NULL WHERE session_id = $1', [late]);
  const report = await rotateWith('UPDATE transfers', async () => {
    const mac = await transferMacOf(changed, [OLD], { payer: 'T9' });
    await force(`UPDATE transfers SET payer = 'T9', mac = $2 WHERE session_id = $1`, [changed, mac]);
    await force('UPDATE transfers SET mac = $2 WHERE session_id = $1', [late, macOfLate]);
  });
  expect(isEvidenceDone(report)).toBe(false);
  expect(report.remaining).toBe(2);
  expect((await rotate([NEW, OLD])).report).toMatchObject({ remade: 2, remaining: 0 });
});

test('a quarantined transfer that is stored under the former key during a run is made anew in that run', async () => {
  const session = await paidSession([OLD]);
  const mac = await transferMacOf(session, [OLD]);
  await force('UPDATE transfers SET mac = NULL WHERE session_id = $1', [session]);
  await rotate([OLD, NEW]);
  await rotateWith('UPDATE quarantine', () =>
    force('UPDATE transfers SET mac = $2 WHERE session_id = $1', [session, mac]),
  );
  expect((await rotate([NEW, OLD], '--check')).report.remaining).toBe(0);
});

test('a destination that no payment is sent to any more does not hold the rotation up', async () => {
  const [id, dropped] = [await scene.refund({ to: PAYERS.tron }), await scene.refund({ to: PAYERS.tron })];
  const before = (await rotate([NEW, OLD])).report.refused;
  const sets = `destination = 'T', destination_kind = 'payer', destination_reference = 'transfer/1', destination_mac = $2`;
  for (const refund of [id, dropped])
    await force(`UPDATE refunds SET ${sets} WHERE id = $1`, [refund, randomBytes(32)]);
  const refused = async () => (await rotate([NEW, OLD], '--check')).report.refused - before;
  expect(await refused()).toBe(2);
  // The signer refused the first attempt, and the customer gave another address.
  const none = 'destination = NULL, destination_kind = NULL, destination_reference = NULL';
  await force(`UPDATE refunds SET ${none} WHERE id = $1`, [dropped]);
  expect(await refused()).toBe(1);
  const failed = `status = 'failed', failure_reason = 'why', processed_at = now(), sign_after = now(), to_release = true`;
  await force(`UPDATE refunds SET ${failed} WHERE id = $1`, [id]);
  expect(await refused()).toBe(1);
  await force('UPDATE refunds SET to_release = false WHERE id = $1', [id]);
  expect(await refused()).toBe(0);
});

test('a payout address keeps all else that the worker announced', async () => {
  const { rows } = await db.pool.query('SELECT id FROM payout_addresses LIMIT 1');
  for (const change of [`pay_after = now()`, `notice_mac = NULL`, `stop_hash = 'x'`, `address = 'T'`])
    await expect(db.pool.query(`UPDATE payout_addresses SET ${change} WHERE id = $1`, [rows[0].id])).rejects.toThrow(
      'once',
    );
});

test('EVIDENCE_KEY is a key or several, and is refused without repeating one', () => {
  const texts = [OLD, NEW].map((key) => Buffer.from(key).toString('base64'));
  expect(evidenceKeys.parse(texts.join(','))).toEqual([OLD, NEW]);
  expect(evidenceKeys.parse(texts[0])).toEqual([OLD]);
  for (const text of [
    '',
    `${texts[0]},`,
    `${texts[0]},short`,
    `${texts[0]} ${texts[1]}`,
    `${texts[0]},${texts[0]?.slice(4)}`,
  ]) {
    const { error } = evidenceKeys.safeParse(text);
    expect(error).toBeDefined();
    expect(JSON.stringify(error?.issues)).not.toContain(texts[0]);
  }
});

/** Files that make MACs under EVIDENCE_KEY: of what is kept, and of what is kept nowhere. */
const MAKERS = [
  'lib/ledger/proofs/key.ts', // The key that signs proofs of reserves. Each proof has its public key.
  'lib/payouts/addresses/notice-mac.ts',
  'lib/refunds/approval/store-received.ts',
  'lib/refunds/sending/worker-macs.ts',
  'lib/signer/attestations/payer-evidence.ts',
  'lib/signer/attestations/refund-evidence.ts',
];

test('every column with a MAC and every file that makes one is on the list', () => {
  const schema = fs.readFileSync('prisma/schema.prisma', 'utf8');
  const inSchema = [...schema.matchAll(/^model [^}]*^\}/gms)].flatMap(([model]) => {
    const [, table] = /@@map\("(\w+)"\)/.exec(model) ?? [];
    return [...model.matchAll(/^ +(\w*[mM]ac) +Bytes\??(?: +@map\("(\w+)"\))?/gm)].map(
      ([, name, column]) => `${table}.${column ?? name}`,
    );
  });
  // Among the facts of a row, which the schema does not show.
  const inFacts = ['quarantine.facts', 'refund_attempts.lapsed'];
  expect(KEPT_MACS.map(({ table, column }) => `${table}.${column}`).toSorted()).toEqual(
    [...inSchema, ...inFacts].toSorted(),
  );
  const makers = fs
    .readdirSync('lib', { recursive: true, encoding: 'utf8' })
    .map((file) => path.join('lib', file))
    .filter((file) => /(?<!\.test)\.ts$/.test(file) && file !== 'lib/platform/crypto.ts')
    .filter((file) => /\bmakeMac\b/.test(fs.readFileSync(file, 'utf8')));
  expect(makers.toSorted()).toEqual(MAKERS);
});
