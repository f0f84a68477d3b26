// Real Safes on a local EVM chain, from the contracts that Safe has published, and their owners as the Safe web app lets them sign.

import { Contract, ContractFactory, JsonRpcProvider, Wallet, ZeroAddress } from 'ethers';
import factory130 from '@gnosis.pm/safe-contracts/build/artifacts/contracts/proxies/GnosisSafeProxyFactory.sol/GnosisSafeProxyFactory.json';
import safe130 from '@gnosis.pm/safe-contracts/build/artifacts/contracts/GnosisSafe.sol/GnosisSafe.json';
import factory141 from '@safe-global/safe-contracts/build/artifacts/contracts/proxies/SafeProxyFactory.sol/SafeProxyFactory.json';
import safe141 from '@safe-global/safe-contracts/build/artifacts/contracts/Safe.sol/Safe.json';
import { openRpc } from '@/sandbox/chains/evm/rpc';

const CONTRACTS = {
  '1.3.0': { safe: safe130, factory: factory130 },
  '1.4.1': { safe: safe141, factory: factory141 },
} as const;
export type TestSafeVersion = keyof typeof CONTRACTS;

const RICH = '0xde0b6b3a7640000';

const SAFE_TX = {
  SafeTx: [
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'data', type: 'bytes' },
    { name: 'operation', type: 'uint8' },
    { name: 'safeTxGas', type: 'uint256' },
    { name: 'baseGas', type: 'uint256' },
    { name: 'gasPrice', type: 'uint256' },
    { name: 'gasToken', type: 'address' },
    { name: 'refundReceiver', type: 'address' },
    { name: 'nonce', type: 'uint256' },
  ],
};

export type SafeCall = { readonly to: string; readonly data: string };

export type TestSafe = Awaited<ReturnType<typeof deploySafe>>;

/** A Safe of three owners, two of whom must sign, and an executor with coin who owns nothing. */
export async function deploySafe(rpcUrl: string, version: TestSafeVersion) {
  const provider = new JsonRpcProvider(rpcUrl, undefined, { staticNetwork: true, cacheTimeout: -1 });
  const rpc = openRpc(rpcUrl);
  const rich = async (): Promise<Wallet> => {
    const wallet = new Wallet(Wallet.createRandom().privateKey, provider);
    await rpc('anvil_setBalance', wallet.address, RICH);
    return wallet;
  };
  const [deployer, executor] = [await rich(), await rich()];
  const owners = [await rich(), await rich(), await rich()];
  const { safe: artifact, factory } = CONTRACTS[version];
  const deploy = async ({
    abi,
    bytecode,
  }: {
    readonly abi: object[];
    readonly bytecode: string;
  }): Promise<Contract> => {
    const deployed = await new ContractFactory(abi, bytecode, deployer).deploy();
    await deployed.waitForDeployment();
    return new Contract(await deployed.getAddress(), abi, deployer);
  };
  const [singleton, proxies] = [await deploy(artifact), await deploy(factory)];
  const addresses = owners.map(({ address }) => address);
  const setup = singleton.interface.encodeFunctionData('setup', [
    ...[addresses, 2, ZeroAddress, '0x', ZeroAddress, ZeroAddress, 0, ZeroAddress],
  ]);
  const make = proxies.getFunction('createProxyWithNonce');
  const at = (await make.staticCall(await singleton.getAddress(), setup, 7n)) as string;
  await (await make(await singleton.getAddress(), setup, 7n)).wait();
  const contract = new Contract(at, artifact.abi as object[], executor);
  const chainId = Number((await provider.getNetwork()).chainId);

  /** Two owners sign by EIP-712 as their wallets do, and the executor sends it. */
  async function execute({ to, data }: SafeCall): Promise<void> {
    const nonce = (await contract.getFunction('nonce')()) as bigint;
    const call = { to, value: 0n, data, operation: 0, safeTxGas: 0n, baseGas: 0n, gasPrice: 0n };
    const message = { ...call, gasToken: ZeroAddress, refundReceiver: ZeroAddress, nonce };
    const signers = owners
      .slice(0, 2)
      .toSorted((one, other) => (one.address.toLowerCase() < other.address.toLowerCase() ? -1 : 1));
    const domain = { chainId, verifyingContract: at };
    const signatures = await Promise.all(signers.map((one) => one.signTypedData(domain, SAFE_TX, message)));
    const signed = `0x${signatures.map((one) => one.slice(2)).join('')}`;
    const sent = await contract.getFunction('execTransaction')(
      ...[to, 0n, data, 0, 0n, 0n, 0n, ZeroAddress, ZeroAddress, signed],
    );
    await sent.wait();
  }

  return {
    version,
    address: at.toLowerCase(),
    owners: owners.map(({ address, privateKey }) => ({ address: address.toLowerCase(), keyFile: privateKey })),
    executor: { address: executor.address.toLowerCase(), keyFile: executor.privateKey },
    contract,
    execute,
    /** Uses the executor's next account nonce for something else. */
    useAccountNonce: async () => void (await (await executor.sendTransaction({ to: executor.address })).wait()),
    close: () => provider.destroy(),
  };
}
