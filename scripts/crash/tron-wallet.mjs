// A customer's wallet on the local TRON chain, built on TRON's own library. It reads transfers through the chain's
// Ethereum-like interface, which the product does not use.

import { TronWeb } from 'tronweb';

const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
/** In sun. */
const FEE_LIMIT = 100_000_000;
const CENT_DIGITS = 2;
const RANGE = 1000;

export class TronWallet {
  #tronWeb;

  /** @param {{ full_host: string, tokens: Record<string, { address: string, decimals: number }>, payer: { address: string, private_key: string } }} network */
  constructor(network) {
    this.network = network;
    this.#tronWeb = new TronWeb({ fullHost: network.full_host, privateKey: network.payer.private_key });
  }

  /** Sends a token amount in cents, and resolves when the node has accepted the transaction. */
  async pay(currency, to, cents) {
    const parameters = [
      { type: 'address', value: to },
      { type: 'uint256', value: String(this.#baseUnits(currency, cents)) },
    ];
    const { transaction } = await this.#tronWeb.transactionBuilder.triggerSmartContract(
      this.network.tokens[currency].address,
      'transfer(address,uint256)',
      { feeLimit: FEE_LIMIT },
      parameters,
      this.network.payer.address,
    );
    const taken = await this.#tronWeb.trx.sendRawTransaction(await this.#tronWeb.trx.sign(transaction));
    if (!taken.result) throw new Error(`the TRON node refused a payment: ${taken.code}`);
  }

  #baseUnits(currency, cents) {
    return BigInt(cents) * 10n ** BigInt(this.network.tokens[currency].decimals - CENT_DIGITS);
  }

  /** All token transfers to these addresses in the chain's blocks, by address as { cents, count }. */
  async received(all) {
    const addresses = new Map(all.filter((one) => TronWeb.isAddress(one)).map((one) => [topicOf(one), one]));
    const found = new Map();
    if (addresses.size === 0) return found;
    for (const [currency, { address }] of Object.entries(this.network.tokens)) {
      const filter = {
        address: `0x${topicOf(address).slice(-40)}`,
        topics: [TRANSFER, null, [...addresses.keys()]],
      };
      for (const { topics, data } of await this.#logs(filter)) {
        const to = addresses.get(topics[2]);
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
      const filter = { address: `0x${topicOf(address).slice(-40)}`, topics: [TRANSFER, topicOf(from)] };
      for (const { topics, data, transactionHash } of await this.#logs(filter)) {
        const to = TronWeb.address.fromHex(`41${topics[2].slice(-40)}`);
        const cents = BigInt(data) / this.#baseUnits(currency, 1);
        sent.push({ hash: transactionHash.replace(/^0x/, ''), currency, to, cents });
      }
    }
    return sent;
  }

  /** An address's balance, in base units. */
  async balance(currency, of) {
    const { constant_result: result } = await this.#tronWeb.transactionBuilder.triggerConstantContract(
      this.network.tokens[currency].address,
      'balanceOf(address)',
      {},
      [{ type: 'address', value: of }],
      of,
    );
    return BigInt(`0x${result[0]}`);
  }

  /** Reads all blocks in pages: nodes list at most 5,000 at once. */
  async #logs(filter) {
    const tip = Number(await this.#request('eth_blockNumber', []));
    const found = [];
    for (let first = 0; first <= tip; first += RANGE) {
      const [fromBlock, toBlock] = [first, Math.min(first + RANGE - 1, tip)].map((block) => `0x${block.toString(16)}`);
      found.push(...(await this.#request('eth_getLogs', [{ ...filter, fromBlock, toBlock }])));
    }
    return found;
  }

  async #request(method, params) {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const response = await fetch(`${this.network.full_host}/jsonrpc`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body,
    });
    const { result, error } = await response.json();
    if (error) throw new Error(`the TRON node did not answer ${method}: ${error.message}`);
    return result;
  }

  close() {}
}

/** An address as a 32-byte topic. */
const topicOf = (address) => `0x${TronWeb.address.toHex(address).slice(2).toLowerCase().padStart(64, '0')}`;
