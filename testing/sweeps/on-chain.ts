// What others do to a local EVM chain while money is swept: the issuer of a token, a node's pool, and somebody who has the key of a
// deposit address.

import { HDNodeWallet, Interface, toQuantity, Wallet, type AuthorizationLike } from 'ethers';
import { openRpc } from '@/sandbox/chains/evm/rpc';
import type { LocalNetwork } from '@/sandbox/chains/local-network';
import { seed as signerSeed } from '@/testing/signer/signer-scene';

const token = new Interface([
  'function owner() view returns (address)',
  'function addBlackList(address account)',
  'function removeBlackList(address account)',
  'function blacklist(address account)',
  'function unBlacklist(address account)',
  'function setParams(uint256 feeBasisPoints, uint256 maxFee)',
  'function setPaused(bool isPaused)',
  'function transfer(address to, uint256 value)',
]);
const COINS = 10n ** 20n;
const MAX_FEE = 100n * 10n ** 9n;
/** Runtime code that never ends. */
export const LOOP = '0x5b5f56';

/** The wallet that owns the key of a deposit address. */
const depositWallet = (seed: Uint8Array, index: number): Wallet =>
  new Wallet(HDNodeWallet.fromSeed(seed).derivePath(`m/44'/60'/0'/0/${index}`).privateKey);

export type OnChain = ReturnType<typeof onChain>;

/** `seed`: of the deposit addresses. */
export function onChain(chain: LocalNetwork, seed: Uint8Array = signerSeed) {
  const rpc = openRpc(chain.rpcUrl);
  const chainId = chain.spec.chainId as number;
  const contractOf = (currency: string): string => chain.spec.tokens[currency]!.contract;

  /** Sends a transaction of this key and resolves when it is in a block. */
  async function send(
    from: Wallet,
    sent: { to: string; data?: string; value?: bigint; nonce?: number; authorizationList?: AuthorizationLike[] },
  ) {
    const nonce = sent.nonce ?? Number(await rpc('eth_getTransactionCount', from.address, 'latest'));
    const type = sent.authorizationList ? 4 : 2;
    const fees = { maxFeePerGas: MAX_FEE, maxPriorityFeePerGas: 10n ** 9n, gasLimit: 1_000_000n };
    return rpc<{ status: string }>(
      'eth_sendRawTransactionSync',
      await from.signTransaction({ chainId, type, ...fees, ...sent, nonce }),
    );
  }

  const addCoin = (address: string) => rpc('anvil_setBalance', address, toQuantity(COINS));

  return {
    rpc,
    addCoin,
    depositWallet: (index: number): Wallet => depositWallet(seed, index),
    /** A call that the owner of the token makes. */
    async asIssuer(name: string, values: readonly unknown[], currency = 'USDT'): Promise<void> {
      const to = contractOf(currency);
      const call = { to, data: token.encodeFunctionData('owner') };
      const from = `0x${(await rpc('eth_call', call, 'latest')).slice(-40)}`;
      await rpc('anvil_impersonateAccount', from);
      const data = token.encodeFunctionData(name, values);
      const sent = { from, to, data, gas: toQuantity(300_000), gasPrice: toQuantity(MAX_FEE) };
      const { status } = await rpc<{ status: string }>('eth_sendTransactionSync', sent);
      await rpc('anvil_stopImpersonatingAccount', from);
      if (status !== '0x1') throw new Error(`${name} failed`);
    },
    /** Places code at a new address. */
    async place(code: string): Promise<string> {
      const address = Wallet.createRandom().address.toLowerCase();
      await rpc('anvil_setCode', address, code);
      return address;
    },
    /** A stranger sends the delegation that the key of a deposit address signed. */
    async delegate(index: number, to: string): Promise<void> {
      const stranger = new Wallet(Wallet.createRandom().privateKey);
      await addCoin(stranger.address);
      const owner = depositWallet(seed, index);
      const nonce = Number(await rpc('eth_getTransactionCount', owner.address, 'latest'));
      const authorization = owner.authorizeSync({ address: to, chainId, nonce });
      await send(stranger, { to: stranger.address, authorizationList: [authorization] });
    },
    /** Somebody who has the key of a deposit address sends tokens from it. */
    async transferFrom(index: number, to: string, amount: bigint, currency = 'USDT'): Promise<void> {
      const owner = depositWallet(seed, index);
      await addCoin(owner.address);
      const data = token.encodeFunctionData('transfer', [to, amount]);
      const { status } = await send(owner, { to: contractOf(currency), data });
      if (status !== '0x1') throw new Error('the transfer failed');
    },
    send,
    /** From now on transactions wait in the pool until a block is made by hand. */
    setAutomine: (isOn: boolean) => rpc('evm_setAutomine', isOn),
    async pool(): Promise<readonly string[]> {
      const { pending } = await rpc<{ pending: Record<string, Record<string, { hash: string }>> }>('txpool_content');
      return Object.values(pending).flatMap((one) => Object.values(one).map(({ hash }) => hash));
    },
    drop: (hash: string) => rpc('anvil_dropTransaction', hash),
    count: async (address: string, block = 'latest') => Number(await rpc('eth_getTransactionCount', address, block)),
    coin: async (address: string) => BigInt(await rpc('eth_getBalance', address, 'latest')),
    code: (address: string) => rpc('eth_getCode', address, 'latest'),
  };
}
