// Round trips are counted correctly wherever the network splits the database's messages.

import fc from 'fast-check';
import pg from 'pg';
import { expect, inject, test } from 'vitest';
import { countMessages, openCountingProxy } from './round-trips.mjs';

const message = (type: string, length: number): Buffer => {
  const bytes = Buffer.alloc(5 + length, 'Z');
  bytes.write(type, 0, 'latin1');
  bytes.writeUInt32BE(4 + length, 1);
  return bytes;
};

test('counts every message once, wherever the stream is split, and no bytes inside a message', () => {
  const messages = fc.array(fc.tuple(fc.constantFrom('Z', 'D', 'T', 'C', '1', '2'), fc.nat(40)), { maxLength: 30 });
  fc.assert(
    fc.property(messages, fc.array(fc.integer({ min: 1, max: 25 }), { minLength: 1 }), (sent, sizes) => {
      const stream = Buffer.concat(sent.map(([type, length]) => message(type, length)));
      const seen: string[] = [];
      const read = countMessages((type: number) => seen.push(String.fromCharCode(type)));
      for (let at = 0, n = 0; at < stream.length; n++) {
        const size = sizes[n % sizes.length] as number;
        read(stream.subarray(at, at + size));
        at += size;
      }
      expect(seen).toEqual(sent.map(([type]) => type));
    }),
  );
});

test('one statement is one round trip, a transaction of two statements is four', async () => {
  const proxy = await openCountingProxy(inject('databaseServer'));
  const client = new pg.Client({ connectionString: proxy.url });
  await client.connect();
  const counted = async (work: () => Promise<unknown>) => {
    const before = proxy.count();
    await work();
    return proxy.count() - before;
  };
  expect(await counted(() => client.query({ name: 'one', text: 'SELECT $1::int', values: [1] }))).toBe(1);
  expect(await counted(() => client.query({ name: 'one', text: 'SELECT $1::int', values: [2] }))).toBe(1);
  const inTransaction = async () => {
    for (const text of ['BEGIN', 'SELECT 1', 'SELECT 2', 'COMMIT']) await client.query(text);
  };
  expect(await counted(inTransaction)).toBe(4);
  await client.end();
  proxy.close();
});
