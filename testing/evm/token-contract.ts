// A minimal ERC-20 for tests on a real EVM node, compiled on demand and set at the address in the networks table. It
// also does what detection must see through: send and take back, pay many, fail after paying.

import { compileContract } from './compile-contract';

const source = (decimals: number) => `
// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;
contract Token {
    event Transfer(address indexed from, address indexed to, uint256 value);
    uint8 public constant decimals = ${decimals};
    function transfer(address to, uint256 value) external { emit Transfer(msg.sender, to, value); }
    function transferFrom(address from, address to, uint256 value) external { emit Transfer(from, to, value); }
    function payMany(address[] calldata to, uint256 value) external {
        for (uint256 i; i < to.length; i++) emit Transfer(msg.sender, to[i], value);
    }
    function payAndPull(address to, uint256 value, uint256 back) external {
        emit Transfer(msg.sender, to, value);
        emit Transfer(to, msg.sender, back);
    }
    function payAndFail(address to, uint256 value) external { emit Transfer(msg.sender, to, value); revert("failed"); }
}`;

/** The code that a node runs at the token's address, as hex. */
export const tokenCode = (decimals: number): string => compileContract('Token', source(decimals)).deployed;

export const TOKEN_INTERFACE = [
  'function transfer(address to, uint256 value)',
  'function transferFrom(address from, address to, uint256 value)',
  'function payMany(address[] to, uint256 value)',
  'function payAndPull(address to, uint256 value, uint256 back)',
  'function payAndFail(address to, uint256 value)',
] as const;
