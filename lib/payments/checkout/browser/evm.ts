// Pays with an EVM browser wallet (EIP-1193). It connects, switches the chain, checks whether the account can pay, and requests the
// token transfer. Balances come from the wallet itself, so that the page connects to no other host.

import { abiWord, transferData } from '@/lib/networks/families/evm/transfer-data';
import { PaymentFailed, readWalletError, refusal, unitsToText, type BrowserPayment, type PayByWallet } from './payment';

/** EIP-1193. */
export type EvmProvider = {
  request(call: { method: string; params?: readonly unknown[] }): Promise<unknown>;
};

const UNKNOWN_CHAIN = 4902;
const BALANCE_OF = '0x70a08231';

/** A payment function for this provider. */
export const payByEvm =
  (provider: EvmProvider): PayByWallet =>
  async (payment, onStep) => {
    onStep('connect');
    const [from] = await evmAccounts(provider);
    onStep('switch');
    await bringToChain(provider, payment);
    onStep('preparing');
    // Includes the chain id, so that the wallet rejects the transfer if the user has switched to another chain.
    const transfer = {
      from,
      to: payment.token,
      value: '0x0',
      data: `0x${transferData(payment.recipient.slice(2), BigInt(payment.units))}`,
      chainId: payment.chain,
    };
    await checkAccount(provider, payment, transfer);
    onStep('confirm');
    try {
      return text(await provider.request({ method: 'eth_sendTransaction', params: [transfer] }));
    } catch (error) {
      throw refusal(error, 'unclear');
    }
  };

/** Connects: the accounts that the page may see, the current one first. */
export async function evmAccounts(provider: EvmProvider): Promise<readonly [string, ...string[]]> {
  let accounts: unknown;
  try {
    accounts = await provider.request({ method: 'eth_requestAccounts' });
  } catch (error) {
    throw refusal(error, 'locked');
  }
  const [first, ...others] = (Array.isArray(accounts) ? accounts : []).filter((one) => typeof one === 'string');
  if (first === undefined) throw new PaymentFailed({ why: 'locked' });
  return [first, ...others];
}

async function bringToChain(provider: EvmProvider, payment: BrowserPayment): Promise<void> {
  if (await isOn(provider, payment.chain)) return;
  try {
    await provider.request({ method: 'wallet_switchEthereumChain', params: [{ chainId: payment.chain }] });
  } catch (error) {
    if (isRejection(error)) throw refusal(error, 'unavailable');
    if (readWalletError(error).code !== UNKNOWN_CHAIN) throw new PaymentFailed({ why: 'wrong_network' });
    await addChain(provider, payment);
  }
  // Some wallets report success without switching; the transfer would then go out on another chain.
  if (!(await isOn(provider, payment.chain))) throw new PaymentFailed({ why: 'wrong_network' });
}

async function addChain(
  provider: EvmProvider,
  { chain, chainName, coin, publicUrls, explorer }: BrowserPayment,
): Promise<void> {
  if (publicUrls.length === 0) throw new PaymentFailed({ why: 'wrong_network' });
  const description = {
    chainId: chain,
    chainName,
    nativeCurrency: coin,
    rpcUrls: publicUrls,
    ...(explorer === null ? {} : { blockExplorerUrls: [explorer] }),
  };
  try {
    await provider.request({ method: 'wallet_addEthereumChain', params: [description] });
  } catch (error) {
    if (isRejection(error)) throw refusal(error, 'unavailable');
    throw new PaymentFailed({ why: 'wrong_network' });
  }
}

const isRejection = (error: unknown): boolean => ['rejected', 'busy'].includes(refusal(error, 'unavailable').fault.why);

async function isOn(provider: EvmProvider, chain: string): Promise<boolean> {
  try {
    return BigInt(text(await provider.request({ method: 'eth_chainId' }))) === BigInt(chain);
  } catch {
    throw new PaymentFailed({ why: 'wrong_network' });
  }
}

/** Throws when the account lacks the token or the coin. Unreadable values are skipped; the wallet checks them itself. */
async function checkAccount(provider: EvmProvider, payment: BrowserPayment, transfer: { from: string }): Promise<void> {
  const read = async (method: string, params: readonly unknown[]): Promise<bigint | null> => {
    try {
      return BigInt(text(await provider.request({ method, params })));
    } catch {
      return null;
    }
  };
  const query = { to: payment.token, data: `${BALANCE_OF}${abiWord(transfer.from.slice(2))}` };
  const tokens = await read('eth_call', [query, 'latest']);
  if (tokens !== null && tokens < BigInt(payment.units)) {
    throw new PaymentFailed({ why: 'no_funds', balance: unitsToText(tokens, payment.decimals) });
  }
  const [coin, gas, price] = await Promise.all([
    read('eth_getBalance', [transfer.from, 'latest']),
    read('eth_estimateGas', [transfer]),
    read('eth_gasPrice', []),
  ]);
  if (coin !== null && coin < (gas ?? 0n) * (price ?? 0n)) throw new PaymentFailed({ why: 'no_coin' });
  if (coin === 0n) throw new PaymentFailed({ why: 'no_coin' });
}

function text(value: unknown): string {
  if (typeof value === 'string') return value;
  throw new PaymentFailed({ why: 'unclear' });
}
