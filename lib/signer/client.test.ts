import { randomBytes } from 'node:crypto';
import net from 'node:net';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { keysFromSeed } from '@/lib/treasury/wallets/derivation';
import { SignerClient } from './client';
import { useTemporaryDirectory } from '@/testing/temporary-directory';

const keys = keysFromSeed(randomBytes(64));
const directory = useTemporaryDirectory();
const inside = (name: string): string => path.join(directory, name);
const client = (timeout?: number) => new SignerClient(inside('signer.sock'), timeout);

describe('the client rejects a response that does not match its request', () => {
  const serving = async (reply: (line: string, socket: net.Socket) => void, ask: () => Promise<unknown>) => {
    const server = net.createServer((socket) => {
      socket.on('error', () => {});
      socket.on('data', (chunk: Buffer) => reply(chunk.toString(), socket));
    });
    await new Promise<void>((resolve) => server.listen(inside('signer.sock'), resolve));
    try {
      return await ask();
    } finally {
      await new Promise((resolve) => server.close(resolve));
    }
  };
  const good = { fingerprint: keys.fingerprint, addresses: [keys.addressesAt(0)] };
  const idOf = (line: string): string => JSON.parse(line).id;
  test.each<[string, (line: string) => string, string]>([
    ['not JSON', () => 'hello\n', 'contradiction'],
    ["another call's answer", () => `${JSON.stringify({ id: 'other', result: good })}\n`, 'contradiction'],
    ['a result of another form', (line) => `${JSON.stringify({ id: idOf(line), result: {} })}\n`, 'contradiction'],
    [
      'an address that is none',
      (line) =>
        `${JSON.stringify({ id: idOf(line), result: { ...good, addresses: [{ ...good.addresses[0], evm: '0x1' }] } })}\n`,
      'contradiction',
    ],
    ['an answer without end', () => 'x'.repeat(300_000), 'contradiction'],
    [
      'a refusal',
      (line) => `${JSON.stringify({ id: idOf(line), error: { code: 'failed', message: 'no' } })}\n`,
      'refused',
    ],
  ])('%s', async (_what, reply, fault) => {
    const asked = serving(
      (line, socket) => void socket.write(reply(line)),
      () => client().addresses(0, 1),
    );
    await expect(asked).rejects.toMatchObject({ fault, retryable: false });
  });

  test('a missing response, a closed connection and a missing socket are retryable errors', async () => {
    const retryable = { fault: 'unavailable', retryable: true };
    await expect(
      serving(
        () => {},
        () => client(50).fingerprint(),
      ),
    ).rejects.toMatchObject(retryable);
    await expect(
      serving(
        (_line, socket) => void socket.destroy(),
        () => client().fingerprint(),
      ),
    ).rejects.toMatchObject(retryable);
    await expect(client().fingerprint()).rejects.toMatchObject(retryable);
  });
});
