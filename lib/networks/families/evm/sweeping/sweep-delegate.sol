// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

/// Moves tokens from deposit addresses to one treasury. A deposit address delegates to this code by EIP-7702; a sponsor then calls
/// `sweepMany` on the deployed instance and pays the gas. Only immutables: they are part of the code, while storage would be that of
/// the deposit address.
contract SweepDelegate {
    address private immutable INSTANCE = address(this);
    address private immutable TREASURY;
    address private immutable SPONSOR;
    address private immutable SPARE_SPONSOR;

    /// The tokens of this deposit address did not move. Only the token's own Transfer event proves that tokens moved: a deposit address
    /// that runs other code can answer anything.
    event Skipped(address indexed deposit, address indexed token);

    error CallerNotAllowed();
    error TokenRefused();

    constructor(address treasury, address sponsor, address spareSponsor) {
        TREASURY = treasury;
        SPONSOR = sponsor;
        SPARE_SPONSOR = spareSponsor;
    }

    /// Exchanges send coins with little gas, so a deposit address accepts them without running anything.
    receive() external payable {}

    /// Runs as a deposit address. Moves the whole balance of the token to the treasury and returns it.
    function sweep(address token) external returns (uint256 moved) {
        if (msg.sender != INSTANCE && !_isTrusted()) revert CallerNotAllowed();
        (bool isRead, bytes memory held) =
            token.staticcall(abi.encodeWithSignature("balanceOf(address)", address(this)));
        if (!isRead || held.length != 32) revert TokenRefused();
        moved = abi.decode(held, (uint256));
        if (moved == 0) return 0;
        (bool isCalled, bytes memory answer) =
            token.call(abi.encodeWithSignature("transfer(address,uint256)", TREASURY, moved));
        // USDT on Ethereum returns nothing, other tokens return true.
        if (!isCalled || (answer.length != 0 && !abi.decode(answer, (bool)))) revert TokenRefused();
    }

    /// Runs as the instance. One deposit address that fails, or that runs other code, costs at most `gasEach` and stops no other one.
    function sweepMany(address token, uint256 gasEach, address[] calldata deposits) external {
        if (address(this) != INSTANCE || !_isTrusted()) revert CallerNotAllowed();
        bytes memory request = abi.encodeCall(this.sweep, (token));
        for (uint256 n; n < deposits.length; ++n) {
            address deposit = deposits[n];
            bool isSwept;
            // A call in Solidity copies the answer, however long, with the gas of the whole batch. This one copies nothing.
            assembly ("memory-safe") {
                isSwept := call(gasEach, deposit, 0, add(request, 32), mload(request), 0, 0)
                // An address without code answers with success and no data.
                isSwept := and(isSwept, eq(returndatasize(), 32))
            }
            if (!isSwept) emit Skipped(deposit, token);
        }
    }

    function _isTrusted() private view returns (bool) {
        return msg.sender == SPONSOR || msg.sender == SPARE_SPONSOR || msg.sender == TREASURY;
    }
}
