# SPDX-License-Identifier: Apache-2.0
"""Verifies chainwatch's proofs of EVM and Bitcoin transactions. One file, Python 3.8 or newer.

    proved = verify_transaction(proof, trusted_block_hash)

Take the hash of the block from a node or an explorer of your own, never from the service that gave the proof.
Needs `rlp` and `pycryptodome` for EVM chains (Debian: python3-rlp, python3-pycryptodome), nothing for Bitcoin.
The walk along the trie is written here: Debian has no library of Merkle-Patricia tries.
"""
import hashlib
import re
from dataclasses import dataclass, field
from typing import Any, List, Optional

HEADER_BYTES = 80
NODE_BYTES = 64  # Two hashes of Bitcoin's tree look like a transaction of as many bytes.
TRANSFER = bytes.fromhex("ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef")
COIN_LOGS = bytes.fromhex("ff" * 19 + "fe")  # Movements of the coin itself (EIP-7708).
PAYMENT_AT = {0: (3, 4), 1: (4, 5), 2: (5, 6), 3: (5, 6), 4: (5, 6)}  # Receiver and amount, by type of transaction.


class InvalidProofError(Exception):
    """The proof does not show what it says; the text is the reason."""


@dataclass(frozen=True)
class Transfer:
    """Money that the proof shows to move. Absent members are what its bytes do not tell."""

    type: str  # "native": the coin of the chain; "token": `token` is its contract.
    amount_raw: int  # Base units.
    token: Optional[str] = None
    sender: Optional[str] = None
    to: Optional[str] = None
    script: Optional[str] = None  # Bitcoin: the script of the output, hexadecimal.


@dataclass(frozen=True)
class ProvedTransaction:
    chain_gid: str
    hash: str
    block_hash: str
    block_number: int
    index: int  # Position in the block, from 0.
    is_failed: bool
    transfers: List[Transfer] = field(default_factory=list)


def verify_transaction(proof: dict, trusted_block_hash: str) -> ProvedTransaction:
    """What the proof shows. Raises InvalidProofError. It does not show that nothing else happened."""
    verify = {"mpt": _verify_mpt, "merkle": _verify_merkle}.get(str(proof.get("type")))
    if verify is None:
        _fail(proof.get("reason") or f"type: {proof.get('type')} is not known here, so that it shows nothing")
    if trusted_block_hash.lower() != proof.get("block_hash"):
        _fail(f"block_hash: expected {trusted_block_hash}, which you trust, got {proof.get('block_hash')}")
    if type(proof.get("block_number")) is not int or not 0 <= proof["block_number"] < 2**53:
        _fail(f"block_number: expected a whole number, got {proof.get('block_number')}")
    try:
        return verify(proof)
    except (TypeError, KeyError, IndexError, AttributeError, ValueError, OverflowError) as error:
        raise InvalidProofError(f"expected the members of a proof: {error}") from None


def _verify_mpt(proof: dict) -> ProvedTransaction:
    import rlp

    header, branch, item = _parts_of(proof)
    content = _to_bytes("header", header)
    if "0x" + _keccak(content).hex() != proof["block_hash"]:
        _fail("header: its hash is not block_hash")
    fields = _decode_list("header", content)
    if int.from_bytes(_bytes_at(fields, 8), "big") != proof["block_number"]:
        _fail("header: its number is not block_number")
    transaction = _to_bytes("item.transaction", item.get("transaction"))
    receipt = _to_bytes("item.receipt", item.get("receipt"))
    key = rlp.encode(item["index"])
    for member, root, value in (("transaction", 4, transaction), ("receipt", 5, receipt)):
        nodes = [_to_bytes(f"branch.{member}", node) for node in branch.get(member) or []]
        if not nodes or _keccak(nodes[0]) != _bytes_at(fields, root):
            _fail(f"branch.{member}: its first node is not the root in the header")
        if _find_in_trie(nodes, key) != value:
            _fail(f"branch.{member}: it does not lead to item.{member}")
    if "0x" + _keccak(transaction).hex() != proof["hash"]:
        _fail("item.transaction: its hash is not hash")
    is_failed, is_outcome_known, logs = _read_receipt(receipt)
    moves = [] if is_failed else [move for log in logs for move in _to_transfer(*log)]
    is_logged = any(move.type == "native" for move in moves)
    own = [] if is_failed or is_logged or not is_outcome_known else _read_payment(transaction)
    return _to_proved(proof, is_failed, own + moves)


def _verify_merkle(proof: dict) -> ProvedTransaction:
    header, branch, item = _parts_of(proof)
    content = _to_bytes("header", header)
    if len(content) != HEADER_BYTES:
        _fail(f"header: expected {HEADER_BYTES} bytes, got {len(content)}")
    if _hash256(content)[::-1].hex() != proof["block_hash"]:
        _fail("header: its hash is not block_hash")
    root = content[36:68]
    transaction = _to_bytes("item.transaction", item.get("transaction"))
    coinbase = _to_bytes("item.coinbase", item.get("coinbase"))
    if _hash256(transaction)[::-1].hex() != proof["hash"]:
        _fail("item.transaction: its hash is not hash")
    paths = branch["transaction"], branch.get("coinbase") or []
    if len(paths[0]) != len(paths[1]):
        _fail("branch: transaction and coinbase are not on the same level of the tree")
    if NODE_BYTES in (len(transaction), len(coinbase)):
        _fail("item: 64 bytes may be an inner node of the tree")
    _climb("transaction", _hash256(transaction), item["index"], paths[0], root)
    _climb("coinbase", _hash256(coinbase), 0, paths[1], root)
    if coinbase[4:5] != b"\x01" or coinbase[5:41] != bytes(32) + b"\xff" * 4:
        _fail("item.coinbase: it spends an output")
    if int.from_bytes(content[:4], "little", signed=True) >= 2 and _height_in(coinbase) != proof["block_number"]:
        _fail("item.coinbase: it does not begin with block_number (BIP 34)")
    return _to_proved(proof, False, _read_outputs(transaction))


def _parts_of(proof: dict) -> Any:
    header, branch, item = (proof.get(member) for member in ("header", "branch", "item"))
    if header is None or branch is None or item is None:
        _fail(proof.get("reason") or f"a proof of type {proof['type']} needs header, branch and item")
    if type(item["index"]) is not int or not 0 <= item["index"] < 2**53:
        _fail(f"item.index: expected a position, got {item['index']}")
    return header, branch, item


def _find_in_trie(nodes: List[bytes], key: bytes) -> Optional[bytes]:
    """The value at the key, along the nodes from the root; None where they do not lead to one."""
    rest, digits, reference = list(nodes), key.hex(), _keccak(nodes[0])
    while True:
        node = reference
        if isinstance(reference, bytes):
            if not rest or _keccak(rest[0]) != reference:
                return None
            node = _try_decode(rest.pop(0))
        if isinstance(node, bytes) or node is None:
            return None
        if len(node) == 17:
            if digits == "":
                return node[16] if isinstance(node[16], bytes) and not rest else None
            reference, digits = node[int(digits[0], 16)], digits[1:]
            continue
        if len(node) != 2 or not isinstance(node[0], bytes) or not node[0]:
            return None
        kind = node[0][0] >> 4
        path = node[0].hex()[1 if kind & 1 else 2 :]
        if not digits.startswith(path):
            return None
        reference, digits = node[1], digits[len(path) :]
        if kind & 2:
            return reference if digits == "" and isinstance(reference, bytes) and not rest else None


def _body_of(member: str, content: bytes) -> Any:
    """Behind the byte of the type (EIP-2718), where there is one."""
    kind = content[0] if content and content[0] < 0x80 else 0
    return kind, _decode_list(member, content[1:] if kind else content)


def _read_receipt(content: bytes) -> Any:
    _, fields = _body_of("item.receipt", content)
    # Before Byzantium a state root of 32 bytes: a payment that failed is not told apart from one that was made.
    status = _bytes_at(fields, 0)
    if status not in (b"", b"\x01") and len(status) != 32:
        _fail("item.receipt: expected a status or a root")
    if len(fields) < 4 or isinstance(fields[3], bytes):
        _fail("item.receipt: expected a list of logs")
    logs = []
    for log in fields[3]:
        if isinstance(log, bytes) or len(log) < 2 or isinstance(log[1], bytes):
            _fail("item.receipt: expected a log")
        if not all(isinstance(topic, bytes) for topic in log[1]):
            _fail("expected a topic")
        logs.append((_bytes_at(log, 0), list(log[1]), _bytes_at(log, 2)))
    return status == b"", len(status) != 32, logs


def _to_transfer(address: bytes, topics: List[bytes], data: bytes) -> List[Transfer]:
    if len(topics) != 3 or topics[0] != TRANSFER or len(data) != 32:
        return []
    is_coin = address == COIN_LOGS
    return [
        Transfer(
            type="native" if is_coin else "token",
            token=None if is_coin else _to_text(address),
            sender=_to_text(topics[1][12:]),
            to=_to_text(topics[2][12:]),
            amount_raw=int.from_bytes(data, "big"),
        )
    ]


def _read_payment(content: bytes) -> List[Transfer]:
    kind, fields = _body_of("item.transaction", content)
    if kind not in PAYMENT_AT:
        return []
    to, value = (_bytes_at(fields, at) for at in PAYMENT_AT[kind])
    amount = int.from_bytes(value, "big")
    return [Transfer(type="native", to=_to_text(to), amount_raw=amount)] if to and amount else []


def _climb(member: str, leaf: bytes, index: int, path: list, root: bytes) -> None:
    node, at = leaf, index
    for text in path:
        sibling = _to_bytes(f"branch.{member}", text)
        if len(sibling) != 32:
            _fail(f"branch.{member}: expected hashes of 32 bytes")
        # A copy of itself on its right is the end of an odd level; on its left it would be a second place.
        if at % 2 == 1 and sibling == node:
            _fail(f"branch.{member}: a transaction stands twice")
        node = _hash256(sibling + node if at % 2 else node + sibling)
        at //= 2
    if at != 0:
        _fail(f"item.index: the tree has no place {index}")
    if node != root:
        _fail(f"branch.{member}: it does not lead to the root in the header")


def _height_in(coinbase: bytes) -> Optional[int]:
    """The number that its script begins with. Blocks before version 2 begin with anything."""
    size, first = coinbase[41], coinbase[42]
    if size == 0:
        return None
    if first == 0:
        return 0
    if 0x50 < first <= 0x60:
        return first - 0x50
    return None if first > 6 or first >= size else int.from_bytes(coinbase[43 : 43 + first], "little")


def _read_outputs(content: bytes) -> List[Transfer]:
    """Outputs of a transaction without witness."""
    at = 4

    def take(count: int) -> bytes:
        nonlocal at
        if at + count > len(content):
            _fail("item.transaction: its bytes end too early")
        at += count
        return content[at - count : at]

    def read_int(count: int) -> int:
        return int.from_bytes(take(count), "little")

    def read_size() -> int:
        first = read_int(1)
        return first if first < 0xFD else read_int({0xFD: 2, 0xFE: 4, 0xFF: 8}[first])

    for _ in range(read_size()):
        take(36)
        take(read_size())
        take(4)
    outputs = []
    for _ in range(read_size()):
        amount = read_int(8)
        outputs.append(Transfer(type="native", script=take(read_size()).hex(), amount_raw=amount))
    take(4)
    if at != len(content):
        _fail("item.transaction: bytes are left behind its end")
    return outputs


def _to_proved(proof: dict, is_failed: bool, transfers: List[Transfer]) -> ProvedTransaction:
    said = {member: proof[member] for member in ("chain_gid", "hash", "block_hash", "block_number")}
    return ProvedTransaction(**said, index=proof["item"]["index"], is_failed=is_failed, transfers=transfers)


def _to_bytes(member: str, text: Optional[str]) -> bytes:
    if text is None:
        _fail(f"{member}: expected bytes, got none")
    digits = text[2:] if text.startswith("0x") else text
    if re.fullmatch("(?:[0-9a-fA-F]{2})*", digits) is None:
        _fail(f"{member}: expected hexadecimal digits")
    return bytes.fromhex(digits)


def _try_decode(content: bytes) -> Any:
    import rlp

    try:
        return rlp.decode(content)
    except (rlp.DecodingError, IndexError):
        return None


def _decode_list(member: str, content: bytes) -> Any:
    decoded = _try_decode(content)
    if decoded is None or isinstance(decoded, bytes):
        _fail(f"{member}: expected an RLP list")
    return decoded


def _bytes_at(fields: Any, at: int) -> bytes:
    if at >= len(fields) or not isinstance(fields[at], bytes):
        _fail(f"expected bytes at {at} of a list")
    return fields[at]


def _keccak(content: bytes) -> bytes:
    try:
        from Cryptodome.Hash import keccak  # Debian's name of pycryptodome.
    except ImportError:
        from Crypto.Hash import keccak
    return keccak.new(digest_bits=256, data=content).digest()


def _hash256(content: bytes) -> bytes:
    return hashlib.sha256(hashlib.sha256(content).digest()).digest()


def _to_text(content: bytes) -> str:
    return "0x" + content.hex()


def _fail(message: str) -> None:
    raise InvalidProofError(message)
