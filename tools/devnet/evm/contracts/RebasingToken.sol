// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// Balances are shares times an index: a rebase changes every balance without one Transfer.
contract RebasingToken {
    event Transfer(address indexed from, address indexed to, uint256 value);
    event Rebase(uint256 percent);

    string public constant name = "Rebasing Token";
    string public constant symbol = "REBASE";
    uint8 public constant decimals = 18;
    uint256 public percent = 100;
    uint256 public totalShares;
    mapping(address => uint256) public shares;

    function balanceOf(address owner) external view returns (uint256) {
        return shares[owner] * percent / 100;
    }

    function totalSupply() external view returns (uint256) {
        return totalShares * percent / 100;
    }

    function mint(address to, uint256 value) external {
        uint256 part = value * 100 / percent;
        totalShares += part;
        shares[to] += part;
        emit Transfer(address(0), to, value);
    }

    /// Rounding leaves up to two units behind, as such tokens do.
    function transfer(address to, uint256 value) external returns (bool) {
        uint256 part = value * 100 / percent;
        shares[msg.sender] -= part;
        shares[to] += part;
        emit Transfer(msg.sender, to, value);
        return true;
    }

    /// Balances become `newPercent` per cent of what they would be without any rebase.
    function rebase(uint256 newPercent) external {
        require(newPercent > 0, "percent");
        percent = newPercent;
        emit Rebase(newPercent);
    }
}
