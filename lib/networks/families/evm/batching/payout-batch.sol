// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

/// Pays many people from the caller's own allowance, in one transaction. It has no owner, no storage and no way to change. Nobody but
/// the caller can move the caller's tokens by it.
contract PayoutBatch {
    /// The token did not move this item. Only the token's own Transfer event proves that an item moved.
    event Skipped(uint256 index);

    error TokenHasNoCode();
    error TooLittleGas();

    /// Each item is a payee in its lower 160 bits and an amount in its upper 96 bits. One item that fails, or that burns its gas, costs
    /// at most `gasEach` and stops no other one. Returns a bit for each of the first 256 items: set if it was skipped. A simulation reads it.
    function pay(address token, uint256 gasEach, uint256[] calldata items) external returns (uint256 skipped) {
        if (token.code.length == 0) revert TokenHasNoCode();
        bytes memory request = abi.encodeWithSignature("transferFrom(address,address,uint256)", msg.sender, 0, 0);
        for (uint256 n; n < items.length; ++n) {
            uint256 item = items[n];
            // A call gets 63/64 of the remaining gas at most. With less than `gasEach` an item could be skipped that the token accepts.
            if (gasleft() < gasEach + gasEach / 63 + 10_000) revert TooLittleGas();
            bool isPaid;
            // A call in Solidity copies the answer, however long, with the gas of the whole batch. This one copies one word.
            assembly ("memory-safe") {
                mstore(add(request, 0x44), and(item, 0xffffffffffffffffffffffffffffffffffffffff))
                mstore(add(request, 0x64), shr(160, item))
                mstore(0, 0)
                isPaid := call(gasEach, token, 0, add(request, 0x20), mload(request), 0, 32)
                // USDT on Ethereum returns nothing, other tokens return true.
                let isTrue := and(gt(returndatasize(), 31), eq(mload(0), 1))
                isPaid := and(isPaid, or(iszero(returndatasize()), isTrue))
            }
            if (isPaid) continue;
            skipped |= 1 << n;
            emit Skipped(n);
        }
    }
}
