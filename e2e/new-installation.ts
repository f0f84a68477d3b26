// A new installation for the story of the first set-up: an empty data directory and `npm start` without a sandbox. It
// has a TLS proxy in front, an Ethereum node for the endpoint proof, a mail server, and the server's terminal.

import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import fs from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import net, { type AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { selfSigned } from '../testing/receivers/receiver-certificate';

const DAY = 86_400_000;
const GENESIS = '0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3';

/** `setUpLink` resolves to the link that the start prints. `close` stops everything. */
export async function startNewInstallation() {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'stabletill-new-'));
  const port = await freePort();
  const proxy = proxyTo(port);
  const [node, mail] = [ethereum(), mailServer()];
  for (const server of [proxy, node, mail.server]) await once(server.listen(0, '127.0.0.1'), 'listening');
  const publicUrl = `https://localhost:${portOf(proxy)}`;
  const environment = { PORT: String(port), PUBLIC_URL: publicUrl, TRUSTED_PROXIES: '127.0.0.1/32', SANDBOX: 'off' };
  const env = { ...process.env, ...environment, DATA_DIR: directory };
  const child = spawn(process.execPath, ['scripts/start.mjs'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const setUpLink = new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const [link] = /https:\/\/\S+\/setup\?token=\S+/.exec(line) ?? [];
      if (link) resolve(link);
    });
    child.once('exit', (code) => reject(new Error(`the start ended with ${code}`)));
  });
  return {
    publicUrl,
    setUpLink,
    nodeUrl: `http://127.0.0.1:${portOf(node)}`,
    mailPort: portOf(mail.server),
    mails: mail.mails,
    settingsFile: path.join(directory, 'settings.env'),
    writeDownWords: () => writeDownWords(env),
    /** The doctor's output at a new terminal of the server, which has only the data directory. */
    doctor: () => doctor({ PATH: process.env.PATH, HOME: process.env.HOME, DATA_DIR: directory }),
    async close(): Promise<void> {
      if (child.exitCode === null) {
        child.kill('SIGTERM');
        await once(child, 'exit');
      }
      proxy.closeAllConnections();
      for (const server of [proxy, node, mail.server]) server.close();
      fs.rmSync(directory, { recursive: true, force: true });
    },
  };
}

export type NewInstallation = Awaited<ReturnType<typeof startNewInstallation>>;

async function doctor(env: Record<string, string | undefined>): Promise<string> {
  const child = spawn(process.execPath, ['scripts/stabletill.mjs', 'doctor'], {
    env: env as NodeJS.ProcessEnv,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
  await once(child, 'exit');
  return printed;
}

const portOf = (server: net.Server): number => (server.address() as AddressInfo).port;

async function freePort(): Promise<number> {
  const server = net.createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const port = portOf(server);
  server.close();
  await once(server, 'close');
  return port;
}

function proxyTo(port: number): https.Server {
  const now = Date.now();
  return https.createServer(selfSigned('localhost', new Date(now - DAY), new Date(now + DAY)), (request, response) => {
    const { method, url, headers } = request;
    const passed = http.request({ port, method, path: url, headers: { ...headers, 'x-forwarded-for': '203.0.113.7' } });
    passed.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    passed.on('error', () => response.writeHead(502).end());
    request.pipe(passed);
  });
}

type Call = { readonly id: number; readonly method: string; readonly params: readonly unknown[] };

/** A block every two seconds, each final at once. */
function ethereum(): http.Server {
  const first = Math.trunc(Date.now() / 1000) - 200;
  const newest = () => Math.trunc((Date.now() / 1000 - first) / 2);
  const hashOf = (number: number) =>
    number === 0 ? GENESIS : `0x${createHash('sha256').update(String(number)).digest('hex')}`;
  const hex = (number: number) => `0x${number.toString(16)}`;
  const block = (tag: unknown) => {
    const number = String(tag).startsWith('0x') ? Number(tag) : newest();
    const [hash, parentHash] = [hashOf(number), hashOf(Math.max(0, number - 1))];
    return { number: hex(number), hash, parentHash, timestamp: hex(first + 2 * number), transactions: [] };
  };
  const answers: Record<string, (params: readonly unknown[]) => unknown> = {
    eth_chainId: () => '0x1',
    eth_getBlockByNumber: ([tag]) => block(tag),
    eth_getLogs: () => [],
    eth_gasPrice: () => hex(1_000_000_000),
    eth_getBalance: () => '0x0',
    eth_getTransactionCount: () => '0x0',
    eth_getCode: () => '0x60',
    // The tokens' decimals are 6; all balances are 0.
    eth_call: ([call]) => `0x${((call as { data: string }).data === '0x313ce567' ? '6' : '0').padStart(64, '0')}`,
  };
  const answer = ({ id, method, params }: Call) => {
    const known = answers[method];
    if (known) return { jsonrpc: '2.0', id, result: known(params) };
    return { jsonrpc: '2.0', id, error: { code: -32601, message: 'no such method' } };
  };
  return http.createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (part: string) => (text += part));
    request.on('end', () => {
      const calls = JSON.parse(text) as Call | Call[];
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(Array.isArray(calls) ? calls.map(answer) : answer(calls)));
    });
  });
}

function mailServer() {
  const mails: string[] = [];
  const server = net.createServer((socket) => {
    let body: string | null = null;
    socket.on('error', () => {});
    socket.setEncoding('utf8').on('data', (text: string) => {
      if (body !== null) {
        body += text;
        if (!body.endsWith('\r\n.\r\n')) return;
        mails.push(body);
        body = null;
      } else if (/^DATA/i.test(text)) {
        body = '';
        return void socket.write('354 go on\r\n');
      }
      socket.write('250 fine\r\n');
    });
    socket.write('220 mail\r\n');
  });
  return { server, mails };
}

/** A person at the server's terminal: reads the words, writes them down, and types the three requested ones. */
async function writeDownWords(env: NodeJS.ProcessEnv): Promise<void> {
  const command = [process.execPath, 'scripts/stabletill.mjs', 'setup', 'words'];
  const args =
    process.platform === 'darwin' ? ['-q', '/dev/null', ...command] : ['-qfec', command.join(' '), '/dev/null'];
  const child = spawn('script', args, { env, stdio: ['pipe', 'pipe', 'inherit'] });
  const words = new Map<string, string>();
  let screen = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    screen += text;
    for (const [, number = '', word = ''] of screen.matchAll(/^ ?(\d+) {2}([a-z]+)\r$/gm)) words.set(number, word);
    const [, asked] = /Word (\d+) [^:]*: $/.exec(screen) ?? [];
    if (asked === undefined && !/Press Enter[^\n]*$/.test(screen)) return;
    screen = '';
    child.stdin.write(`${asked === undefined ? '' : words.get(asked)}\r`);
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`the words were not confirmed: ${code}`);
}
