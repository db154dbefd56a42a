// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// Emits Transfer with nothing indexed: the same topic 0 as ERC-20, one topic only, everything in the data.
contract UnindexedEmitter {
    event Transfer(address from, address to, uint256 value);

    function emitTransfer(address from, address to, uint256 value) external {
        emit Transfer(from, to, value);
    }
}
