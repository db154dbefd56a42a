// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// Leaves its ether to somebody: a value transfer without a call.
contract SelfDestructor {
    receive() external payable {}

    function destroy(address payable heir) external payable {
        selfdestruct(heir);
    }
}
