// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// A token that answers each view as it was told to: with any bytes, a revert, all gas burnt, or many megabytes.
contract HostileToken {
    event Transfer(address indexed from, address indexed to, uint256 value);

    uint8 constant REVERT = 1;
    uint8 constant BURN = 2;
    uint8 constant LONG = 3;

    struct Answer {
        uint8 mode;
        uint256 size;
        bytes data;
    }

    mapping(bytes4 => Answer) answers;

    constructor(bytes4[] memory views, Answer[] memory given) {
        for (uint256 i = 0; i < views.length; i++) answers[views[i]] = given[i];
    }

    function emitTransfers(address from, address[] calldata to, uint256[] calldata values) external {
        for (uint256 i = 0; i < to.length; i++) emit Transfer(from, to[i], values[i]);
    }

    function flood(address from, address to, uint256 value, uint256 count) external {
        for (uint256 i = 0; i < count; i++) emit Transfer(from, to, value);
    }

    fallback() external {
        Answer storage answer = answers[msg.sig];
        if (answer.mode == REVERT) revert("hostile");
        if (answer.mode == BURN) {
            while (true) {}
        }
        if (answer.mode == LONG) {
            uint256 size = answer.size;
            // An ABI string of that many bytes, all of them zero.
            assembly {
                let start := mload(0x40)
                mstore(start, 0x20)
                mstore(add(start, 0x20), size)
                return(start, add(0x40, size))
            }
        }
        bytes memory data = answer.data;
        assembly {
            return(add(data, 0x20), mload(data))
        }
    }
}

/// Makes a hostile token and moves it in one transaction.
contract HostileFactory {
    function play(
        bytes4[] calldata views,
        HostileToken.Answer[] calldata given,
        address from,
        address[] calldata to,
        uint256[] calldata values
    ) external {
        new HostileToken(views, given).emitTransfers(from, to, values);
    }

    function flood(address to, uint256 value, uint256 count) external {
        bytes4[] memory views = new bytes4[](1);
        HostileToken.Answer[] memory given = new HostileToken.Answer[](1);
        views[0] = 0x313ce567;
        given[0].data = abi.encode(uint256(18));
        new HostileToken(views, given).flood(address(0), to, value, count);
    }
}
