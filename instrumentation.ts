// Next calls `register` once when a server starts: `next start`, or the pages' process of server.ts. The rules for connections are
// in lib/api/adapters/next-start.ts.

export async function register(): Promise<void> {
  // Next also compiles this file for the Edge runtime, which nothing here uses. The condition leaves the import out there.
  if (process.env.NEXT_RUNTIME === 'nodejs') {
    const { startNext } = await import('@/lib/api/adapters/next-start');
    await startNext();
  }
}
