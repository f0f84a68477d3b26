// Refunds for tests of their payments: a completed session with its coins in the ledger, and refunds as their creation leaves
// them. The real signer runs in this process on its own journal; the workers share one database.

import { randomUUID } from 'node:crypto';
import type { NetworkSpec } from '@/lib/networks/networks';
import type { ChainSender } from '@/lib/networks/sending/send';
import { fromUnixSeconds, unixSeconds, type Clock } from '@/lib/platform/clock';
import type { Context } from '@/lib/platform/context';
import { crashpoint } from '@/lib/platform/crash-point';
import { transaction, type Pool } from '@/lib/platform/database/db';
import { newSessionId } from '@/lib/platform/ids';
import { postTransfers } from '@/lib/ledger/post';
import { reserveRefund } from '@/lib/ledger/post-refund';
import type { AssetAmount } from '@/lib/ledger/postings';
import { centsToBaseUnits } from '@/lib/money/amounts';
import { intentIdOf } from '@/lib/refunds/request/intent';
import { intervalsOf, type Intervals } from '@/lib/refunds/sending/intervals';
import type { RefundSigning, SendingContext } from '@/lib/refunds/sending/sending-context';
import { runRefunds } from '@/lib/refunds/sending/step';
import { BatchSigner } from '@/lib/signer/batches/batch-signer';
import { FreezeFiles } from '@/lib/signer/freeze';
import { Journal } from '@/lib/signer/journal/journal';
import { SignerJournal } from '@/lib/signer/journal/signer-journal';
import type { Policy } from '@/lib/signer/policy';
import { SignerUnavailable } from '@/lib/signer/refusal';
import { RefundSigner } from '@/lib/signer/refund-signer';
import { AddressSourceError, areAllOf } from '@/lib/treasury/wallets/address-source';
import { refundAccounts, type RefundAccounts } from '@/lib/treasury/wallets/derivation-refund';
import type { TestDatabase } from '@/testing/database/database';
import { depositKeys } from './deposit-keys';
import { makeChain, makeStore, testConfig, testContext } from '@/testing/fixtures';
import { macOfTransfer } from '@/testing/payments/proven-transfer';
import { evidenceKey, PAYERS, partsOf, policy, seed, temporaryDirectory } from '@/testing/signer/signer-scene';

/** Cents that the session paid, in USDT. */
export const PAID = 10_000n;

export type GivenRefund = {
  cents?: bigint;
  to: string;
  currency?: string;
  sessionId?: string;
  /** The reserved amounts; by default the whole amount in the refund's own currency. Empty: the store had too little. */
  takes?: readonly AssetAmount[];
};

export type RefundScene = Awaited<ReturnType<typeof openRefundScene>>;

type Options = {
  readonly db: TestDatabase;
  readonly clock: Clock;
  readonly spec: NetworkSpec;
  readonly sender: ChainSender;
  readonly intervals?: Partial<Intervals>;
  readonly limits?: Parameters<typeof policy>[0];
  /** Further rules of the signer's policy, such as its approvers. */
  readonly rules?: Partial<Policy>;
  readonly settings?: Readonly<Record<string, string>>;
  /** The signer's accounts in the place of those of the test seed. */
  readonly accounts?: RefundAccounts;
  /** The chain that a watcher follows, in the place of a new one. */
  readonly followed?: number;
};

let addresses = 5_000_000;

/** Opens a scene on a chain; the sender's wallet is the test signer's (signer-scene: accounts). */
export async function openRefundScene({
  db,
  clock,
  spec,
  sender,
  intervals = {},
  limits = {},
  rules = {},
  settings = {},
  accounts,
  followed,
}: Options) {
  const evidence = evidenceKey[0].toString('base64');
  const config = testConfig({ REFUND_HOLD_SECONDS_TEST: '0', EVIDENCE_KEY: evidence, ...settings });
  const context = testContext(db, clock, config);
  const { storeId } = await makeStore(db, config);
  const chainId = followed ?? (await newChain(db, spec));
  const { genesis } = await db.prisma.chain.findUniqueOrThrow({ where: { id: chainId } });
  // What earlier scenes left open does not belong to this one.
  for (const table of ['refunds', 'payouts', 'cold_transfers']) {
    await db.pool.query(`UPDATE ${table} SET next_at = now() + interval '1 year' WHERE status = 'processing'`);
  }
  const signing = openSigner(clock, limits, rules, accounts);
  const destinations = new Map<string, string>();
  const sending: SendingContext = {
    environment: 'test',
    network: spec.network,
    spec,
    sender,
    genesis: async () => genesis,
    signer: { calls: signing.calls, evidenceKey },
    deposits: { owns: async (index, requested) => areAllOf(depositKeys.addressesAt(index), requested) },
    findDestination: async (_, __, { id }) => {
      const address = destinations.get(id);
      if (!address) return { hold: 'destination_needed', message: 'Nobody knows where it goes.' };
      return { destination: { address, kind: 'payer', reference: `transfer/${id.slice(0, 8)}` } };
    },
    intervals: { ...intervalsOf(spec), lease: 5000, recent: 0, old: 0, leastHold: 0, mostHold: 0, ...intervals },
  };
  const pass = (over: Partial<SendingContext> = {}, on: Context = context) => runRefunds(on, { ...sending, ...over });
  const read = (id: string) => db.prisma.refund.findUniqueOrThrow({ where: { id } });
  return {
    ...{ db, context, sending, chainId, storeId, signing, destinations, pass, read },
    /** A session paid by one proven transfer of its price in cents. */
    session: (currency = 'USDT', cents = PAID, depositAddress?: string, of = storeId) =>
      paidSession(db.pool, {
        ...{ storeId: of, chainId, spec, now: clock.now(), currency, cents },
        ...(depositAddress ? { depositAddress } : {}),
      }),
    async refund({ cents = 500n, to, currency = 'USDT', sessionId, takes }: GivenRefund): Promise<string> {
      const paid = { storeId, chainId, spec, now: clock.now(), currency, payer: to };
      const session = sessionId ?? (await paidSession(db.pool, paid));
      const id = await createRefund(db.pool, { storeId, session, spec, cents, currency, takes, now: clock.now() });
      destinations.set(id, to);
      return id;
    },
    attempts: (id: string) => db.prisma.refundAttempt.findMany({ where: { intentId: id }, orderBy: { number: 'asc' } }),
    events: async (id: string) => (await db.prisma.event.findMany({ where: { objectId: id } })).map(({ type }) => type),
    /** Runs the worker until the refund is closed; `between` advances the chain. */
    async untilEnded(id: string, between: () => Promise<unknown> = async () => {}, passes = 60) {
      for (let turn = 0; turn < passes; turn++) {
        await pass();
        const refund = await read(id);
        if (refund.status !== 'pending' && refund.status !== 'processing') return refund;
        await between();
      }
      const { hold, holdMessage } = await read(id);
      throw new Error(`refund ${id} did not end: ${hold} (${holdMessage})`);
    },
  };
}

/** A chain in the place of the one of an earlier scene. */
async function newChain(db: TestDatabase, { network }: NetworkSpec): Promise<number> {
  await db.pool.query(`UPDATE chains SET retired_at = now() WHERE network = $1 AND retired_at IS NULL`, [network]);
  return makeChain(db, network, 1_800_000_000);
}

/** The real signer, called in this process. `frozen` and `down` are for tests. */
export function openSigner(
  clock: Clock,
  limits: Parameters<typeof policy>[0] = {},
  rules: Partial<Policy> = {},
  accounts?: RefundAccounts,
) {
  const time = { now: clock.now().getTime() };
  const journalFile = `${temporaryDirectory()}/journal`;
  const own = accounts ? { accounts } : {};
  const parts = { ...partsOf(journalFile, time), ...own, clock, policy: { ...policy(limits), ...rules } };
  const open = (given: typeof parts) => {
    const journal = new SignerJournal(given);
    return { signer: new RefundSigner(given, journal), batches: new BatchSigner(given, journal) };
  };
  const signing = {
    ...open(parts),
    journalFile,
    isDown: false,
    signed: 0,
    /** Starts the signer again, on a machine of this id, with another journal or other settings if they are given. */
    restart: (given: Partial<Pick<typeof parts, 'journalFile' | 'policy'> & { machineId: string }> = {}) =>
      Object.assign(
        signing,
        open({ ...parts, accounts: accounts ?? refundAccounts(seed), isNewWallet: false, ...given }),
      ).signer,
    calls: {} as RefundSigning,
    /** As a person does at the signer's terminal. */
    unfreeze(): void {
      const { head } = Journal.read(journalFile, parts.journalKey, () => {});
      new FreezeFiles(journalFile, parts.journalKey).writeTicket(head);
    },
  };
  const answer = async <T>(ask: (signer: RefundSigner) => T | Promise<T>): Promise<T> => {
    if (signing.isDown) throw new SignerDown();
    try {
      return await ask(signing.signer);
    } catch (error) {
      // As the client throws what the server answers.
      throw error instanceof SignerUnavailable ? new AddressSourceError('unavailable', error.message) : error;
    }
  };
  signing.calls = {
    sign: (params) =>
      answer(async (signer) => {
        const signed = await signer.signApproved(params);
        signing.signed++;
        crashpoint('before-answer');
        return signed;
      }),
    attempts: (id) => answer((signer) => signer.attempts(id).attempts),
    release: (outcome) => answer((signer) => void signer.release(outcome)),
    freeze: (reason) => answer((signer) => void signer.freeze(reason)),
    state: () => answer((signer) => ({ ...signer.state(), ...signing.batches.state() })),
    signBatch: (params) =>
      answer(() => {
        const signed = signing.batches.sign(params);
        signing.signed++;
        crashpoint('before-answer');
        return signed;
      }),
    allow: (params) => answer(() => signing.batches.allow(params)),
    lastAllowance: (of) => answer(() => signing.batches.lastAllowance(of)),
  };
  return signing;
}

/** As the client throws it. */
class SignerDown extends AddressSourceError {
  constructor() {
    super('unavailable', 'The signer cannot be reached (ECONNREFUSED).');
  }
}

type Paid = {
  storeId: string;
  chainId: number;
  spec: NetworkSpec;
  now: Date;
  currency?: string;
  cents?: bigint;
  /** The session's deposit address; by default the signer's own address of its index. */
  depositAddress?: string;
  payer?: string;
};

async function paidSession(
  pool: Pool,
  { storeId, chainId, spec, now, currency = 'USDT', cents = PAID, depositAddress, payer = PAYERS[spec.family] }: Paid,
): Promise<string> {
  const [id, hash] = [newSessionId('test'), `0x${randomUUID()}`];
  const own = depositKeys.addressesAt(++addresses);
  const at = { ...own, ...(depositAddress ? { [spec.family]: depositAddress } : {}) };
  const recipient = at[spec.family];
  const decimals = spec.tokens[currency]?.decimals ?? 6;
  const amount = centsToBaseUnits(cents, decimals);
  await pool.query(
    `INSERT INTO sessions (id, store_id, environment, order_id, amount_total, currency, amount_due, currencies, networks,
       created_at, expires_at, address_index, evm_address, tron_address, solana_address, status, closed_at, amount_received,
       completed_network, completed_currency, completed_transaction)
     VALUES ($1, $2, 'test', $1, $3, $9, $3, ARRAY[$9], ARRAY[$7], $4, $4, $5, $6, $10, $11, 'completed', $4, $3, $7, $9, $8)`,
    [id, storeId, cents, now, at.index, at.evm, spec.network, hash, currency, at.tron, at.solana],
  );
  const blockTime = unixSeconds(now);
  const inserted = {
    network: spec.network,
    sessionId: id,
    transactionHash: hash,
    blockTime,
    currency,
    payer,
    recipient,
  };
  const mac = await macOfTransfer(pool, chainId, { ...inserted, amount, decimals });
  const { rows } = await pool.query<{ id: string }>(
    `INSERT INTO transfers (chain_id, network, session_id, transaction_hash, ordinal, block_number, block_hash, block_time,
       currency, contract, payer, recipient, amount, decimals, mac)
     VALUES ($1, $2, $3, $4, 0, 50, '0xb', $5, $8, '0xc', $11, $10, $6, $7, $9) RETURNING id`,
    [
      chainId,
      spec.network,
      id,
      hash,
      fromUnixSeconds(blockTime),
      amount.toString(),
      decimals,
      currency,
      mac,
      recipient,
      payer,
    ],
  );
  const transfer = { transferId: rows[0]?.id ?? '', storeId, environment: 'test', sessionId: id } as const;
  await transaction(pool, (tx) =>
    postTransfers(tx, [{ ...transfer, network: spec.network, currency, amount, toStore: amount }]),
  );
  return id;
}

type Asked = {
  storeId: string;
  session: string;
  spec: NetworkSpec;
  cents: bigint;
  currency: string;
  takes: readonly AssetAmount[] | undefined;
  now: Date;
};

async function createRefund(
  pool: Pool,
  { storeId, session, spec, cents, currency, takes, now }: Asked,
): Promise<string> {
  const refundId = randomUUID();
  const id = intentIdOf({ storeId, environment: 'test', refundId });
  const { network } = spec;
  const decimalsOf = () => spec.tokens[currency]?.decimals ?? 6;
  await transaction(pool, async (tx) => {
    await tx.query('UPDATE sessions SET amount_refunded = amount_refunded + $2 WHERE id = $1', [session, cents]);
    await tx.query(
      `INSERT INTO refund_days AS d (store_id, environment, day, amount) VALUES ($1, 'test', $2::date, $3)
       ON CONFLICT (store_id, environment, day) DO UPDATE SET amount = d.amount + excluded.amount`,
      [storeId, now, cents],
    );
    await tx.query(
      `INSERT INTO refunds (id, store_id, environment, refund_id, session_id, order_id, amount, currency, network,
         request_hash, day, created_at, next_at)
       VALUES ($1, $2, 'test', $3, $4, $4, $5, $6, $7, '\\x00', $8::date, $8, $8)`,
      [id, storeId, refundId, session, cents, currency, network, now],
    );
    const paid = { network, currency, amount: centsToBaseUnits(cents, decimalsOf()) };
    const refund = { intentId: id, storeId, environment: 'test', sessionId: session } as const;
    if (takes?.length === 0) return;
    if (!(await reserveRefund(tx, refund, takes ?? [paid]))) throw new Error('the store has too little');
  });
  return id;
}
