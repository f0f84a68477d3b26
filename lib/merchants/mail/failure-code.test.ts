// The codes are those that nodemailer reports for real faulty servers.

import net, { type AddressInfo } from 'node:net';
import { createTransport } from 'nodemailer';
import { afterEach, expect, test } from 'vitest';
import { mailFailureCode } from './failure-code';

const servers: net.Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** A server that greets, offers nothing and refuses every sender. */
async function plainServer(): Promise<number> {
  const server = net.createServer((socket) => {
    socket.on('error', () => {}).write('220 mail.example\r\n');
    socket.on('data', (line) => {
      socket.write(/^(EHLO|HELO)/.test(String(line)) ? '250 mail.example\r\n' : '535 secret-words\r\n');
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

const send = (port: number, options: object) =>
  createTransport({ host: '127.0.0.1', port, connectionTimeout: 3000, ...options })
    .sendMail({ from: 'a@pay.example', to: 'b@pay.example', text: 'x' })
    .then(() => 'sent', mailFailureCode);

test('reports an unreachable server, a server without TLS and a refusal as different codes, without the server’s text', async () => {
  const port = await plainServer();
  expect(await send(port, { secure: true })).toBe('ETLS');
  expect(await send(port, { requireTLS: true })).toBe('ETLS');
  expect(await send(port, {})).toBe('535');
  servers[0]?.close();
  expect(await send(port, {})).toBe('ECONNREFUSED');
});

test('an error that is not a mail server’s has no code', () => {
  for (const other of [null, undefined, 'words', { code: 'with words' }, {}])
    expect(mailFailureCode(other)).toBe('no reason given');
});
