const TEXT_OID = 25;
const HEADER_BYTES = 20;

/**
 * A `text[]` in PostgreSQL's binary format (array_recv: dimensions, has-null flag, element type, length, lower bound,
 * then each element's length and bytes). The driver sends a buffer as it is, where an array of long texts would be
 * escaped character by character into one huge string.
 */
export function encodeTextArray(texts: readonly string[]): Buffer {
  const byteLengths = texts.map((text) => Buffer.byteLength(text));
  const buffer = Buffer.allocUnsafe(
    HEADER_BYTES + byteLengths.reduce((total, bytes) => total + 4 + bytes, 0),
  );
  let at = buffer.writeInt32BE(1, 0);
  at = buffer.writeInt32BE(0, at);
  at = buffer.writeInt32BE(TEXT_OID, at);
  at = buffer.writeInt32BE(texts.length, at);
  at = buffer.writeInt32BE(1, at);
  for (const [position, text] of texts.entries()) {
    at = buffer.writeInt32BE(byteLengths[position]!, at);
    at += buffer.write(text, at);
  }
  return buffer;
}
