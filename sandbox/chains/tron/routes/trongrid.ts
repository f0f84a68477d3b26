// TronGrid's list of an account's token transfers, newest first. As there, it is a hint: it names no block and no log.

import { readAddress, toBase58 } from '../address';
import type { TronChain } from '../chain';
import type { Log } from '../evm';
import type { Json } from '../views';

const TRANSFER = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const DEFAULT_LIMIT = 20;
const MAX = 200;

/** `GET /v1/accounts/{address}/transactions/trc20`; null for any other path. */
export function tokenTransfers(chain: TronChain, path: string, query: URLSearchParams): Json | null {
  const account = readAddress(/^\/v1\/accounts\/(\w+)\/transactions\/trc20$/i.exec(path)?.[1]);
  if (account === null) return null;
  const data = transfersOf(chain, account, query);
  return { data, success: true, meta: { at: chain.now(), page_size: data.length } };
}

function transfersOf(chain: TronChain, account: string, query: URLSearchParams): Json[] {
  const top = query.get('only_confirmed') === 'true' ? chain.solid().number : chain.head().number;
  const limit = Math.min(MAX, Number(query.get('limit') ?? DEFAULT_LIMIT) || DEFAULT_LIMIT);
  const since = Number(query.get('min_timestamp') ?? 0);
  const wanted = query.get('contract_address');
  const found: Json[] = [];
  for (let number = top; number > 0 && found.length < limit; number--) {
    const block = chain.block(number);
    if (!block || block.time < since) break;
    for (const { transaction, receipt } of block.entries.toReversed()) {
      for (const { address, topics, data = '0' } of (receipt.log ?? []) as Log[]) {
        if (topics[0] !== TRANSFER || topics.length !== 3) continue;
        const [from, to] = topics.slice(1).map((topic) => `41${topic.slice(24)}`) as [string, string];
        const contract = `41${address}`;
        if (to !== account && (from !== account || query.get('only_to') === 'true')) continue;
        if (wanted !== null && readAddress(wanted) !== contract) continue;
        found.push({
          transaction_id: transaction.id,
          token_info: tokenInfo(chain, contract),
          block_timestamp: block.time,
          from: toBase58(from),
          to: toBase58(to),
          type: 'Transfer',
          value: BigInt(`0x${data}`).toString(),
        });
      }
    }
  }
  return found.slice(0, limit);
}

/** The contract as its creator described it; the name is not verified. */
function tokenInfo(chain: TronChain, contract: string): Json {
  const { name } = chain.state.account(contract).contract ?? {};
  return { address: toBase58(contract), name };
}
