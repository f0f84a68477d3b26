// A customer's wallet on a local EVM chain, and the transfers in the chain's blocks.

import { getAddress, Interface, isAddress, JsonRpcProvider, NonceManager, Wallet, zeroPadValue } from 'ethers';

const TOKEN = new Interface([
  'function transfer(address to, uint256 amount)',
  'function balanceOf(address owner) view returns (uint256)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
]);
const TRANSFER = TOKEN.getEvent('Transfer').topicHash;
const GAS_LIMIT = 150_000;
/** Above any base fee of a local chain. */
const GAS_PRICE = 20_000_000_000n;
const CENT_DIGITS = 2;

export class EvmWallet {
  #wallet;
  #provider;

  /** @param {{ rpc_url: string, chain_id: number, tokens: Record<string, { address: string, decimals: number }>, payer: { private_key: string } }} network */
  constructor(network) {
    this.network = network;
    this.#provider = new JsonRpcProvider(network.rpc_url, network.chain_id, { staticNetwork: true, batchMaxCount: 1 });
    this.#wallet = new NonceManager(new Wallet(network.payer.private_key, this.#provider));
  }

  /** Sends a token amount in cents, and resolves when the node has accepted the transaction. */
  async pay(currency, to, cents) {
    const { address } = this.network.tokens[currency];
    const data = TOKEN.encodeFunctionData('transfer', [to, this.#baseUnits(currency, cents)]);
    await this.#wallet.sendTransaction({
      to: address,
      data,
      type: 0,
      gasPrice: GAS_PRICE,
      gasLimit: GAS_LIMIT,
      chainId: this.network.chain_id,
    });
  }

  #baseUnits(currency, cents) {
    return BigInt(cents) * 10n ** BigInt(this.network.tokens[currency].decimals - CENT_DIGITS);
  }

  /**
   * All token transfers to these addresses in the chain's blocks, by address as { cents, count }. Not the tokens that the chain began with,
   * which come from no address.
   * @param {string[]} all
   */
  async received(all) {
    const addresses = new Map(all.filter((one) => isAddress(one)).map((one) => [one.toLowerCase(), one]));
    const found = new Map();
    for (const [currency, { address }] of Object.entries(this.network.tokens)) {
      const recipients = [...addresses.keys()].map((one) => zeroPadValue(one, 32));
      const logs = await this.#provider.getLogs({
        address,
        topics: [TRANSFER, null, recipients],
        fromBlock: 0,
        toBlock: 'latest',
      });
      for (const { topics, data } of logs) {
        if (BigInt(topics[1]) === 0n) continue;
        const to = addresses.get(`0x${topics[2].slice(-40)}`);
        const before = found.get(to) ?? { cents: 0n, count: 0 };
        found.set(to, { cents: before.cents + BigInt(data) / this.#baseUnits(currency, 1), count: before.count + 1 });
      }
    }
    return found;
  }

  /** All token transfers from an address in the chain's blocks, as { hash, currency, to, cents }. */
  async sentBy(from) {
    const sent = [];
    for (const [currency, { address }] of Object.entries(this.network.tokens)) {
      const filter = { address, topics: [TRANSFER, zeroPadValue(from, 32)], fromBlock: 0, toBlock: 'latest' };
      for (const { topics, data, transactionHash: hash } of await this.#provider.getLogs(filter)) {
        const to = getAddress(`0x${topics[2].slice(-40)}`);
        sent.push({ hash, currency, to, cents: BigInt(data) / this.#baseUnits(currency, 1) });
      }
    }
    return sent;
  }

  /** An address's balance, in base units. */
  async balance(currency, of) {
    const data = TOKEN.encodeFunctionData('balanceOf', [of]);
    return BigInt(await this.#provider.call({ to: this.network.tokens[currency].address, data }));
  }

  close() {
    this.#provider.destroy();
  }
}
