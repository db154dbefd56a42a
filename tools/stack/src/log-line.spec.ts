// SPDX-License-Identifier: Apache-2.0
import { formatLogLine } from './log-line.ts';

describe('formatLogLine', () => {
  it('puts the message first and the fields behind it', () => {
    const line = JSON.stringify({
      level: 'warn',
      time: 'x',
      service: 's',
      chain_gid: 'eip155:1',
      height: 7,
      msg: 'the node lags',
    });
    expect(formatLogLine(line)).toEqual({
      level: 40,
      text: 'warn the node lags chain_gid=eip155:1 height=7',
    });
  });

  it('knows levels as numbers too, and leaves info unnamed', () => {
    expect(formatLogLine('{"level":30,"msg":"started"}')).toEqual({ level: 30, text: 'started' });
  });

  it('shows of an error its code and message', () => {
    expect(
      formatLogLine('{"level":50,"err":{"message":"gone","code":"E1","stack":"…"},"msg":"failed"}').text,
    ).toBe('error failed err="E1: gone"');
  });

  it('passes on what is no JSON', () => {
    expect(formatLogLine('{ plain text')).toEqual({ level: 30, text: '{ plain text' });
  });
});
