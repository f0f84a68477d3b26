// Prisma's client on the service's pools: one client per pool, loaded at its first use, because it costs memory and most of a
// second, and the signed API and the signer never need it. Inside `transaction` it uses that transaction's connection, so that
// Prisma and hand-written statements see each other's writes and commit or roll back together.

import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import pg from 'pg';
import type { PrismaPg } from '@prisma/adapter-pg';
import type { Prisma, PrismaClient } from '@/prisma/generated/client';
import { openTransaction, type Db, type Follower, type Pool, type Tx } from './db';

/** The text of a Prisma statement varies with the length of its lists. Beyond this many texts no further statement is named. */
const NAMED_STATEMENTS = 500;
/** Prisma's own limits on a transaction. Those of the pool and of the connection are shorter, so they decide. */
const LIMITS = { maxWait: 60_000, timeout: 600_000 };
const WARM_AFTER_MS = 5000;

/** The transaction that Prisma is about to join, and whether it did. */
type Joining = { readonly tx: Tx; isJoined: boolean };
type Shared = { clients: WeakMap<Pool, Promise<PrismaClient>>; joining: AsyncLocalStorage<Joining> };
/** A process has several copies of this file, in Next's bundles and its own. A client of one joins the transactions of all. */
const shared = globalThis as unknown as { stabletillPrisma?: Shared };
const { clients, joining } = (shared.stabletillPrisma ??= { clients: new WeakMap(), joining: new AsyncLocalStorage() });

/** Prisma's client on a pool, or within an open `transaction`. */
export async function prismaOn(db: Db): Promise<Prisma.TransactionClient> {
  const open = openTransaction(db);
  if (!open) {
    // The adapter would take a connection as settings, and open others.
    if (!(db instanceof pg.Pool)) throw new Error('neither a pool nor an open transaction');
    return openPrisma(db);
  }
  open.follower ??= follow(open.pool, db as Tx);
  return (await open.follower).prisma;
}

/** The whole client of a pool, which can also end. Use-cases take `prismaOn`. */
export function openPrisma(pool: Pool): Promise<PrismaClient> {
  const known = clients.get(pool);
  if (known) return known;
  const loading = load(pool);
  clients.set(pool, loading);
  loading.catch(() => clients.delete(pool));
  return loading;
}

/**
 * Loads the client soon after a start, so that the first page that needs it does not wait. The load takes the processor for most
 * of a second, and the first requests after a start come before it. A failed load is tried again at the first use.
 */
export function warmPrismaLater(pool: Pool): void {
  const warm = (): Promise<void> => openPrisma(pool).then((prisma) => prisma.$connect());
  setTimeout(() => void warm().catch(() => {}), WARM_AFTER_MS).unref();
}

/** Opens a transaction of Prisma's that lives on the connection of `tx`, until `end`. */
async function follow(pool: Pool, tx: Tx): Promise<Follower> {
  const prisma = await openPrisma(pool);
  return new Promise((resolve, reject) => {
    let finish!: () => void;
    const finished = new Promise<void>((done) => (finish = done));
    const place: Joining = { tx, isJoined: false };
    const ended = joining.run(place, () =>
      prisma.$transaction(async (client) => {
        if (!place.isJoined) throw new Error('Prisma did not join the transaction');
        resolve({ prisma: client, end });
        await finished;
      }, LIMITS),
    );
    // Prisma sends nothing at its end (`join`), so a failure there changes nothing.
    const settled = ended.catch(reject);
    const end = (): Promise<void> => {
      finish();
      return settled;
    };
  });
}

type Joined = ReturnType<Awaited<ReturnType<PrismaPg['connect']>>['startTransaction']>;

async function load(pool: Pool): Promise<PrismaClient> {
  const [{ PrismaClient }, { PrismaPg }] = await Promise.all([
    import('@/prisma/generated/client'),
    import('@prisma/adapter-pg'),
  ]);
  const options = { statementNameGenerator: statementNames() };
  const factory = new PrismaPg(pool, options);
  const { provider, adapterName } = factory;
  const join = async (tx: Tx): Joined => {
    const bound = await new PrismaPg(asPool(pool, tx), options).connect();
    return {
      provider,
      adapterName,
      queryRaw: (query) => bound.queryRaw(query),
      executeRaw: (query) => bound.executeRaw(query),
      // Prisma then sends no COMMIT and no ROLLBACK. `transaction` does.
      options: { usePhantomQuery: true },
      commit: async () => {},
      rollback: async () => {},
    };
  };
  const connect = async () => {
    const adapter = await factory.connect();
    const start = adapter.startTransaction.bind(adapter);
    adapter.startTransaction = (isolationLevel) => {
      const place = joining.getStore();
      if (!place) return start(isolationLevel);
      place.isJoined = true;
      return join(place.tx);
    };
    return adapter;
  };
  // Messages without the calling source code, which Prisma would read from the disk.
  return new PrismaClient({ adapter: { provider, adapterName, connect }, errorFormat: 'minimal' });
}

/** One connection in the form in which the adapter takes a pool: it queries it, and listens for errors that `transaction` handles. */
const asPool = (pool: Pool, tx: Tx): Pool =>
  Object.create(pool, { query: { value: tx.query.bind(tx) }, on: { value: () => {} } }) as Pool;

function statementNames(): (query: { sql: string }) => string {
  const names = new Map<string, string>();
  return ({ sql }) => {
    const known = names.get(sql);
    if (known !== undefined || names.size >= NAMED_STATEMENTS) return known as string;
    const name = `p${createHash('sha256').update(sql).digest('hex').slice(0, 20)}`;
    names.set(sql, name);
    return name;
  };
}
