// A server of a test on a free port of this machine.

import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Starts it. `close` it in `afterAll`. */
export async function openServer(server: Server) {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    ...{ server, port, url: `http://127.0.0.1:${port}` },
    close: async () => {
      const isClosed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await isClosed;
    },
  };
}

export type OpenedServer = Awaited<ReturnType<typeof openServer>>;
