// The local chains as independent witnesses: the block of a transaction and the height of finality. Both come from the
// nodes directly, without code of the product.

/** A TRON block is final after nineteen blocks, including itself (docs/network-facts.md#finality). */
const TRON_BLOCKS_ABOVE = 18;

async function post(url, body) {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return answer.json();
}

async function rpc(url, method, ...params) {
  const { result, error } = await post(url, { jsonrpc: '2.0', id: 1, method, params });
  if (error) throw new Error(`${method}: ${error.message}`);
  return result;
}

const evm = (url) => ({
  blockOf: async (hash) => {
    const receipt = await rpc(url, 'eth_getTransactionReceipt', hash);
    return receipt && Number(receipt.blockNumber);
  },
  final: async () => Number((await rpc(url, 'eth_getBlockByNumber', 'finalized', false)).number),
});

const tron = (url) => ({
  blockOf: async (hash) => (await post(`${url}/wallet/gettransactioninfobyid`, { value: hash })).blockNumber ?? null,
  final: async () => {
    const heights = await Promise.all(
      ['wallet', 'walletsolidity'].map((side) => post(`${url}/${side}/getnowblock`, {})),
    );
    const [tip, solid] = heights.map((block) => block.block_header.raw_data.number);
    return Math.min(solid, tip - TRON_BLOCKS_ABOVE);
  },
});

const solana = (url) => ({
  blockOf: async (signature) => (await rpc(url, 'getSignatureStatuses', [signature])).value[0]?.slot ?? null,
  final: () => rpc(url, 'getSlot', { commitment: 'finalized' }),
});

/** By network: a function from its endpoint to the witness. */
export const WITNESSES = { ethereum: evm, bsc: evm, tron, solana };
