// A sanctions oracle with the interface of the one by Chainalysis, for a local EVM chain.

import { Interface } from 'ethers';
import type { Anvil } from './anvil';
import { compileContract } from './compile-contract';

const SOURCE = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;
contract SanctionsList {
  mapping(address => bool) private listed;
  function addToSanctionsList(address[] calldata added) external {
    for (uint256 i; i < added.length; ++i) listed[added[i]] = true;
  }
  function isSanctioned(address one) external view returns (bool) { return listed[one]; }
}`;
const contract = new Interface(['function addToSanctionsList(address[])']);

/** Puts the oracle at an address of the chain. Returns how an address gets on its list. */
export async function deployOracle(anvil: Anvil, address: string): Promise<(listed: string) => Promise<void>> {
  await anvil.rpc('anvil_setCode', address, compileContract('SanctionsList', SOURCE).deployed);
  return async (listed) => {
    const data = contract.encodeFunctionData('addToSanctionsList', [[listed]]);
    await anvil.rpc('eth_sendTransaction', { from: anvil.accounts[0], to: address, data });
    await anvil.mine();
  };
}
