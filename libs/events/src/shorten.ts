/** Of a hash or an address what people compare: its beginning and its end. */
export function shorten(text: string): string {
  return text.length > 16 ? `${text.slice(0, 8)}…${text.slice(-6)}` : text;
}
