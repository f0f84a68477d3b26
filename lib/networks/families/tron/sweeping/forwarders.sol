// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

/// Moves money from deposit addresses on TRON to one treasury, without a key of any of them. A deposit address is the address that a
/// forwarder will have: a minimal proxy (ERC-1167) to this contract, created by CREATE2 when its money is moved for the first time. This
/// contract creates forwarders and is the code that they run. Only immutables: they are part of the code, while storage would be that of
/// the forwarder. It has no owner and cannot be changed.
contract Forwarders {
    address private immutable INSTANCE = address(this);
    address private immutable TREASURY;
    address private immutable SPONSOR;
    address private immutable SPARE_SPONSOR;

    /// The money of this deposit address did not move. Only the token's own Transfer event proves that tokens moved.
    event Skipped(address indexed deposit, address indexed token);

    error CallerNotAllowed();
    error TokenRefused();

    constructor(address treasury, address sponsor, address spareSponsor) {
        TREASURY = treasury;
        SPONSOR = sponsor;
        SPARE_SPONSOR = spareSponsor;
    }

    /// Coin that another contract sends to a forwarder stays there until it is flushed.
    receive() external payable {}

    /// Runs as a forwarder. Moves this much of the token, or of the coin if `token` is zero, to the treasury.
    function move(address token, uint256 amount) external {
        if (address(this) == INSTANCE || msg.sender != INSTANCE) revert CallerNotAllowed();
        (bool isCalled,) = token == address(0)
            ? TREASURY.call{value: amount}("")
            : token.call(abi.encodeWithSignature("transfer(address,uint256)", TREASURY, amount));
        // What it returns proves nothing: USDT on TRON moves the money and returns false.
        if (!isCalled) revert TokenRefused();
    }

    /// Moves all that the deposit addresses of these salts hold of the token, or of the coin if `token` is zero, and creates the forwarders
    /// that are missing. Bit n of the result is set unless the money of salt n did not move. One that fails costs at most `energyEach`
    /// besides its creation, and stops no other one.
    function flush(address token, uint256 energyEach, bytes32[] calldata salts) external returns (uint256 served) {
        if (address(this) != INSTANCE || !_isTrusted()) revert CallerNotAllowed();
        bytes memory code = abi.encodePacked(
            hex"3d602d80600a3d3981f3363d3d373d3d3d363d73", INSTANCE, hex"5af43d82803e903d91602b57fd5bf3"
        );
        for (uint256 n; n < salts.length; ++n) {
            // TRON hashes the creator with its prefix 0x41, where other networks hash 0xff.
            bytes32 place = keccak256(abi.encodePacked(hex"41", INSTANCE, salts[n], keccak256(code)));
            address deposit = address(uint160(uint256(place)));
            if (_serve(token, energyEach, deposit, salts[n], code)) served |= 1 << n;
            else emit Skipped(deposit, token);
        }
    }

    function _serve(address token, uint256 energyEach, address deposit, bytes32 salt, bytes memory code)
        private
        returns (bool isServed)
    {
        uint256 held = deposit.balance;
        if (token != address(0)) {
            (bool isRead, bytes memory answer) =
                token.staticcall(abi.encodeWithSignature("balanceOf(address)", deposit));
            if (!isRead || answer.length != 32) return false;
            held = abi.decode(answer, (uint256));
        }
        if (held == 0) return true;
        if (deposit.code.length == 0) {
            address created;
            assembly ("memory-safe") {
                created := create2(0, add(code, 32), mload(code), salt)
            }
            // A network that computes addresses differently moves nothing.
            if (created != deposit) return false;
        }
        bytes memory request = abi.encodeCall(this.move, (token, held));
        assembly ("memory-safe") {
            isServed := call(energyEach, deposit, 0, add(request, 32), mload(request), 0, 0)
        }
    }

    function _isTrusted() private view returns (bool) {
        return msg.sender == SPONSOR || msg.sender == SPARE_SPONSOR || msg.sender == TREASURY;
    }
}
