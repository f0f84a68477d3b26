// A synthetic TRON node: java-tron's HTTP responses from a synthetic chain, full and solid. A block has as many other
// transactions as transfers. Transactions have their real length, because the watcher reads all of them.

import { networkSpec } from '@/lib/networks/networks';
import { remembering, syntheticBlock, type NetworkName, type SyntheticBlock, type SyntheticTransfer } from './chain';
import type { Height } from './evm-node';

const CHAIN_ID = networkSpec('test', 'tron', 'local')?.chainId ?? 0;

type Texts = { readonly header: string; readonly transactions: string; readonly infos: string };
type Ask = { num?: number; id_or_num?: string; detail?: boolean; startNum?: number; endNum?: number };

const TRANSFER = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
/** TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t as its twenty bytes. */
const USDT = 'a614f803b6fd780986a42c78ec9c7f77e6ded13c';
const SIGNATURE =
  '99560ec38b72b17cb7d409b3a7799ee2486f85d37d1d93c382264a4bc57864744f90d2053c6da8cbf8e15f88cb6cc7c12629272c0b834d1c0f3002710bc2fdeb01';
const word = (digits: string): string => digits.padStart(64, '0');

/** Opens the node: a function from a request's path and body to the response. */
export function openTronNode(
  network: NetworkName,
  height: Height,
  zero: number,
): (path: string, body: string) => string {
  const texts = remembering((number) => makeTexts(syntheticBlock(network, number, zero)), 600);

  function block(path: string, { num, id_or_num: id, detail }: Ask): string {
    const { tip, final } = height();
    const newest = path.startsWith('/walletsolidity/') ? final : tip;
    const number = num ?? (id === undefined ? newest : Number(id));
    if (number > newest) return '{}';
    const { header, transactions } = texts(number);
    return detail === false ? `{${header}}` : `{${header},"transactions":[${transactions}]}`;
  }

  return (path, body) => {
    const ask = (body === '' ? {} : JSON.parse(body)) as Ask;
    const api = path.slice(path.lastIndexOf('/') + 1);
    switch (api) {
      case 'jsonrpc':
        return JSON.stringify(rpcAnswer(network, zero, JSON.parse(body) as RpcCall));
      case 'getblock':
      case 'getnowblock':
      case 'getblockbynum':
        return block(path, ask);
      case 'getblockbylimitnext': {
        const { startNum = 0, endNum = 0 } = ask;
        const numbers = Array.from({ length: endNum - startNum }, (_, index) => startNum + index);
        const blocks = numbers.map((num) => block(path, { num })).filter((text) => text !== '{}');
        return `{"block":[${blocks.join()}]}`;
      }
      case 'gettransactioninfobyblocknum':
        return ask.num === 0 ? '{}' : `[${texts(ask.num ?? 0).infos}]`;
      case 'triggerconstantcontract':
        return JSON.stringify({ result: { result: true }, constant_result: [word('6')] });
      default:
        throw new Error(`the synthetic node does not know ${path}`);
    }
  };
}

type RpcCall = { id: number; method: string; params: [{ fromBlock: string; toBlock: string }] };

/** The chain's id, or all transfers of the requested blocks. */
function rpcAnswer(network: NetworkName, zero: number, { id, method, params: [filter] }: RpcCall): object {
  if (method === 'eth_chainId') return { jsonrpc: '2.0', id, result: `0x${CHAIN_ID.toString(16)}` };
  const [from, to] = [Number(filter.fromBlock), Number(filter.toBlock)];
  const numbers = Array.from({ length: to - from + 1 }, (_, index) => from + index);
  const result = numbers.flatMap((number) => {
    const { hash, transfers } = syntheticBlock(network, number, zero);
    return transfers.map((one) => {
      const { address, topics, data } = logOf(one);
      return {
        address: `0x${address}`,
        topics: topics.map((topic) => `0x${topic}`),
        data: `0x${data}`,
        blockNumber: `0x${number.toString(16)}`,
        blockHash: `0x${hash}`,
        transactionHash: `0x${one.hash}`,
      };
    });
  });
  return { jsonrpc: '2.0', id, result };
}

function makeTexts({ number, hash, parentHash, time, transfers }: SyntheticBlock): Texts {
  const raw = { number, parentHash, timestamp: time * 1000, version: 34, txTrieRoot: hash };
  const header = JSON.stringify({ blockID: hash, block_header: { raw_data: raw, witness_signature: SIGNATURE } });
  const listed = transfers.flatMap((one) => [listedTransfer(one), listedOther(one)]);
  const infos = transfers.flatMap((one) => [
    { ...infoOf(one.hash, number, time), contract_address: `41${USDT}`, receipt: RECEIPT, log: [logOf(one)] },
    infoOf(otherId(one), number, time),
  ]);
  return {
    header: header.slice(1, -1),
    transactions: listed.map((one) => JSON.stringify(one)).join(),
    infos: infos.map((one) => JSON.stringify(one)).join(),
  };
}

const RECEIPT = {
  energy_usage: 4475,
  energy_fee: 26420100,
  energy_usage_total: 130285,
  net_usage: 345,
  result: 'SUCCESS',
};
const otherId = ({ hash }: SyntheticTransfer): string => [...hash].toReversed().join('');

const infoOf = (id: string, blockNumber: number, time: number) => ({
  id,
  fee: 26420100,
  blockNumber,
  blockTimeStamp: time * 1000,
  contractResult: [word('0')],
});

const logOf = ({ payer, recipient, amount }: SyntheticTransfer) => ({
  address: USDT,
  topics: [TRANSFER, word(payer), word(recipient)],
  data: word(amount.toString(16)),
});

const listedTransfer = ({ hash, payer, recipient, amount }: SyntheticTransfer) => {
  const data = `a9059cbb${word(recipient)}${word(amount.toString(16))}`;
  const value = { data, owner_address: `41${payer}`, contract_address: `41${USDT}` };
  return listed(hash, 'TriggerSmartContract', value, data + hash.repeat(3));
};

const listedOther = (one: SyntheticTransfer) =>
  listed(
    otherId(one),
    'TransferContract',
    { amount: 1, owner_address: `41${one.payer}`, to_address: `41${one.recipient}` },
    one.hash.repeat(4),
  );

const listed = (txID: string, type: string, value: object, rawDataHex: string) => ({
  ret: [{ contractRet: 'SUCCESS' }],
  signature: [SIGNATURE],
  txID,
  raw_data: {
    contract: [{ parameter: { value, type_url: `type.googleapis.com/protocol.${type}` }, type }],
    ref_block_bytes: '5313',
    ref_block_hash: '46a60be20a563ff1',
    expiration: 1767246552000,
    fee_limit: 100000000,
    timestamp: 1767246195175,
  },
  raw_data_hex: rawDataHex,
});
