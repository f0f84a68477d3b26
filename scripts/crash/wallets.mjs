// The customers' wallets, one per local chain. They also read the chains as independent witnesses, whose numbers are
// compared with the product's. Every wallet offers `pay(currency, to, cents)`, `received(addresses)` and `close()`.

import { EvmWallet } from './evm-wallet.mjs';
import { SolanaWallet } from './solana-wallet.mjs';
import { TronWallet } from './tron-wallet.mjs';

const KINDS = { ethereum: EvmWallet, bsc: EvmWallet, tron: TronWallet, solana: SolanaWallet };

/** A wallet for each network of sandbox.json. */
export function openWallets(networks) {
  return Object.fromEntries(Object.entries(networks).map(([name, network]) => [name, new KINDS[name](network)]));
}
