// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// Keeps one per cent of every transfer and does not say so: the Transfer event names the whole value.
contract FeeToken {
    event Transfer(address indexed from, address indexed to, uint256 value);

    string public constant name = "Fee Token";
    string public constant symbol = "FEE";
    uint8 public constant decimals = 6;
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;

    function mint(address to, uint256 value) external {
        totalSupply += value;
        balanceOf[to] += value;
        emit Transfer(address(0), to, value);
    }

    function transfer(address to, uint256 value) external returns (bool) {
        uint256 fee = value / 100;
        balanceOf[msg.sender] -= value;
        balanceOf[to] += value - fee;
        totalSupply -= fee;
        emit Transfer(msg.sender, to, value);
        return true;
    }
}
