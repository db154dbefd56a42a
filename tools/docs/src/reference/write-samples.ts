// SPDX-License-Identifier: Apache-2.0
import { fence } from '../markdown.ts';

export interface Call {
  readonly method: string;
  /** With examples in the place of its parameters. */
  readonly path: string;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
  /** The media type of a body that is text. */
  readonly textType: string | undefined;
  /** The method of the SDK, `addresses.list`, and the values of the path in its order. */
  readonly sdk: { readonly name: string; readonly ids: readonly unknown[]; readonly isStream: boolean };
}

/** The same call in each language; what it stands on (`$API`, `chainwatch`, `api`, `call`) is on the first page of the API. */
export function writeSamples(call: Call): string {
  return [
    '::: code-group',
    fence('sh [curl]', writeCurl(call)),
    fence('ts [TypeScript]', writeTypeScript(call)),
    fence('python [Python]', writePython(call)),
    fence('go [Go]', writeGo(call)),
    ':::',
  ].join('\n');
}

function writeCurl({ method, body, textType, sdk, ...call }: Call): string {
  const lines = [`curl "$API${withQuery(call)}" -H "X-Api-Key: $KEY"`];
  if (sdk.isStream) lines[0] = lines[0]!.replace('curl ', 'curl -N ');
  if (method !== 'GET' && !(method === 'POST' && body !== undefined)) lines[0] += ` -X ${method}`;
  if (textType !== undefined) lines.push(`  -H 'Content-Type: ${textType}'`, '  --data-binary @ledger.csv');
  else if (body !== undefined)
    lines.push(
      `  -H 'Content-Type: application/json'`,
      `  -d '${JSON.stringify(body, undefined, 2).replaceAll("'", "'\\''").replaceAll('\n', '\n  ')}'`,
    );
  return lines.join(' \\\n');
}

function writeTypeScript({ sdk: { name, ids, isStream }, body, query }: Call): string {
  const values = [
    ...ids.map((id) => toLiteral(id)),
    ...(body === undefined ? [] : [toLiteral(body)]),
    ...(Object.keys(query).length === 0 ? [] : [toLiteral(query)]),
  ].join(', ');
  if (isStream)
    return `for await (const event of chainwatch.${name}(${values})) console.log(event.type, event.position);`;
  return `const answer = await chainwatch.${name}(${values});`;
}

function writePython({ method, body, textType, sdk, ...call }: Call): string {
  const values = [
    `"${method}"`,
    `api + ${JSON.stringify(withQuery(call))}`,
    ...(textType === undefined
      ? []
      : [`data=open("ledger.csv", "rb")`, `headers={"Content-Type": "${textType}"}`]),
    ...(body === undefined || textType !== undefined ? [] : [`json=${toPython(body)}`]),
    ...(sdk.isStream ? ['stream=True'] : []),
  ].join(', ');
  const rest = sdk.isStream
    ? 'for line in answer.iter_lines():\n    print(line.decode())'
    : 'print(answer.text)';
  return `answer = session.request(${values})\nanswer.raise_for_status()\n${rest}`;
}

function writeGo({ method, body, textType, ...call }: Call): string {
  // `call` sends JSON.
  if (textType !== undefined)
    return [
      'ledger, err := os.Open("ledger.csv")',
      `request, err := http.NewRequest("${method}", api+${JSON.stringify(withQuery(call))}, ledger)`,
      'request.Header.Set("X-Api-Key", os.Getenv("CHAINWATCH_API_KEY"))',
      `request.Header.Set("Content-Type", "${textType}")`,
      'answer, err := http.DefaultClient.Do(request)',
    ].join('\n');
  const text = body === undefined ? '""' : `\`${JSON.stringify(body, undefined, 2)}\``;
  return `answer, err := call("${method}", ${JSON.stringify(withQuery(call))}, ${text})`;
}

function withQuery({ path, query }: Pick<Call, 'path' | 'query'>): string {
  const parts = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`);
  return parts.length === 0 ? path : `${path}?${parts.join('&')}`;
}

/** JSON with the names of members as TypeScript writes them. */
function toLiteral(value: unknown): string {
  return JSON.stringify(value, undefined, 2)
    .replace(/^(\s*)"([A-Za-z_]\w*)":/gm, '$1$2:')
    .replace(/"((?:[^"\\]|\\.)*)"(?=[,\n\]:}]|$)/g, (whole, text: string) =>
      text.includes("'") || text.includes('\\') ? whole : `'${text}'`,
    );
}

function toPython(value: unknown): string {
  return JSON.stringify(value, undefined, 4)
    .replace(/(?<=[:[,]\s*)true\b/g, 'True')
    .replace(/(?<=[:[,]\s*)false\b/g, 'False')
    .replace(/(?<=[:[,]\s*)null\b/g, 'None');
}
