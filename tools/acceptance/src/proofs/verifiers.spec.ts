// SPDX-License-Identifier: Apache-2.0
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findExecutable, repoDir } from '@chainwatch/testing/host';
import { findDebianFiles } from '../../../stack/find-debian-tool.ts';

const folder = join(repoDir, 'libs/verify');
const files = ['mpt', 'merkle'].map((name) => join(folder, 'vectors', `${name}.json`));

interface Vector {
  readonly name: string;
  readonly expected?: object;
  readonly refused?: string;
}

/** Each prints, for each vector, what the proof shows or why it is refused: JSON on one line. */
const PYTHON = `
import json, sys
sys.path.insert(0, sys.argv[1])
from chainwatch_verify import InvalidProofError, verify_transaction
names = {"type": "type", "token": "token", "sender": "from", "to": "to", "script": "script"}
def say(vector):
    try:
        proved = verify_transaction(vector["proof"], vector["trusted_block_hash"])
    except InvalidProofError as refusal:
        return {"refused": str(refusal)}
    transfers = [{**{name: getattr(one, member) for member, name in names.items() if getattr(one, member) is not None},
        "amount_raw": str(one.amount_raw)} for one in proved.transfers]
    return {"expected": {"index": proved.index, "is_failed": proved.is_failed, "transfers": transfers}}
print(json.dumps([say(vector) for path in sys.argv[2:] for vector in json.load(open(path))["vectors"]]))
`;

const GO = `package main

import (
	"encoding/json"
	"fmt"
	"os"

	"example.com/receiver/chainwatchverify"
)

type vector struct {
	Proof   chainwatchverify.Proof \`json:"proof"\`
	Trusted string                 \`json:"trusted_block_hash"\`
}

func say(v vector) map[string]any {
	proved, err := chainwatchverify.VerifyTransaction(v.Proof, v.Trusted)
	if err != nil {
		return map[string]any{"refused": err.Error()}
	}
	transfers := []map[string]any{}
	for _, one := range proved.Transfers {
		said := map[string]any{"type": one.Type, "amount_raw": one.AmountRaw.String()}
		for name, value := range map[string]string{"token": one.Token, "from": one.From, "to": one.To, "script": one.Script} {
			if value != "" {
				said[name] = value
			}
		}
		transfers = append(transfers, said)
	}
	return map[string]any{"expected": map[string]any{"index": proved.Index, "is_failed": proved.IsFailed, "transfers": transfers}}
}

func main() {
	said := []map[string]any{}
	for _, path := range os.Args[1:] {
		var file struct{ Vectors []vector }
		text, _ := os.ReadFile(path)
		if err := json.Unmarshal(text, &file); err != nil {
			panic(err)
		}
		for _, v := range file.Vectors {
			said = append(said, say(v))
		}
	}
	out, _ := json.Marshal(said)
	fmt.Println(string(out))
}
`;

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'verifiers-'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** What the interpreter prints about the vectors; undefined where it or its libraries are not to be had. */
const VERIFIERS: Readonly<Record<string, () => Promise<string | undefined>>> = {
  python3: async () => {
    const python = findExecutable('python3', process.env);
    const debian = python && (await findDebianFiles('python3-rlp', 'python3-pycryptodome'));
    if (debian === undefined) return undefined;
    const env = { ...process.env, PYTHONPATH: join(debian, 'usr/lib/python3/dist-packages') };
    const args = ['-B', '-c', PYTHON, join(folder, 'verifiers/python'), ...files];
    return execFileSync(python!, args, { env, encoding: 'utf8' });
  },
  go: async () => {
    const go = await findGo();
    const debian = go && (await findDebianFiles('golang-golang-x-crypto-dev', 'golang-golang-x-sys-dev'));
    if (debian === undefined) return undefined;
    const module = join(directory, 'src/example.com/receiver');
    mkdirSync(join(module, 'chainwatchverify'), { recursive: true });
    cpSync(join(folder, 'verifiers/go/verify.go'), join(module, 'chainwatchverify/verify.go'));
    writeFileSync(join(module, 'main.go'), GO);
    const env = {
      ...process.env,
      GO111MODULE: 'off',
      GOPATH: `${directory}:${join(debian, 'usr/share/gocode')}`,
      GOCACHE: join(directory, 'cache'),
      GOTOOLCHAIN: 'local',
    };
    execFileSync(go!, ['vet', './...'], { cwd: module, env });
    return execFileSync(go!, ['run', '.', ...files], { cwd: module, env, encoding: 'utf8' });
  },
};

async function findGo(): Promise<string | undefined> {
  const found = findExecutable('go', process.env);
  if (found !== undefined) return found;
  const debian = await findDebianFiles('golang-1.19-go', 'golang-1.19-src');
  return debian === undefined ? undefined : join(debian, 'usr/lib/go-1.19/bin/go');
}

it.each(Object.keys(VERIFIERS))('the verifier in %s shows and refuses as the vectors say', async (name) => {
  const printed = await VERIFIERS[name]!();
  if (printed === undefined) {
    console.log(`skipped: the vectors were not given to ${name}, which is not here`);
    return;
  }
  const vectors = files.flatMap(
    (path) => (JSON.parse(readFileSync(path, 'utf8')) as { vectors: Vector[] }).vectors,
  );
  const said = JSON.parse(printed) as object[];
  expect(said.map((one, at) => ({ name: vectors[at]?.name, ...one }))).toEqual(
    vectors.map(({ name: title, expected, refused }) => ({
      name: title,
      ...(expected === undefined ? { refused } : { expected }),
    })),
  );
});
