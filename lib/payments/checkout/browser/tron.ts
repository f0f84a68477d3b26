// Pays with a TRON browser wallet (TIP-1193, or the older TronLink API). It connects, switches the chain, checks whether the account
// can pay, and has the wallet build, sign and send the token transfer.

import { PaymentFailed, refusal, unitsToText, type BrowserPayment, type PayByWallet } from './payment';

/** The parts of the injected tronweb that a payment uses. */
export type TronWeb = {
  readonly defaultAddress?: { readonly base58?: string | false };
  readonly transactionBuilder: {
    triggerSmartContract(...call: TronCall): Promise<{ transaction?: unknown }>;
    triggerConstantContract(...call: TronCall): Promise<{ constant_result?: readonly string[]; energy_used?: number }>;
  };
  readonly trx: {
    getBalance(address: string): Promise<number | string>;
    getAccountResources?(address: string): Promise<Resources>;
    sign(transaction: unknown): Promise<unknown>;
    sendRawTransaction(signed: unknown): Promise<{ result?: boolean; txid?: string; code?: string }>;
    /** Missing in old wallets. */
    signMessageV2?(text: string): Promise<string>;
  };
};
type TronCall = [token: string, method: string, options: object, parameters: readonly Parameter[], from: string];
type Parameter = { readonly type: 'address' | 'uint256'; readonly value: string };
type Resources = Partial<
  Record<'EnergyLimit' | 'EnergyUsed' | 'freeNetLimit' | 'freeNetUsed' | 'NetLimit' | 'NetUsed', number>
>;

/** TIP-1193; `tronWeb` is false until the page is allowed to see it. */
export type TronProvider = {
  request(call: { method: string; params?: unknown }): Promise<unknown>;
  readonly tronWeb?: TronWeb | false;
};

/** The most that the transfer may burn, in sun: about four times its usual cost. */
const FEE_LIMIT = 50_000_000;
const SUN_PER_ENERGY = 100n;
const SUN_PER_BYTE = 1000n;
const TRANSFER_BYTES = 345n;

/** A payment function for this provider. `legacy` returns the tronweb of wallets without TIP-1193. */
export const payByTron =
  (provider: TronProvider, legacy: () => TronWeb | false | undefined = () => undefined): PayByWallet =>
  async (payment, onStep) => {
    onStep('connect');
    const { tronWeb, from } = await openTron(provider, legacy);
    onStep('switch');
    await bringToChain(provider, payment.chain);
    onStep('preparing');
    await checkAccount(tronWeb, payment, from);
    const transaction = await build(tronWeb, payment, from);
    onStep('confirm');
    let signed: unknown;
    try {
      signed = await tronWeb.trx.sign(transaction);
    } catch (error) {
      throw refusal(error, 'unavailable');
    }
    return send(tronWeb, signed);
  };

/** The tronweb of wallets without TIP-1193. */
export const legacyTronWeb = (): TronWeb | false | undefined =>
  (window as unknown as { tronWeb?: TronWeb | false }).tronWeb;

/** Connects: the wallet's tronweb and its current account. */
export async function openTron(
  provider: TronProvider,
  legacy: () => TronWeb | false | undefined,
): Promise<{ readonly tronWeb: TronWeb; readonly from: string }> {
  await connect(provider);
  const tronWeb = provider.tronWeb || legacy();
  const from = tronWeb ? tronWeb.defaultAddress?.base58 : undefined;
  if (!tronWeb || !from) throw new PaymentFailed({ why: 'locked' });
  return { tronWeb, from };
}

async function connect(provider: TronProvider): Promise<void> {
  try {
    const answer = await provider.request({ method: 'eth_requestAccounts' }).catch((error: unknown) => {
      // TronLink before TIP-1102 has its own method name.
      if (refusal(error, 'unavailable').fault.why !== 'unavailable') throw error;
      return provider.request({ method: 'tron_requestAccounts' });
    });
    const { code } = (answer ?? {}) as { code?: number };
    // The old method returns a rejection instead of throwing it.
    if (code === 4001) throw new PaymentFailed({ why: 'rejected' });
    if (code === 4000) throw new PaymentFailed({ why: 'busy' });
  } catch (error) {
    throw refusal(error, 'locked');
  }
}

/** Wallets that do not report their chain build the transfer on their current one; there the node does not know the token. */
async function bringToChain(provider: TronProvider, chain: string): Promise<void> {
  const isOn = async (): Promise<boolean | null> => {
    try {
      const id = await provider.request({ method: 'eth_chainId' });
      return typeof id === 'string' ? BigInt(id) === BigInt(chain) : null;
    } catch {
      return null;
    }
  };
  if ((await isOn()) !== false) return;
  try {
    await provider.request({ method: 'wallet_switchEthereumChain', params: [{ chainId: chain }] });
  } catch (error) {
    const known = refusal(error, 'unavailable');
    throw known.fault.why === 'rejected' || known.fault.why === 'busy'
      ? known
      : new PaymentFailed({ why: 'wrong_network' });
  }
  if ((await isOn()) === false) throw new PaymentFailed({ why: 'wrong_network' });
}

const transferCall = ({ token, recipient, units }: BrowserPayment, from: string, options: object): TronCall => [
  token,
  'transfer(address,uint256)',
  options,
  [
    { type: 'address', value: recipient },
    { type: 'uint256', value: units },
  ],
  from,
];

/** Throws when the account lacks the token or the coin. */
async function checkAccount(tronWeb: TronWeb, payment: BrowserPayment, from: string): Promise<void> {
  const tokens = await readTokens(tronWeb, payment, from);
  if (tokens < BigInt(payment.units)) {
    throw new PaymentFailed({ why: 'no_funds', balance: unitsToText(tokens, payment.decimals) });
  }
  const [sun, needed] = await Promise.all([readSun(tronWeb, from), burned(tronWeb, payment, from)]);
  if (sun !== null && needed !== null && sun < needed) throw new PaymentFailed({ why: 'no_coin' });
}

async function readTokens(tronWeb: TronWeb, { token }: BrowserPayment, from: string): Promise<bigint> {
  try {
    const call: TronCall = [token, 'balanceOf(address)', {}, [{ type: 'address', value: from }], from];
    const { constant_result: [balance] = [] } = await tronWeb.transactionBuilder.triggerConstantContract(...call);
    return BigInt(`0x${balance ?? ''}`);
  } catch {
    // The token does not exist on another chain.
    throw new PaymentFailed({ why: 'wrong_network' });
  }
}

const readSun = async (tronWeb: TronWeb, from: string): Promise<bigint | null> => {
  try {
    return BigInt(await tronWeb.trx.getBalance(from));
  } catch {
    return null;
  }
};

/** Sun that the transfer burns beyond the account's own energy and bandwidth; null when the wallet does not report it. */
async function burned(tronWeb: TronWeb, payment: BrowserPayment, from: string): Promise<bigint | null> {
  try {
    const call = transferCall(payment, from, {});
    const [{ energy_used: energy }, own] = await Promise.all([
      tronWeb.transactionBuilder.triggerConstantContract(...call),
      tronWeb.trx.getAccountResources?.(from) ?? {},
    ]);
    if (energy === undefined) return null;
    const {
      EnergyLimit = 0,
      EnergyUsed = 0,
      freeNetLimit = 0,
      freeNetUsed = 0,
      NetLimit = 0,
      NetUsed = 0,
    } = own as Resources;
    const missing = BigInt(energy) - BigInt(EnergyLimit - EnergyUsed);
    const hasBytes = [freeNetLimit - freeNetUsed, NetLimit - NetUsed].some((bytes) => BigInt(bytes) >= TRANSFER_BYTES);
    return (missing > 0n ? missing : 0n) * SUN_PER_ENERGY + (hasBytes ? 0n : TRANSFER_BYTES * SUN_PER_BYTE);
  } catch {
    return null;
  }
}

async function build(tronWeb: TronWeb, payment: BrowserPayment, from: string): Promise<unknown> {
  try {
    const call = transferCall(payment, from, { feeLimit: FEE_LIMIT });
    const { transaction } = await tronWeb.transactionBuilder.triggerSmartContract(...call);
    if (transaction !== undefined) return transaction;
  } catch (error) {
    throw refusal(error, 'unavailable');
  }
  throw new PaymentFailed({ why: 'unavailable' });
}

async function send(tronWeb: TronWeb, signed: unknown): Promise<string> {
  try {
    const { txid, result, code } = await tronWeb.trx.sendRawTransaction(signed);
    if (result === true && txid) return txid;
    throw new Error(code ?? 'the node rejected the transaction');
  } catch (error) {
    throw refusal(error, 'unclear');
  }
}
