// SPDX-License-Identifier: Apache-2.0

// Package chainwatchverify verifies chainwatch's proofs of EVM and Bitcoin transactions. One file, Go 1.19 or newer.
//
//	proved, err := chainwatchverify.VerifyTransaction(proof, trustedBlockHash)
//
// Take the hash of the block from a node or an explorer of your own, never from the service that gave the proof.
// Needs golang.org/x/crypto/sha3 (Debian: golang-golang-x-crypto-dev). RLP and the walk along the trie are written here:
// Debian has no library of Go for them.
package chainwatchverify

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/big"
	"strings"

	"golang.org/x/crypto/sha3"
)

// InvalidProofError says what the proof does not show.
type InvalidProofError string

func (reason InvalidProofError) Error() string { return string(reason) }

// Proof is what GET /transactions/{chain_gid}/{hash}/proof answers.
type Proof struct {
	Type        string  `json:"type"`
	ChainGID    string  `json:"chain_gid"`
	Hash        string  `json:"hash"`
	BlockHash   string  `json:"block_hash"`
	BlockNumber uint64  `json:"block_number"`
	Header      *string `json:"header"`
	Branch      *Branch `json:"branch"`
	Item        *Item   `json:"item"`
	Reason      *string `json:"reason"`
}

// Branch leads from the item to the header.
type Branch struct {
	Transaction []*string `json:"transaction"`
	Receipt     []*string `json:"receipt"`
	Coinbase    []*string `json:"coinbase"`
}

// Item is what is shown to be in the block.
type Item struct {
	Index       uint64  `json:"index"`
	Transaction *string `json:"transaction"`
	Receipt     *string `json:"receipt"`
	Coinbase    *string `json:"coinbase"`
}

// Transfer is money that the proof shows to move. Empty members are what its bytes do not tell.
type Transfer struct {
	// Type is "native" (the coin of the chain) or "token" (Token is its contract).
	Type, Token, From, To string
	// Script of the output, hexadecimal (Bitcoin).
	Script string
	// AmountRaw is in base units.
	AmountRaw *big.Int
}

// ProvedTransaction is what a proof shows.
type ProvedTransaction struct {
	ChainGID, Hash, BlockHash string
	BlockNumber, Index        uint64
	IsFailed                  bool
	Transfers                 []Transfer
}

const (
	headerBytes = 80
	// Two hashes of Bitcoin's tree look like a transaction of as many bytes.
	nodeBytes = 64
	transfer  = "ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
	// Movements of the coin itself (EIP-7708).
	coinLogs = "0xfffffffffffffffffffffffffffffffffffffffe"
)

// Where receiver and amount stand, by type of transaction.
var paymentAt = map[byte][2]int{0: {3, 4}, 1: {4, 5}, 2: {5, 6}, 3: {5, 6}, 4: {5, 6}}

// VerifyTransaction reads what the proof shows, or says in an InvalidProofError why it shows nothing. It does not show that
// nothing else happened.
func VerifyTransaction(proof Proof, trustedBlockHash string) (proved *ProvedTransaction, err error) {
	defer func() {
		switch cause := recover().(type) {
		case nil:
		case InvalidProofError:
			proved, err = nil, cause
		default:
			proved, err = nil, InvalidProofError(fmt.Sprintf("expected the members of a proof: %v", cause))
		}
	}()
	verify := map[string]func(Proof) *ProvedTransaction{"mpt": verifyMPT, "merkle": verifyMerkle}[proof.Type]
	if verify == nil {
		failWith(proof.Reason, "type: %s is not known here, so that it shows nothing", proof.Type)
	}
	if strings.ToLower(trustedBlockHash) != proof.BlockHash {
		fail("block_hash: expected %s, which you trust, got %s", trustedBlockHash, proof.BlockHash)
	}
	if proof.BlockNumber >= 1<<53 {
		fail("block_number: expected a whole number, got %d", proof.BlockNumber)
	}
	if proof.Header == nil || proof.Branch == nil || proof.Item == nil {
		failWith(proof.Reason, "a proof of type %s needs header, branch and item", proof.Type)
	}
	if proof.Item.Index >= 1<<53 {
		fail("item.index: expected a position, got %d", proof.Item.Index)
	}
	return verify(proof), nil
}

func verifyMPT(proof Proof) *ProvedTransaction {
	header := toBytes("header", proof.Header)
	if "0x"+hex.EncodeToString(keccak(header)) != proof.BlockHash {
		fail("header: its hash is not block_hash")
	}
	fields := decodeList("header", header)
	if new(big.Int).SetBytes(bytesAt(fields, 8)).Cmp(new(big.Int).SetUint64(proof.BlockNumber)) != 0 {
		fail("header: its number is not block_number")
	}
	transaction := toBytes("item.transaction", proof.Item.Transaction)
	receipt := toBytes("item.receipt", proof.Item.Receipt)
	key := encodeIndex(proof.Item.Index)
	expectValue("transaction", bytesAt(fields, 4), key, proof.Branch.Transaction, transaction)
	expectValue("receipt", bytesAt(fields, 5), key, proof.Branch.Receipt, receipt)
	if "0x"+hex.EncodeToString(keccak(transaction)) != proof.Hash {
		fail("item.transaction: its hash is not hash")
	}
	isFailed, isOutcomeKnown, moves := readReceipt(receipt)
	isLogged := false
	for _, move := range moves {
		isLogged = isLogged || move.Type == "native"
	}
	if !isFailed && !isLogged && isOutcomeKnown {
		moves = append(readPayment(transaction), moves...)
	}
	return toProved(proof, isFailed, moves)
}

func verifyMerkle(proof Proof) *ProvedTransaction {
	header := toBytes("header", proof.Header)
	if len(header) != headerBytes {
		fail("header: expected %d bytes, got %d", headerBytes, len(header))
	}
	if toReversed(hash256(header)) != proof.BlockHash {
		fail("header: its hash is not block_hash")
	}
	root := header[36:68]
	transaction := toBytes("item.transaction", proof.Item.Transaction)
	coinbase := toBytes("item.coinbase", proof.Item.Coinbase)
	if toReversed(hash256(transaction)) != proof.Hash {
		fail("item.transaction: its hash is not hash")
	}
	if len(proof.Branch.Transaction) != len(proof.Branch.Coinbase) {
		fail("branch: transaction and coinbase are not on the same level of the tree")
	}
	if len(transaction) == nodeBytes || len(coinbase) == nodeBytes {
		fail("item: 64 bytes may be an inner node of the tree")
	}
	climb("transaction", hash256(transaction), proof.Item.Index, proof.Branch.Transaction, root)
	climb("coinbase", hash256(coinbase), 0, proof.Branch.Coinbase, root)
	nothing := append(make([]byte, 32), 0xff, 0xff, 0xff, 0xff)
	if len(coinbase) < 41 || coinbase[4] != 1 || !bytes.Equal(coinbase[5:41], nothing) {
		fail("item.coinbase: it spends an output")
	}
	if int32(binary.LittleEndian.Uint32(header)) >= 2 {
		if height, is := heightIn(coinbase); !is || height != proof.BlockNumber {
			fail("item.coinbase: it does not begin with block_number (BIP 34)")
		}
	}
	return toProved(proof, false, readOutputs(transaction))
}

func expectValue(member string, root, key []byte, texts []*string, value []byte) {
	nodes := make([][]byte, len(texts))
	for at, text := range texts {
		nodes[at] = toBytes("branch."+member, text)
	}
	if len(nodes) == 0 || !bytes.Equal(keccak(nodes[0]), root) {
		fail("branch.%s: its first node is not the root in the header", member)
	}
	if found, is := findInTrie(nodes, root, hex.EncodeToString(key)); !is || !bytes.Equal(found, value) {
		fail("branch.%s: it does not lead to item.%s", member, member)
	}
}

// The value at the key, along the nodes from the root; false where they do not lead to one.
func findInTrie(nodes [][]byte, root []byte, digits string) ([]byte, bool) {
	for next := (rlp{text: root}); ; {
		node := next
		if !next.isList {
			if len(nodes) == 0 || !bytes.Equal(keccak(nodes[0]), next.text) {
				return nil, false
			}
			decoded, rest, ok := decode(nodes[0])
			if !ok || len(rest) > 0 || !decoded.isList {
				return nil, false
			}
			node, nodes = decoded, nodes[1:]
		}
		isEnd := false
		switch {
		case len(node.list) == 17 && digits == "":
			next, isEnd = node.list[16], true
		case len(node.list) == 17:
			next, digits = node.list[strings.Index("0123456789abcdef", digits[:1])], digits[1:]
		case len(node.list) == 2 && len(node.list[0].text) > 0:
			packed := node.list[0].text
			kind := packed[0] >> 4
			path := hex.EncodeToString(packed)[2-kind&1:]
			if !strings.HasPrefix(digits, path) {
				return nil, false
			}
			next, digits, isEnd = node.list[1], digits[len(path):], kind&2 != 0
		default:
			return nil, false
		}
		if isEnd {
			return next.text, digits == "" && !next.isList && len(nodes) == 0
		}
	}
}

func readReceipt(content []byte) (isFailed, isOutcomeKnown bool, moves []Transfer) {
	_, fields := bodyOf("item.receipt", content)
	// Before Byzantium a state root of 32 bytes: a payment that failed is not told apart from one that was made.
	status := bytesAt(fields, 0)
	isFailed, isOutcomeKnown = len(status) == 0, len(status) != 32
	if len(status) > 1 && isOutcomeKnown || len(status) == 1 && status[0] != 1 {
		fail("item.receipt: expected a status or a root")
	}
	if len(fields) < 4 || !fields[3].isList {
		fail("item.receipt: expected a list of logs")
	}
	for _, log := range fields[3].list {
		if !log.isList || len(log.list) < 2 || !log.list[1].isList {
			fail("item.receipt: expected a log")
		}
		for _, topic := range log.list[1].list {
			if topic.isList {
				fail("expected a topic")
			}
		}
		address, topics, data := bytesAt(log.list, 0), log.list[1].list, bytesAt(log.list, 2)
		if isFailed || len(topics) != 3 || hex.EncodeToString(topics[0].text) != transfer || len(data) != 32 {
			continue
		}
		move := Transfer{
			Type:      "token",
			Token:     toText(address),
			From:      toText(topics[1].text[12:]),
			To:        toText(topics[2].text[12:]),
			AmountRaw: new(big.Int).SetBytes(data),
		}
		if move.Token == coinLogs {
			move.Type, move.Token = "native", ""
		}
		moves = append(moves, move)
	}
	return isFailed, isOutcomeKnown, moves
}

func readPayment(content []byte) []Transfer {
	kind, fields := bodyOf("item.transaction", content)
	at, is := paymentAt[kind]
	if !is {
		return nil
	}
	to, amount := bytesAt(fields, at[0]), new(big.Int).SetBytes(bytesAt(fields, at[1]))
	if len(to) == 0 || amount.Sign() == 0 {
		return nil
	}
	return []Transfer{{Type: "native", To: toText(to), AmountRaw: amount}}
}

func climb(member string, leaf []byte, index uint64, path []*string, root []byte) {
	node, at := leaf, index
	for _, text := range path {
		sibling := toBytes("branch."+member, text)
		if len(sibling) != 32 {
			fail("branch.%s: expected hashes of 32 bytes", member)
		}
		// A copy of itself on its right is the end of an odd level; on its left it would be a second place.
		if at%2 == 1 && bytes.Equal(sibling, node) {
			fail("branch.%s: a transaction stands twice", member)
		}
		if at%2 == 0 {
			node = hash256(node, sibling)
		} else {
			node = hash256(sibling, node)
		}
		at /= 2
	}
	if at != 0 {
		fail("item.index: the tree has no place %d", index)
	}
	if !bytes.Equal(node, root) {
		fail("branch.%s: it does not lead to the root in the header", member)
	}
}

// The number that its script begins with. Blocks before version 2 begin with anything.
func heightIn(coinbase []byte) (height uint64, is bool) {
	if len(coinbase) < 43 || coinbase[41] == 0 {
		return 0, false
	}
	size, first := coinbase[41], coinbase[42]
	switch {
	case first == 0:
		return 0, true
	case first > 0x50 && first <= 0x60:
		return uint64(first - 0x50), true
	case first > 6 || first >= size || len(coinbase) < 43+int(first):
		return 0, false
	}
	for at := int(first) - 1; at >= 0; at-- {
		height = height<<8 | uint64(coinbase[43+at])
	}
	return height, true
}

// Outputs of a transaction without witness.
func readOutputs(content []byte) (outputs []Transfer) {
	rest := content[min(4, len(content)):]
	take := func(count uint64) []byte {
		if count > uint64(len(rest)) {
			fail("item.transaction: its bytes end too early")
		}
		taken := rest[:count]
		rest = rest[count:]
		return taken
	}
	readInt := func(count uint64) uint64 {
		return binary.LittleEndian.Uint64(append(append([]byte{}, take(count)...), make([]byte, 8-count)...))
	}
	readSize := func() uint64 {
		switch first := readInt(1); first {
		case 0xfd:
			return readInt(2)
		case 0xfe:
			return readInt(4)
		case 0xff:
			return readInt(8)
		default:
			return first
		}
	}
	for left := readSize(); left > 0; left-- {
		take(36)
		take(readSize())
		take(4)
	}
	for left := readSize(); left > 0; left-- {
		amount := new(big.Int).SetUint64(readInt(8))
		outputs = append(outputs, Transfer{Type: "native", Script: hex.EncodeToString(take(readSize())), AmountRaw: amount})
	}
	take(4)
	if len(rest) > 0 {
		fail("item.transaction: bytes are left behind its end")
	}
	return outputs
}

func toProved(proof Proof, isFailed bool, transfers []Transfer) *ProvedTransaction {
	return &ProvedTransaction{proof.ChainGID, proof.Hash, proof.BlockHash, proof.BlockNumber, proof.Item.Index, isFailed, transfers}
}

// Bytes, or a list of such.
type rlp struct {
	isList bool
	text   []byte
	list   []rlp
}

// The first item, and what stands behind it; false where the encoding is not the canonical one.
func decode(content []byte) (item rlp, rest []byte, ok bool) {
	if len(content) == 0 {
		return rlp{}, nil, false
	}
	first := content[0]
	if first < 0x80 {
		return rlp{text: content[:1]}, content[1:], true
	}
	short, isList := uint64(first-0x80), first >= 0xc0
	if isList {
		short = uint64(first - 0xc0)
	}
	size, start := short, uint64(1)
	if short > 55 {
		start += short - 55
		if start > uint64(len(content)) || content[1] == 0 {
			return rlp{}, nil, false
		}
		size = new(big.Int).SetBytes(content[1:start]).Uint64()
		if size <= 55 {
			return rlp{}, nil, false
		}
	}
	if size > uint64(len(content))-start {
		return rlp{}, nil, false
	}
	payload, rest := content[start:start+size], content[start+size:]
	if !isList {
		isCanonical := len(payload) != 1 || payload[0] >= 0x80
		return rlp{text: payload}, rest, isCanonical
	}
	item = rlp{isList: true}
	for len(payload) > 0 {
		var each rlp
		if each, payload, ok = decode(payload); !ok {
			return rlp{}, nil, false
		}
		item.list = append(item.list, each)
	}
	return item, rest, true
}

func decodeList(member string, content []byte) []rlp {
	item, rest, ok := decode(content)
	if !ok || len(rest) > 0 || !item.isList {
		fail("%s: expected an RLP list", member)
	}
	return item.list
}

// Behind the byte of the type (EIP-2718), where there is one.
func bodyOf(member string, content []byte) (kind byte, fields []rlp) {
	if len(content) > 0 && content[0] > 0 && content[0] < 0x80 {
		return content[0], decodeList(member, content[1:])
	}
	return 0, decodeList(member, content)
}

func bytesAt(fields []rlp, at int) []byte {
	if at >= len(fields) || fields[at].isList {
		fail("expected bytes at %d of a list", at)
	}
	return fields[at].text
}

// RLP of a position in the block.
func encodeIndex(index uint64) []byte {
	digits := new(big.Int).SetUint64(index).Bytes()
	if len(digits) == 1 && digits[0] < 0x80 {
		return digits
	}
	return append([]byte{0x80 + byte(len(digits))}, digits...)
}

func toBytes(member string, text *string) []byte {
	if text == nil {
		fail("%s: expected bytes, got none", member)
	}
	content, err := hex.DecodeString(strings.TrimPrefix(*text, "0x"))
	if err != nil {
		fail("%s: expected hexadecimal digits", member)
	}
	return content
}

func keccak(content []byte) []byte {
	digest := sha3.NewLegacyKeccak256()
	digest.Write(content)
	return digest.Sum(nil)
}

func hash256(parts ...[]byte) []byte {
	once := sha256.Sum256(bytes.Join(parts, nil))
	twice := sha256.Sum256(once[:])
	return twice[:]
}

func toText(content []byte) string { return "0x" + hex.EncodeToString(content) }

// Hashes of Bitcoin are written from their last byte on.
func toReversed(hash []byte) string {
	reversed := make([]byte, len(hash))
	for at, each := range hash {
		reversed[len(hash)-1-at] = each
	}
	return hex.EncodeToString(reversed)
}

func min(one, other int) int {
	if one < other {
		return one
	}
	return other
}

func fail(format string, values ...any) {
	panic(InvalidProofError(fmt.Sprintf(format, values...)))
}

// Says the reason that the proof gives, where it gives one.
func failWith(reason *string, format string, values ...any) {
	if reason != nil && *reason != "" {
		fail("%s", *reason)
	}
	fail(format, values...)
}
