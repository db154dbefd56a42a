// SPDX-License-Identifier: MIT
// Source of contracts.json: solc 0.8.37, optimizer 200 runs, EVM version paris.
pragma solidity ^0.8.20;

contract TestToken {
    string public name = "Test Token";
    string public symbol = "TST";
    uint8 public decimals = 6;
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;
    event Transfer(address indexed from, address indexed to, uint256 value);
    event Rebased(uint256 factor);

    constructor() { _mint(msg.sender, 1e12); }

    function _mint(address to, uint256 value) internal {
        balanceOf[to] += value;
        totalSupply += value;
        emit Transfer(address(0), to, value);
    }

    function transfer(address to, uint256 value) external returns (bool) {
        balanceOf[msg.sender] -= value;
        balanceOf[to] += value;
        emit Transfer(msg.sender, to, value);
        return true;
    }

    function rebase() external { emit Rebased(2); }
}

/// bytes32 name and symbol, no decimals, and a Transfer event without indexed topics.
contract OldToken {
    bytes32 public name = "Old Token";
    bytes32 public symbol = "OLD";
    uint256 public totalSupply = 100;
    event Transfer(address from, address to, uint256 value);
    function transfer(address to, uint256 value) external { emit Transfer(msg.sender, to, value); }
    function balanceOf(address) external pure returns (uint256) { revert("no"); }
}

contract HostileToken {
    function name() external pure returns (string memory) { return string(abi.encodePacked("ev\x00il\xff", new bytes(300))); }
    function symbol() external pure returns (bytes memory) { return abi.encode(type(uint256).max); }
    function decimals() external pure returns (uint256) { return 300; }
    function totalSupply() external pure returns (uint256) { return 1; }
    function balanceOf(address) external pure { assembly { mstore8(0, 1) return(0, 5) } }
}

contract Child {
    constructor() payable {}
    function destroy(address payable to) external { selfdestruct(to); }
}

contract Splitter {
    Child public child;
    constructor() payable {}
    /// Sends half to each of two addresses, keeps nothing.
    function split(address payable a, address payable b) external payable {
        (bool first, ) = a.call{value: msg.value / 2}("");
        (bool second, ) = b.call{value: msg.value - msg.value / 2}("");
        require(first && second);
    }
    /// The inner call sends and reverts; only the later send stays.
    function sendAndUndo(address payable a) external payable {
        try this.sendThenRevert{value: msg.value / 2}(a) {} catch {}
        (bool sent, ) = a.call{value: 1}("");
        require(sent);
    }
    function sendThenRevert(address payable a) external payable {
        (bool sent, ) = a.call{value: msg.value}("");
        require(!sent, "undo");
    }
    function createChild() external payable { child = new Child{value: msg.value}(); }
    function destroyChild(address payable to) external { child.destroy(to); }
    function fail() external payable { revert("no"); }
    receive() external payable {}
}
