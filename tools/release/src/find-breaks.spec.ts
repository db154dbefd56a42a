// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { describeApi } from '../../sdk/src/describe-api.ts';
import { findBreaks, type ApiDocument } from './find-breaks.ts';

const read = <T>(name: string): T =>
  JSON.parse(readFileSync(new URL(`../baseline/${name}`, import.meta.url), 'utf8'));
const baseline = read<ApiDocument>('openapi.json');
const accepted = read<{ break: string; reason: string }[]>('accepted.json');

it('the API has all that release 0.1.0 promised, but for what is accepted', () => {
  expect(Object.keys(baseline.paths).length).toBeGreaterThan(80);
  const breaks = findBreaks(baseline, describeApi() as unknown as ApiDocument);
  expect(breaks.sort()).toEqual(accepted.map((one) => one.break).sort());
});

/** An API with one operation. */
const API = `{"paths":{"/things":{"post":{
"parameters":[{"name":"limit","in":"query","schema":{"type":"integer","maximum":100}}],
"requestBody":{"required":false,"content":{"application/json":{"schema":{"type":"object","required":["kind"],"additionalProperties":false,
"properties":{"kind":{"type":"string","enum":["a","b"]},"note":{"type":"string","maxLength":20}}}}}},
"responses":{"200":{"content":{"application/json":{"schema":{"type":"object","required":["id","state","of"],"properties":{
"id":{"type":"string","format":"uuid"},
"state":{"type":"string","enum":["open","closed"]},
"of":{"oneOf":[{"$ref":"#/components/schemas/Cat"},{"$ref":"#/components/schemas/Dog"}]},
"text":{"type":["string","null"]}}}}}}}}}},
"components":{"schemas":{
"Cat":{"type":"object","required":["kind","lives"],"properties":{"kind":{"const":"cat"},"lives":{"type":"integer"}}},
"Dog":{"type":"object","required":["kind","age"],"properties":{"kind":{"const":"dog"},"age":{"type":"integer"}}},
"Owl":{"type":"object","required":["kind","nights"],"properties":{"kind":{"const":"owl"},"nights":{"type":"integer"}}}}}}`;

function breaksOf(part: string, other: string): string[] {
  const changed = API.replace(part, other);
  if (part !== '' && changed === API) throw new Error(`expected ${part} in the API`);
  return findBreaks(JSON.parse(API), JSON.parse(changed));
}

const PARAMETERS = '"parameters":[';

it.each([
  ['nothing', '', ''],
  ['an optional parameter', PARAMETERS, `${PARAMETERS}{"name":"since","in":"query","schema":{}},`],
  ['a larger limit', '"maximum":100', '"maximum":500'],
  ['an optional member of the body', '"note":', '"more":{"type":"string"},"note":'],
  ['a value of the body', '"a","b"', '"a","b","c"'],
  ['a member of the answer', '"id":', '"more":{"type":"string"},"id":'],
  ['a value of the answer', '"open"', '"held","open"'],
  ['a variant of the answer', '"oneOf":[', '"oneOf":[{"$ref":"#/components/schemas/Owl"},'],
  ['a member that is never null any more', '["string","null"]', '"string"'],
])('takes %s', (_, part, other) => {
  expect(breaksOf(part, other)).toEqual([]);
});

it.each([
  ['POST /things query limit: is gone', '"name":"limit"', '"name":"most"'],
  [
    'POST /things query since: is required',
    PARAMETERS,
    `${PARAMETERS}{"name":"since","in":"query","required":true,"schema":{}},`,
  ],
  ['POST /things query limit: maximum 100 is 50', '"maximum":100', '"maximum":50'],
  [
    'POST /things query limit: integer was not refused',
    '"type":"integer","maximum"',
    '"type":"string","maximum"',
  ],
  ['POST /things body: is required', '"required":false', '"required":true'],
  ['POST /things body.note: is required', '["kind"]', '["kind","note"]'],
  ['POST /things body.note: is gone', '"note":', '"notes":'],
  ['POST /things body.kind: refuses b', '"a","b"', '"a"'],
  ['POST /things body.note: maxLength 20 is 5', '"maxLength":20', '"maxLength":5'],
  ['POST /things 200: is gone', '"200"', '"202"'],
  ['POST /things 200.text: is gone', '"text"', '"texts"'],
  ['POST /things 200.id: may be missing', '["id","state"', '["state"'],
  ['POST /things 200.id: format uuid is undefined', ',"format":"uuid"', ''],
  [
    'POST /things 200.id: null was not to come',
    '"type":"string","format"',
    '"type":["string","null"],"format"',
  ],
  ['POST /things 200.of: kind dog is gone', ',{"$ref":"#/components/schemas/Dog"}', ''],
  ['POST /things 200.of.age: is gone', '"age":', '"years":'],
  ['POST /things 200.text: integer was not to come', '["string","null"]', '["string","integer"]'],
  ['POST /things: is gone', '"post"', '"put"'],
])('says "%s"', (text, part, other) => {
  expect(breaksOf(part, other)).toContain(text);
});
