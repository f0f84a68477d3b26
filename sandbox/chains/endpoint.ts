// The RPC endpoint of a local chain, as the product and developers reach it: a TCP forwarder in front of the node that can be taken away while
// the chain goes on, as a provider's outage does.

import net from 'node:net';

export type Endpoint = {
  readonly url: string;
  /** While it is away, connections are refused and open ones are cut. */
  readonly setAway: (isAway: boolean) => Promise<void>;
  readonly stop: () => Promise<void>;
};

const HOST = '127.0.0.1';

/** Listens on a free port of this machine. The port stays the same when the endpoint comes back. */
export async function openEndpoint(target: string): Promise<Endpoint> {
  const { hostname, port: targetPort, protocol } = new URL(target);
  const open = new Set<net.Socket>();
  const server = net.createServer((from) => {
    const to = net.connect(Number(targetPort), hostname);
    for (const [one, other] of [
      [from, to],
      [to, from],
    ] as const) {
      open.add(one);
      one.setNoDelay(true);
      // `close` follows, which ends the other side.
      one.on('error', () => {});
      one.on('close', () => {
        open.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  });
  const listen = (port: number): Promise<void> =>
    new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, HOST, () => {
        server.off('error', reject);
        resolve();
      });
    });
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      for (const one of open) one.destroy();
    });
  await listen(0);
  const { port } = server.address() as net.AddressInfo;
  return {
    url: `${protocol}//${HOST}:${port}`,
    setAway: async (isAway) => {
      if (isAway === !server.listening) return;
      await (isAway ? close() : listen(port));
    },
    stop: async () => {
      if (server.listening) await close();
    },
  };
}
