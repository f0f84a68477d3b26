// A programmable Solana node on loopback for tests: an in-memory ledger behind real HTTP and JSON-RPC. Tests can
// falsify every response. It responds like agave, including its error codes.

import http from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  accountData,
  COIN,
  fakeKey,
  fakeSignature,
  mintData,
  SolanaLedger,
  TOKEN_PROGRAM,
  type FakeTransaction,
  type MinedTransaction,
  type TokenState,
} from './solana-ledger';

type Rpc = { id: number; method: string; params: unknown[] };
type Options = {
  commitment?: 'confirmed' | 'finalized';
  minContextSlot?: number;
  dataSlice?: { offset: number; length: number };
  maxSupportedTransactionVersion?: number;
  limit?: number;
  before?: string;
  until?: string;
};
type FakeBlock = {
  slot: number;
  hash: string;
  parentHash: string;
  parentSlot: number;
  time: number;
  transactions: MinedTransaction[];
};

export type FakeSolanaNode = {
  readonly url: string;
  readonly blocks: FakeBlock[];
  readonly ledger: SolanaLedger;
  /** The number of calls per method. */
  readonly calls: Map<string, number>;
  genesis: string;
  /** Mints with their decimals and their token program. */
  readonly mints: Map<string, { decimals: number; program: string }>;
  /** Slots between the newest and the finalized one. */
  finalDepth: number;
  /** The number of newest slots that lists of signatures do not know yet. */
  listLag: number;
  /** The highest value of maxSupportedTransactionVersion that is accepted. */
  highestVersion: number;
  /** Replaces results; undefined keeps the true one. An object `{ error }` becomes a JSON-RPC error. */
  tamper: (call: Rpc, result: unknown) => unknown;
  /** If it returns true, it has sent the whole HTTP response itself. */
  hijack: (request: http.IncomingMessage, response: http.ServerResponse, body: string) => boolean;
  /** Mines one block; `skip` slots before it stay empty. */
  mine(transactions?: FakeTransaction[], options?: { time?: number; skip?: number }): FakeBlock;
  /** Drops the newest blocks with all their effects; blocks mined afterwards have other hashes. */
  drop(depth: number): void;
  close(): Promise<void>;
};

/** Starts a node with a genesis block; by default blocks are one second apart. */
export async function startFakeSolanaNode(options: {
  mints: Record<string, number>;
  time: number;
  genesis?: string;
}): Promise<FakeSolanaNode> {
  let drawn = 0;
  const salt = `${options.genesis ?? ''} ${Math.trunc(performance.now() * 1000)}`;
  const newHash = () => fakeKey(`${salt} ${drawn++}`);
  const first = {
    slot: 0,
    hash: newHash(),
    parentHash: newHash(),
    parentSlot: 0,
    time: options.time,
    transactions: [],
  };
  const node: FakeSolanaNode = {
    url: '',
    blocks: [first],
    ledger: new SolanaLedger(options.mints),
    calls: new Map(),
    genesis: options.genesis ?? first.hash,
    mints: new Map(
      Object.entries(options.mints).map(([mint, decimals]) => [mint, { decimals, program: TOKEN_PROGRAM }]),
    ),
    finalDepth: 0,
    listLag: 0,
    highestVersion: 255,
    tamper: () => undefined,
    hijack: () => false,
    mine(transactions = [], { time, skip = 0 } = {}) {
      const parent = node.blocks.at(-1)!;
      const slot = parent.slot + 1 + skip;
      const block: FakeBlock = {
        slot,
        hash: newHash(),
        parentHash: parent.hash,
        parentSlot: parent.slot,
        time: time ?? parent.time + 1,
        transactions: transactions.map((one) =>
          node.ledger.apply(slot, one, one.signature ?? fakeSignature(`${salt} ${drawn++}`)),
        ),
      };
      node.blocks.push(block);
      return block;
    },
    drop(depth) {
      node.blocks.splice(node.blocks.length - depth, depth);
      node.ledger.drop(node.blocks.at(-1)!.slot);
    },
    close: () => new Promise((resolve) => (server.closeAllConnections(), server.close(() => resolve()))),
  };

  const answer = (call: Rpc): object => {
    node.calls.set(call.method, (node.calls.get(call.method) ?? 0) + 1);
    const result = resultOf(node, call);
    const tampered = node.tamper(call, result);
    const given = tampered === undefined ? result : tampered;
    const error = typeof given === 'object' && given !== null && 'error' in given ? { error: given.error } : null;
    return { jsonrpc: '2.0', id: call.id, ...(error ?? { result: given }) };
  };
  const server = http.createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const body = Buffer.concat(parts).toString();
      if (node.hijack(request, response, body)) return;
      response.setHeader('content-type', 'application/json');
      // As agave writes it: the number does not fit a double, and a parser must accept it.
      response.end(
        JSON.stringify(answer(JSON.parse(body) as Rpc)).replaceAll('"rentEpoch":0', '"rentEpoch":18446744073709551615'),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return Object.assign(node, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/key-9f8e7d` });
}

const refusal = (code: number, message: string) => ({ error: { code, message } });

function resultOf(node: FakeSolanaNode, { method, params }: Rpc): unknown {
  const [first, second, third] = params;
  const options = (third ?? second ?? first ?? {}) as Options;
  const newest = newestSlot(node, options.commitment);
  if ((options.minContextSlot ?? 0) > newest) {
    return refusal(-32016, 'Minimum context slot has not been reached');
  }
  const context = { apiVersion: '4.2.2', slot: newest };
  switch (method) {
    case 'getGenesisHash':
      return node.genesis;
    case 'getSlot':
      return newest;
    case 'getFirstAvailableBlock':
      return node.blocks[0]!.slot;
    case 'getBlock':
      return blockOf(node, first as number, newest);
    case 'getMultipleAccounts':
      return { context, value: (first as string[]).map((key) => accountOf(node, key, newest, options)) };
    case 'getTokenAccountsByOwner': {
      const held = node.ledger.accounts().filter((key) => {
        const state = node.ledger.at(key, newest);
        return (
          state?.owner === first && (state?.program ?? TOKEN_PROGRAM) === (second as { programId: string }).programId
        );
      });
      return { context, value: held.map((pubkey) => ({ pubkey, account: accountOf(node, pubkey, newest, options) })) };
    }
    case 'getSignaturesForAddress':
      return signaturesOf(node, first as string, newest, options);
    case 'getTransaction':
      return transactionOf(node, first as string, newest, options);
    case 'getSignatureStatuses':
      return {
        context: { slot: node.blocks.at(-1)!.slot },
        value: (first as string[]).map((one) => statusOf(node, one)),
      };
    default:
      return refusal(-32601, 'Method not found');
  }
}

function newestSlot(node: FakeSolanaNode, commitment: Options['commitment'] = 'finalized'): number {
  const tip = node.blocks.at(-1)!.slot;
  if (commitment === 'confirmed') return tip;
  return node.blocks.findLast(({ slot }) => slot <= tip - node.finalDepth)?.slot ?? 0;
}

function blockOf(node: FakeSolanaNode, slot: number, newest: number): unknown {
  const block = node.blocks.find((one) => one.slot === slot);
  if (slot > newest) return refusal(-32004, `Block not available for slot ${slot}`);
  if (!block) return refusal(-32007, `Slot ${slot} was skipped, or missing due to ledger jump to recent snapshot`);
  const { hash: blockhash, parentHash: previousBlockhash, parentSlot, time: blockTime } = block;
  return { blockhash, previousBlockhash, parentSlot, blockTime, blockHeight: node.blocks.indexOf(block) };
}

function accountOf(node: FakeSolanaNode, key: string, slot: number, { dataSlice }: Options): unknown {
  const mint = node.mints.get(key);
  const state = node.ledger.at(key, slot);
  const whole = mint ? mintData(mint.decimals) : state && accountData(state);
  if (!whole) return null;
  const data = dataSlice ? whole.subarray(dataSlice.offset, dataSlice.offset + dataSlice.length) : whole;
  const owner = mint?.program ?? state?.program ?? TOKEN_PROGRAM;
  return {
    lamports: 1488440,
    owner,
    executable: false,
    rentEpoch: 0,
    space: whole.length,
    data: [data.toString('base64'), 'base64'],
  };
}

const mined = (node: FakeSolanaNode): MinedTransaction[] => node.blocks.flatMap(({ transactions }) => transactions);

function signaturesOf(node: FakeSolanaNode, key: string, newest: number, { limit = 1000, before, until }: Options) {
  const all = mined(node)
    .filter(({ keys, slot }) => keys.includes(key) && slot <= newest - node.listLag)
    .toReversed();
  const from = before === undefined ? 0 : all.findIndex(({ signature }) => signature === before) + 1;
  const end = until === undefined ? -1 : all.findIndex(({ signature }) => signature === until);
  const part = all.slice(from, Math.min(from + limit, end === -1 ? all.length : end));
  return part.map(({ signature, slot, err, memo }) => ({
    signature,
    slot,
    err,
    memo,
    confirmationStatus: 'finalized',
  }));
}

function transactionOf(node: FakeSolanaNode, signature: string, newest: number, options: Options): unknown {
  const most = options.maxSupportedTransactionVersion ?? -1;
  if (most > node.highestVersion) return refusal(-32602, 'Invalid params: maxSupportedTransactionVersion');
  const found = mined(node).find((one) => one.signature === signature && one.slot <= newest);
  if (!found) return null;
  if (found.version !== 'legacy' && found.version > most) {
    return refusal(-32015, `Transaction version (${found.version}) is not supported by the requesting client.`);
  }
  const block = node.blocks.find(({ slot }) => slot === found.slot)!;
  const own = found.looksUp ? found.keys.slice(0, 1) : found.keys;
  return {
    slot: found.slot,
    blockTime: block.time,
    version: found.version,
    meta: {
      err: found.err,
      fee: 5000,
      preTokenBalances: found.pre,
      postTokenBalances: found.post,
      ...coinOf(found),
      loadedAddresses: { writable: found.looksUp ? found.keys.slice(1) : [], readonly: [] },
      logMessages: [`Program log: ${found.memo ?? ''}`],
    },
    transaction: {
      signatures: [signature],
      message: { accountKeys: own, recentBlockhash: block.parentHash, instructions: [] },
    },
  };
}

const coinOf = ({ coin, keys }: MinedTransaction): object =>
  coin ? { preBalances: keys.map(() => COIN), postBalances: keys.map((key) => COIN + (coin[key] ?? 0)) } : {};

function statusOf(node: FakeSolanaNode, signature: string): unknown {
  const found = mined(node).find((one) => one.signature === signature);
  if (!found) return null;
  const final = found.slot <= newestSlot(node, 'finalized');
  const confirmations = final ? null : node.blocks.at(-1)!.slot - found.slot;
  return { slot: found.slot, confirmations, err: found.err, confirmationStatus: final ? 'finalized' : 'confirmed' };
}

/** A plain payment between two token accounts in their current state; a missing one is opened. */
export function payment(
  { ledger }: FakeSolanaNode,
  pay: {
    from: { account: string; owner: string };
    to: { account: string; owner: string };
    mint: string;
    amount: bigint;
  },
): FakeTransaction {
  const side = ({ account, owner }: { account: string; owner: string }, change: bigint) => {
    const state: TokenState = ledger.now(account) ?? { mint: pay.mint, owner, amount: 0n };
    return { account, state: { ...state, amount: state.amount + change } };
  };
  return { changes: [side(pay.from, -pay.amount), side(pay.to, pay.amount)] };
}
