// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

/// Reads a token's balances of many addresses in one eth_call (many-balances.ts). It is never deployed: the call has no recipient, so
/// the node runs this creation code and returns the constructor's result.
contract ReadBalances {
    constructor(address token, address[] memory holders) {
        uint256[] memory balances = new uint256[](holders.length);
        // Bit n is set if the token reverted for holder n or did not return exactly one word.
        uint256 unread;
        for (uint256 n; n < holders.length; n++) {
            (bool isReturned, bytes memory answer) =
                token.staticcall(abi.encodeWithSignature("balanceOf(address)", holders[n]));
            if (isReturned && answer.length == 32) balances[n] = abi.decode(answer, (uint256));
            else unread |= 1 << n;
        }
        // The elements of a packed array are whole words, without a length.
        bytes memory result = abi.encodePacked(block.number, unread, balances);
        assembly ("memory-safe") {
            return(add(result, 32), mload(result))
        }
    }
}
