// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// Sends the ether it gets on: internal transfers, some of which fail.
contract Forwarder {
    receive() external payable {}

    /// One internal transfer.
    function forward(address payable to) external payable {
        (bool ok, ) = to.call{value: msg.value}("");
        require(ok, "forward");
    }

    /// The same share to each.
    function split(address payable[] calldata to) external payable {
        for (uint256 i = 0; i < to.length; i++) {
            (bool ok, ) = to[i].call{value: msg.value / to.length}("");
            require(ok, "split");
        }
    }

    /// Sends to `to` in a call that reverts afterwards; the transaction succeeds, nothing moved, this contract keeps the ether.
    function forwardAndRevert(address payable to) external payable {
        try this.sendThenRevert(to, msg.value) {} catch {}
    }

    function sendThenRevert(address payable to, uint256 value) external {
        (bool ok, ) = to.call{value: value}("");
        require(ok && false, "reverted on purpose");
    }
}
