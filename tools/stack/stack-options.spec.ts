// SPDX-License-Identifier: Apache-2.0
import { checkNode } from './check-node.mjs';
import { parseStackOptions } from './stack-options.mjs';

describe('parseStackOptions', () => {
  it('runs the demo on the local chain unless told otherwise', () => {
    expect(parseStackOptions([])).toEqual({
      hasDemo: true,
      hasDevnet: true,
      portOffset: 0,
      isDetached: false,
      isVerbose: false,
    });
  });

  it('has no demo without a local chain', () => {
    expect(parseStackOptions(['--no-devnet', '--detach'])).toMatchObject({
      hasDemo: false,
      hasDevnet: false,
      isDetached: true,
    });
  });

  it.each([
    [['--port-offset', '-1']],
    [['--port-offset', 'x']],
    [['--port-offset=40001']],
    [['--port-offset=']],
    [['--port-offset', '1e3']],
    [['--port-offset', '0x10']],
    [['--port-offset']],
    [['--detach=yes']],
    [['--bogus']],
    [['stray']],
  ])('refuses %j in one sentence with the usage', (args) => {
    expect(() => parseStackOptions(args)).toThrow(/npm start -- /);
  });
});

describe('checkNode', () => {
  it.each(['20.19.0', '20.20.2', '22.0.0', '24.1.0'])('accepts %s', (version) => {
    expect(() => checkNode(version)).not.toThrow();
  });

  it.each(['18.20.0', '20.18.3'])('says what to install instead of %s', (version) => {
    expect(() => checkNode(version)).toThrow(`needs Node 20.19 or newer, this is ${version}`);
  });
});
