// A stranger with a wallet on one of the sandbox's local EVM chains. On BSC the chain's own tools give it tokens and coin.

import { readFileSync } from 'node:fs';
import { Contract, JsonRpcProvider, toQuantity, Wallet } from 'ethers';

const TOKEN = [
  'function owner() view returns (address)',
  'function mint(address to, uint256 value)',
  'function addBlackList(address account)',
  'function transfer(address to, uint256 value)',
  'function balanceOf(address account) view returns (uint256)',
];
const COIN = 10n ** 18n;
const GWEI = 10n ** 9n;

type Token = { readonly address: string; readonly decimals: number };
type Network = { readonly rpc_url: string; readonly tokens: Readonly<Record<string, Token>> };
type NetworkName = 'ethereum' | 'bsc';

export class Stranger {
  readonly wallet = Wallet.createRandom();
  readonly #provider: JsonRpcProvider;
  readonly #token: Contract;
  /** Base units. */
  readonly #cent: bigint;

  constructor(network: NetworkName = 'bsc') {
    const file = process.env.SANDBOX_JSON ?? '.data/sandbox.json';
    const { networks } = JSON.parse(readFileSync(file, 'utf8')) as { networks: Record<NetworkName, Network> };
    const { rpc_url: url, tokens } = networks[network];
    this.#provider = new JsonRpcProvider(url);
    this.#token = new Contract(tokens.USDT?.address ?? '', TOKEN, this.#provider);
    this.#cent = 10n ** BigInt((tokens.USDT?.decimals ?? 0) - 2);
  }

  get address(): string {
    return this.wallet.address;
  }

  /** Pays an amount of USDT, in cents, to an address. */
  async pay(to: string, cents: number): Promise<void> {
    const amount = BigInt(cents) * this.#cent;
    await this.#mintToMe(amount);
    const token = this.#token.connect(this.wallet.connect(this.#provider)) as Contract;
    // As on BSC, where gas costs the offered price.
    const sent = await token.getFunction('transfer')(to, amount, { gasPrice: GWEI });
    await sent.wait();
  }

  /** The wallet's USDT balance, in cents. */
  cents(): Promise<number> {
    return this.centsOf(this.address);
  }

  /** The USDT balance of any address, in cents. */
  async centsOf(address: string): Promise<number> {
    return Number(((await this.#token.getFunction('balanceOf')(address)) as bigint) / this.#cent);
  }

  close(): void {
    this.#provider.destroy();
  }

  /** The issuer of USDT on Ethereum freezes the tokens of an address. */
  block(address: string): Promise<void> {
    return this.#asIssuer('addBlackList', [address]);
  }

  /** The coin of any address becomes this much, in wei. Returns what it was. */
  async setCoin(address: string, amount: bigint): Promise<bigint> {
    const before = await this.#provider.getBalance(address);
    await this.#provider.send('anvil_setBalance', [address, toQuantity(amount)]);
    return before;
  }

  async #mintToMe(amount: bigint): Promise<void> {
    await this.#provider.send('anvil_setBalance', [this.address, toQuantity(COIN)]);
    await this.#asIssuer('mint', [this.address, amount]);
  }

  async #asIssuer(name: string, values: readonly unknown[]): Promise<void> {
    const owner = (await this.#token.getFunction('owner')()) as string;
    await this.#provider.send('anvil_setBalance', [owner, toQuantity(COIN)]);
    await this.#provider.send('anvil_impersonateAccount', [owner]);
    const data = this.#token.interface.encodeFunctionData(name, values);
    const to = await this.#token.getAddress();
    const hash = (await this.#provider.send('eth_sendTransaction', [
      { from: owner, to, data, gasPrice: toQuantity(GWEI) },
    ])) as string;
    await this.#provider.waitForTransaction(hash);
  }
}
