// A sanctions oracle with the interface of the one by Chainalysis, for a local EVM chain.

import { Interface } from 'ethers';
import type { Anvil } from './anvil';
import { compileContract } from './compile-contract';

const SOURCE = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;
contract SanctionsList {
  mapping(address => bool) private listed;
  function add(address[] calldata added) external {
    for (uint256 i; i < added.length; ++i) listed[added[i]] = true;
  }
  function isSanctioned(address one) external view returns (bool) { return listed[one]; }
}`;

/** Its function that lists addresses. */
export const LISTING = new Interface(['function add(address[])']);

/** Its code at an address. */
export const compileOracle = (): string => compileContract('SanctionsList', SOURCE).deployed;

/** Puts the oracle at an address of the chain. Returns how an address gets on its list. */
export async function deployOracle(anvil: Anvil, address: string): Promise<(listed: string) => Promise<void>> {
  await anvil.rpc('anvil_setCode', address, compileOracle());
  return async (listed) => {
    const data = LISTING.encodeFunctionData('add', [[listed]]);
    await anvil.rpc('eth_sendTransaction', { from: anvil.accounts[0], to: address, data });
    await anvil.mine();
  };
}
