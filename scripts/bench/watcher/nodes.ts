// The synthetic nodes, a separate process: one HTTP server, a path per network. IPC orders set the height and growth of
// each chain. Every order is answered with the heights and the number of Solana accounts requested so far.

import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { PACES, type NetworkName } from './chain';
import { openEvmNode, type Height } from './evm-node';
import { openSolanaNode } from './solana-node';
import { openTronNode } from './tron-node';

type Name = NetworkName | 'solana';
type Order = { readonly network: Name; readonly height: number; readonly perSecond: number };
type Growth = Order & { readonly since: number };

const SOLANA_FINAL_AFTER = 32;

const zero = Number(process.argv[2]);
const growth = new Map<string, Growth>();
const solana = { requests: 0, accounts: 0 };

const heightOf = (network: Name): Height => {
  const finalAfter = network === 'solana' ? SOLANA_FINAL_AFTER : PACES[network].finalAfter;
  return () => {
    const { height, perSecond, since } = growth.get(network) ?? { height: 0, perSecond: 0, since: 0 };
    const tip = height + Math.floor(((performance.now() - since) / 1000) * perSecond);
    return { tip, final: Math.max(0, tip - finalAfter) };
  };
};

const nodes: Record<string, (path: string, body: string) => string> = {
  ethereum: openEvmNode('ethereum', heightOf('ethereum'), zero),
  bsc: openEvmNode('bsc', heightOf('bsc'), zero),
  solana: openSolanaNode(heightOf('solana'), zero, (accounts) => {
    solana.requests += 1;
    solana.accounts += accounts;
  }),
  tron: openTronNode('tron', heightOf('tron'), zero),
};

const server = http.createServer((request, response) => {
  const [, network = '', ...rest] = (request.url ?? '').split('/');
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', () => {
    const text = nodes[network]?.(`/${rest.join('/')}`, Buffer.concat(parts).toString());
    response.writeHead(text === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(text);
  });
});

server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));

process.on('message', (order: Order) => {
  growth.set(order.network, { ...order, since: performance.now() });
  process.send?.({ ...heightOf(order.network)(), ...solana });
});
process.on('disconnect', () => process.exit(0));
