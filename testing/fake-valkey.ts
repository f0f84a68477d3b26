// A server that speaks Valkey's protocol and answers as the test says: what a real Valkey does only under load, while it loads its data, or
// with rare settings.

import { once } from 'node:events';
import net, { type AddressInfo, type Socket } from 'node:net';

/** `answer` gets the name of a command in lower case and returns what the server sends. Answers of a connection wait for each other. */
export async function startFakeValkey(answer: (command: string) => string | Promise<string>) {
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = net.createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => undefined).once('close', () => sockets.delete(socket));
    let unread = '';
    let answered = Promise.resolve();
    socket.setEncoding('utf8').on('data', (text: string) => {
      const { commands, rest } = commandsIn(unread + text);
      unread = rest;
      for (const command of commands)
        answered = answered.then(async () => {
          if (socket.destroyed) return;
          const reply = await answer(command);
          if (!socket.destroyed) socket.write(reply);
        });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    /** The connections that were made so far. */
    connections: () => connections,
    close(): void {
      server.close();
      sockets.forEach((socket) => socket.destroy());
    },
  };
}

/** A command is an array of bulk strings: `*2`, `$4`, `AUTH`, `$1`, `x`, each with CRLF, which no word of ours has. */
function commandsIn(text: string): { commands: string[]; rest: string } {
  const lines = text.split('\r\n');
  const commands: string[] = [];
  for (;;) {
    const length = 1 + 2 * Number(lines[0]?.slice(1));
    // The last one is what follows the last CRLF.
    if (!(lines.length > length)) return { commands, rest: lines.join('\r\n') };
    commands.push((lines[2] ?? '').toLowerCase());
    lines.splice(0, length);
  }
}

export const bulk = (text: string): string => `$${Buffer.byteLength(text)}\r\n${text}\r\n`;
