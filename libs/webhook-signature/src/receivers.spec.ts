// SPDX-License-Identifier: Apache-2.0
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Stripe from 'stripe';
import { signPayload, type SignatureVerdict } from './index.ts';

const folder = fileURLToPath(new URL('..', import.meta.url));
const vectorsPath = join(folder, 'vectors/v1.json');
const vectors = JSON.parse(readFileSync(vectorsPath, 'utf8')) as {
  sign: { name: string }[];
  verify: { name: string; expected: SignatureVerdict }[];
};

/** Each prints what the receiver says to each vector, and the event that it unwraps: JSON on one line. */
const PYTHON = `
import base64, json, sys
sys.path.insert(0, sys.argv[1])
from chainwatch_webhook import SignatureError, unwrap, verify
vectors = json.load(open(sys.argv[2]))
def verdict(*args):
    try:
        verify(*args)
        return "taken"
    except SignatureError as error:
        return str(error)
signed = [verdict(v["header"], base64.b64decode(v["body_base64"]), [secret], 300, v["timestamp"]) for v in vectors["sign"] for secret in v["secrets"]]
verified = [verdict(v["header"], base64.b64decode(v["body_base64"]), v["secrets"], v.get("tolerance_seconds", 300), v["now"]) for v in vectors["verify"]]
def refused(*args):
    try:
        unwrap(*args)
    except (SignatureError, ValueError) as error:
        return str(error)
event = unwrap(sys.argv[3], sys.argv[4].encode(), ["another", sys.argv[5]])
print(json.dumps({"signed": signed, "verified": verified, "type": event["type"], "id": event["event_id"],
    "refused": [refused(sys.argv[3], b"{}", [sys.argv[5]]), refused(sys.argv[3], b"{}", []), refused(sys.argv[3], b"{}", [""])]}))
`;

const PHP = `<?php
require $argv[1] . '/ChainwatchWebhook.php';
$vectors = json_decode(file_get_contents($argv[2]));
function verdict(...$args) {
    try { ChainwatchWebhook::verify(...$args); return 'taken'; }
    catch (ChainwatchSignatureException $error) { return $error->getMessage(); }
}
function refused(...$args) {
    try { ChainwatchWebhook::unwrap(...$args); return 'taken'; }
    catch (ChainwatchSignatureException | InvalidArgumentException $error) { return $error->getMessage(); }
}
$signed = [];
foreach ($vectors->sign as $v)
    foreach ($v->secrets as $secret) $signed[] = verdict($v->header, base64_decode($v->body_base64), [$secret], 300, $v->timestamp);
$verified = array_map(fn ($v) => verdict($v->header, base64_decode($v->body_base64), $v->secrets, $v->tolerance_seconds ?? 300, $v->now), $vectors->verify);
$event = ChainwatchWebhook::unwrap($argv[3], $argv[4], ['another', $argv[5]]);
echo json_encode(['signed' => $signed, 'verified' => $verified, 'type' => $event->type, 'id' => $event->event_id,
    'refused' => [refused($argv[3], '{}', [$argv[5]]), refused($argv[3], '{}', []), refused($argv[3], '{}', [''])]]);
`;

const GO = `package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"time"

	"example.com/receiver/chainwatch"
)

type vector struct {
	Header    *string  \`json:"header"\`
	Secrets   []string \`json:"secrets"\`
	Timestamp int64    \`json:"timestamp"\`
	Now       float64  \`json:"now"\`
	Tolerance *float64 \`json:"tolerance_seconds"\`
	Body      []byte   \`json:"body_base64"\`
}

func verdict(v vector, secrets []string, now float64) string {
	header, tolerance := "", chainwatch.Tolerance
	if v.Header != nil {
		header = *v.Header
	}
	if v.Tolerance != nil {
		tolerance = time.Duration(*v.Tolerance * float64(time.Second))
	}
	whole, part := math.Modf(now)
	return reason(chainwatch.Verify(header, v.Body, secrets, tolerance, time.Unix(int64(whole), int64(part*1e9))))
}

func reason(err error) string {
	var refusal chainwatch.SignatureError
	if errors.As(err, &refusal) {
		return string(refusal)
	}
	if err != nil {
		return err.Error()
	}
	return "taken"
}

func main() {
	var vectors struct{ Sign, Verify []vector }
	text, _ := os.ReadFile(os.Args[1])
	if err := json.Unmarshal(text, &vectors); err != nil {
		panic(err)
	}
	signed, verified := []string{}, []string{}
	for _, v := range vectors.Sign {
		for _, secret := range v.Secrets {
			signed = append(signed, verdict(v, []string{secret}, float64(v.Timestamp)))
		}
	}
	for _, v := range vectors.Verify {
		verified = append(verified, verdict(v, v.Secrets, v.Now))
	}
	event, err := chainwatch.Unwrap(os.Args[2], []byte(os.Args[3]), "another", os.Args[4])
	if err != nil {
		panic(err)
	}
	_, other := chainwatch.Unwrap(os.Args[2], []byte("{}"), os.Args[4])
	_, none := chainwatch.Unwrap(os.Args[2], []byte("{}"))
	_, empty := chainwatch.Unwrap(os.Args[2], []byte("{}"), "")
	out, _ := json.Marshal(map[string]any{"signed": signed, "verified": verified, "type": event.Type, "id": event.EventID,
		"refused": []string{reason(other), reason(none), reason(empty)}})
	fmt.Println(string(out))
}
`;

const secret = 'svc_whsec_0123456789ABCDEFGHIJKLMNOPQRST';
const body = '{"event_id":"6f1d1f4e-0000-5000-8000-000000000001","type":"transaction.detected"}';
const hasProgram = (name: string): boolean => spawnSync(name, ['--version']).error === undefined;
const hasGo = (): boolean => spawnSync('go', ['version']).error === undefined;

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'receivers-'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** What the interpreter prints about the vectors and about a delivery of this second. */
const RECEIVERS: [name: string, isHere: () => boolean, run: (...args: string[]) => string][] = [
  [
    'python3',
    () => hasProgram('python3'),
    (...args) =>
      execFileSync('python3', ['-B', '-c', PYTHON, join(folder, 'receivers/python'), vectorsPath, ...args], {
        encoding: 'utf8',
      }),
  ],
  [
    'php',
    () => hasProgram('php'),
    (...args) => {
      const script = join(directory, 'vectors.php');
      writeFileSync(script, PHP);
      return execFileSync('php', [script, join(folder, 'receivers/php'), vectorsPath, ...args], {
        encoding: 'utf8',
      });
    },
  ],
  [
    'go',
    hasGo,
    (...args) => {
      const module = join(directory, 'go');
      mkdirSync(join(module, 'chainwatch'), { recursive: true });
      cpSync(join(folder, 'receivers/go/chainwatch.go'), join(module, 'chainwatch/chainwatch.go'));
      writeFileSync(join(module, 'go.mod'), 'module example.com/receiver\n\ngo 1.19\n');
      writeFileSync(join(module, 'main.go'), GO);
      const env = { ...process.env, GOCACHE: join(directory, 'cache'), GOPROXY: 'off', GOTOOLCHAIN: 'local' };
      execFileSync('go', ['vet', './...'], { cwd: module, env });
      return execFileSync('go', ['run', '.', vectorsPath, ...args], { cwd: module, env, encoding: 'utf8' });
    },
  ],
];

describe.each(RECEIVERS)('the receiver for %s', (name, isHere, run) => {
  if (!isHere()) {
    it.skip(`is held by the vectors where ${name} is installed: it is not here`, () => undefined);
    return;
  }

  it('decides each vector as this library does, and reads the event', () => {
    const header = signPayload({ secrets: [secret], timestamp: Math.floor(Date.now() / 1_000), body });
    const said = JSON.parse(run(header, body, secret)) as Record<string, unknown>;
    const expected = vectors.verify.map(({ expected: verdict }) => (verdict.ok ? 'taken' : verdict.reason));
    expect(
      (said.verified as string[]).map((verdict, index) => [vectors.verify[index]!.name, verdict]),
    ).toEqual(expected.map((verdict, index) => [vectors.verify[index]!.name, verdict]));
    expect(new Set(said.signed as string[])).toEqual(new Set(['taken']));
    expect(said).toMatchObject({
      type: 'transaction.detected',
      id: '6f1d1f4e-0000-5000-8000-000000000001',
      refused: [
        'signature_mismatch',
        expect.stringContaining('expected the secret of the channel'),
        expect.stringContaining('expected the secret of the channel'),
      ],
    });
  });
});

describe("Stripe's library, with X-Webhook-Signature in the place of Stripe-Signature", () => {
  const { webhooks } = new Stripe('sk_test_none');
  const now = Math.floor(Date.now() / 1_000);
  const next = 'svc_whsec_ABCDEFGHIJKLMNOPQRSTUVWXYZ0123';
  const sign = (timestamp: number, secrets: [string, string?] = [secret]): string =>
    signPayload({ secrets, timestamp, body });

  it('verifies a delivery, with either secret of a rotation, and refuses the rest', () => {
    expect(webhooks.constructEvent(body, sign(now), secret)).toEqual(JSON.parse(body));
    for (const one of [secret, next])
      expect(webhooks.constructEvent(Buffer.from(body), sign(now, [next, secret]), one)).toEqual(
        JSON.parse(body),
      );
    const take =
      (text: string, header: string, key = secret) =>
      () =>
        webhooks.constructEvent(text, header, key);
    expect(take(`${body} `, sign(now))).toThrow('No signatures found matching');
    expect(take(body, sign(now), next)).toThrow('No signatures found matching');
    expect(take(body, sign(now - 301))).toThrow('outside the tolerance');
  });

  it('takes a time of the future, which the others refuse: the guide says so', () => {
    expect(webhooks.constructEvent(body, sign(now + 3_600), secret)).toEqual(JSON.parse(body));
  });
});
