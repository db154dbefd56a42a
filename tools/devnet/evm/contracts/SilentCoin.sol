// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// Wraps and moves the native coin without any event: to a decoder it is what any token is whose events it does not know.
contract SilentCoin {
    string public constant name = "Silent Coin";
    string public constant symbol = "COIN";
    uint8 public constant decimals = 18;
    mapping(address => uint256) public balanceOf;

    function totalSupply() external view returns (uint256) {
        return address(this).balance;
    }

    function deposit() external payable {
        balanceOf[msg.sender] += msg.value;
    }

    function transfer(address dst, uint256 wad) external returns (bool) {
        balanceOf[msg.sender] -= wad;
        balanceOf[dst] += wad;
        return true;
    }
}
