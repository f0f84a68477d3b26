// A Valkey or Redis server for tests of what web processes share. It listens on a free port of this machine and stores nothing on disk.
// `npm test` installs it.

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import net, { type AddressInfo } from 'node:net';
import { Redis } from 'iovalkey';

const PROGRAMS = ['/usr/bin/valkey-server', '/usr/local/bin/valkey-server', '/usr/bin/redis-server'];
const PASSWORD = 'a-password-of-tests';

export type ValkeyServer = Awaited<ReturnType<typeof startValkey>>;

export async function startValkey() {
  const program = PROGRAMS.find((file) => fs.existsSync(file));
  if (!program)
    throw new Error(
      'These tests need Valkey or Redis (Debian: apt-get install redis-server). npm test installs it as root.',
    );
  const port = await freePort();
  const url = `redis://:${PASSWORD}@127.0.0.1:${port}`;
  const start = async (): Promise<ChildProcess> => {
    const settings = { port, bind: '127.0.0.1', save: '', appendonly: 'no', requirepass: PASSWORD, dir: '/tmp' };
    const words = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
    const started = spawn(program, words, { stdio: ['ignore', 'pipe', 'inherit'] });
    await new Promise<void>((resolve, reject) => {
      started.stdout.on('data', (text: Buffer) => void (text.includes('Ready to accept connections') && resolve()));
      started.once('exit', (code) => reject(new Error(`${program} ended with ${code}`)));
    });
    return started;
  };
  let running = await start();
  /** For what a test reads and changes. */
  const client = new Redis(url, { retryStrategy: () => 20 });
  client.on('error', () => undefined);
  const kill = async (): Promise<void> => {
    if (running.exitCode !== null || running.signalCode !== null) return;
    running.kill('SIGKILL');
    await once(running, 'exit');
  };
  return {
    ...{ url, port, client, kill },
    /** A url with another password. */
    refusedUrl: url.replace(PASSWORD, 'another'),
    restart: async (): Promise<void> => void (running = await start()),
    /** It accepts connections and answers nothing. */
    hang: () => running.kill('SIGSTOP'),
    wake: () => running.kill('SIGCONT'),
    async close(): Promise<void> {
      client.disconnect();
      await kill();
    },
  };
}

async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
