// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

/// Common behaviour of older stablecoins: approve rejects changing one nonzero allowance into another; the owner can
/// take a fee, blacklist, pause and issue. Written from documented behaviour, without token source code.
abstract contract LegacyLedger {
    /// Fees stay below this many basis points, as in the production contract.
    uint256 private constant FEE_LIMIT = 20;

    string public name;
    string public symbol;
    uint8 public decimals;
    address public owner;
    bool public paused;
    uint256 public totalSupply;
    mapping(address account => uint256) public balanceOf;
    mapping(address account => mapping(address spender => uint256)) public allowance;
    mapping(address account => bool) public isBlackListed;
    uint256 public basisPointsRate;
    uint256 public maximumFee;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);
    event AddedBlackList(address indexed user);
    event RemovedBlackList(address indexed user);
    event Params(uint256 feeBasisPoints, uint256 maxFee);
    event Issue(uint256 amount);

    modifier onlyOwner() {
        require(msg.sender == owner);
        _;
    }

    modifier whenNotPaused() {
        require(!paused);
        _;
    }

    constructor(string memory name_, string memory symbol_, uint8 decimals_, address owner_) {
        name = name_;
        symbol = symbol_;
        decimals = decimals_;
        owner = owner_;
    }

    function _approve(address spender, uint256 value) internal {
        require(value == 0 || allowance[msg.sender][spender] == 0);
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
    }

    function setParams(uint256 feeBasisPoints, uint256 maxFee) external onlyOwner {
        require(feeBasisPoints < FEE_LIMIT);
        basisPointsRate = feeBasisPoints;
        maximumFee = maxFee;
        emit Params(feeBasisPoints, maxFee);
    }

    function setPaused(bool paused_) external onlyOwner {
        paused = paused_;
    }

    function addBlackList(address user) external onlyOwner {
        isBlackListed[user] = true;
        emit AddedBlackList(user);
    }

    function removeBlackList(address user) external onlyOwner {
        isBlackListed[user] = false;
        emit RemovedBlackList(user);
    }

    function mint(address to, uint256 value) external onlyOwner {
        totalSupply += value;
        balanceOf[to] += value;
        emit Issue(value);
        emit Transfer(address(0), to, value);
    }

    function _spend(address from, uint256 value) internal {
        uint256 allowed = allowance[from][msg.sender];
        if (allowed != type(uint256).max) {
            require(allowed >= value);
            allowance[from][msg.sender] = allowed - value;
        }
    }

    /// Checks only the sender's listing, as in the production contract: a listed address can still receive.
    function _move(address from, address to, uint256 value) internal {
        require(!isBlackListed[from]);
        require(balanceOf[from] >= value);
        uint256 fee = (value * basisPointsRate) / 10000;
        if (fee > maximumFee) fee = maximumFee;
        balanceOf[from] -= value;
        balanceOf[to] += value - fee;
        if (fee > 0) {
            balanceOf[owner] += fee;
            emit Transfer(from, owner, fee);
        }
        emit Transfer(from, to, value - fee);
    }
}

/// USDT on Ethereum: transfer, transferFrom and approve return nothing.
contract LegacyStable is LegacyLedger {
    constructor(string memory name_, string memory symbol_, uint8 decimals_, address owner_)
        LegacyLedger(name_, symbol_, decimals_, owner_)
    {}

    function transfer(address to, uint256 value) external whenNotPaused {
        _move(msg.sender, to, value);
    }

    function transferFrom(address from, address to, uint256 value) external whenNotPaused {
        _spend(from, value);
        _move(from, to, value);
    }

    function approve(address spender, uint256 value) external {
        _approve(spender, value);
    }
}

/// USDT on TRON: transfer declares a result and returns none, so that callers read false though the money moved.
contract TronStable is LegacyLedger {
    constructor(string memory name_, string memory symbol_, uint8 decimals_, address owner_)
        LegacyLedger(name_, symbol_, decimals_, owner_)
    {}

    function transfer(address to, uint256 value) external whenNotPaused returns (bool) {
        _move(msg.sender, to, value);
    }

    function transferFrom(address from, address to, uint256 value) external whenNotPaused returns (bool) {
        _spend(from, value);
        _move(from, to, value);
        return true;
    }

    function approve(address spender, uint256 value) external returns (bool) {
        _approve(spender, value);
        return true;
    }
}
