// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// Name and symbol are bytes32, as in tokens from before the standard settled (MKR).
contract Bytes32Token {
    event Transfer(address indexed from, address indexed to, uint256 value);

    bytes32 public constant name = "Bytes Token";
    bytes32 public constant symbol = "B32";
    uint8 public constant decimals = 8;
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;

    function mint(address to, uint256 value) external {
        totalSupply += value;
        balanceOf[to] += value;
        emit Transfer(address(0), to, value);
    }

    function transfer(address to, uint256 value) external returns (bool) {
        balanceOf[msg.sender] -= value;
        balanceOf[to] += value;
        emit Transfer(msg.sender, to, value);
        return true;
    }
}
