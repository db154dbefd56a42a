import type { RawTransaction } from './raw-block.ts';
import type { RlpWriter } from './rlp-writer.ts';

/**
 * Writes the fields of a transaction type that only Arbitrum Nitro has (its go-ethereum, core/types/arb_types.go).
 * @returns false when `type` is none of them
 */
export function encodeArbitrumTransaction(writer: RlpWriter, tx: RawTransaction, type: number): boolean {
  switch (type) {
    case 0x64: // deposit of ether from L1
      writer.quantity(tx.value);
      writer.data(tx.to);
      writer.data(tx.from);
      writer.data(tx.requestId);
      break;
    case 0x65: // unsigned, from an L1 account
      writeCall(writer, tx);
      writer.quantity(tx.nonce);
      writer.data(tx.from);
      break;
    case 0x66: // from an L1 contract
      writeCall(writer, tx);
      writer.data(tx.from);
      writer.data(tx.requestId);
      break;
    case 0x68: // redemption of a retryable ticket
      writer.quantity(tx.submissionFeeRefund);
      writer.quantity(tx.maxRefund);
      writer.data(tx.refundTo);
      writer.data(tx.ticketId);
      writeCall(writer, tx);
      writer.data(tx.from);
      writer.quantity(tx.nonce);
      break;
    case 0x69:
      writeSubmitRetryable(writer, tx);
      break;
    case 0x6a: // internal, start of block
      writer.data(tx.input);
      break;
    default:
      return false;
  }
  writer.quantity(tx.chainId);
  return true;
}

function writeCall(writer: RlpWriter, tx: RawTransaction): void {
  writer.data(tx.input);
  writer.quantity(tx.value);
  writer.data(tx.to);
  writer.quantity(tx.gas);
  writer.quantity(tx.maxFeePerGas ?? tx.gasPrice);
}

function writeSubmitRetryable(writer: RlpWriter, tx: RawTransaction): void {
  writer.data(tx.retryData);
  writer.data(tx.refundTo);
  writer.quantity(tx.maxSubmissionFee);
  writer.data(tx.beneficiary);
  writer.quantity(tx.retryValue);
  writer.data(tx.retryTo);
  writer.quantity(tx.gas);
  writer.quantity(tx.maxFeePerGas ?? tx.gasPrice);
  writer.quantity(tx.depositValue);
  writer.quantity(tx.l1BaseFee);
  writer.data(tx.from);
  writer.data(tx.requestId);
}
