// Promises of the command line: Go's values, Kubo's texts, a single interpretation of each query.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noNames } from '../../test/fakes/files/test-names.ts'
import { systemClock } from '../base/clock.ts'
import {
  argumentLines,
  parseCommandLine,
  parseGoDuration,
  parseGoInteger,
  requireArgument,
  routeCommand,
} from './command-line.ts'
import { createKuboCommands } from './commands/index.ts'
import { otherCommands } from './kubo-commands.ts'
import { noRemotePins } from '../../test/fakes/files/no-remote-pins.ts'

const commands = createKuboCommands({
  clock: systemClock,
  version: '',
  publicKey: new Uint8Array(32),
  remotePins: noRemotePins,
  ipns: noNames,
  network: null,
})
const parse = (path: string, query: string) =>
  parseCommandLine(routeCommand(commands, path), new URLSearchParams(query))
const refuses = (path: string, query: string, message: string) =>
  assert.throws(() => parse(path, query), { message })

test('no offered command is in the list of the commands that Cairn does not offer', () => {
  for (const name of commands.keys()) assert.ok(!otherCommands.has(name), name)
})

test('a path names a command, one more segment is its first argument', () => {
  assert.equal(routeCommand(commands, 'pin/add').command.name, 'pin/add')
  assert.equal(routeCommand(commands, 'cat/Qm%20x').pathArgument, 'Qm x')
  assert.equal(routeCommand(commands, 'cat/').pathArgument, null)
  assert.deepEqual(parse('cat/a', 'arg=b').args, ['a', 'b'])
})

test('an unknown command is 404, a command of Kubo that Cairn does not offer is 403', () => {
  for (const path of ['nope', 'pin', 'pin/nosuch', 'cat/a/b', '', 'pin/']) {
    assert.throws(() => routeCommand(commands, path), { code: 'no_command' }, path)
  }
  for (const path of ['key/sign', 'files/chroot', 'object/get', 'dag/diff/x']) {
    assert.throws(() => routeCommand(commands, path), { code: 'command_not_offered' }, path)
  }
})

test('integers are base 0 within their width', () => {
  const int32 = { bits: 32, signed: true } as const
  const cases: [string, bigint | null][] = [
    ['0', 0n],
    ['0644', 0o644n],
    ['0x1F', 31n],
    ['0o17', 15n],
    ['0b11', 3n],
    ['1_000', 1000n],
    ['0x_f', 15n],
    ['-5', -5n],
    ['+5', 5n],
    ['2147483647', 2147483647n],
    ['2147483648', null],
    ['1__0', null],
    ['1_', null],
    ['_1', null],
    ['09', null],
    ['', null],
    ['0x', null],
    ['1e3', null],
    [' 1', null],
  ]
  for (const [text, value] of cases) assert.equal(parseGoInteger(text, int32), value, text)
  assert.equal(parseGoInteger('-1', { bits: 32, signed: false }), null)
  assert.equal(parseGoInteger('-0x8000000000000000', { bits: 64, signed: true }), -(1n << 63n))
})

test('durations are Go durations', () => {
  assert.equal(parseGoDuration('5000ms'), 5000n)
  assert.equal(parseGoDuration('1.5s'), 1500n)
  assert.equal(parseGoDuration('1h2m'), 3_720_000n)
  assert.equal(parseGoDuration('1ns'), 1n)
  assert.equal(parseGoDuration('0'), 0n)
  for (const text of ['', '5', 's', '1 s', '1d', '1.2.3s'])
    assert.equal(parseGoDuration(text), null)
})

test('options carry their type and their long name', () => {
  const { options } = parse('cat', 'arg=x&o=0x10&progress&nonsense=1&timeout=2s&local=T')
  assert.deepEqual(
    options,
    new Map<string, unknown>([
      ['timeout', 2000n],
      ['local', true],
      ['offset', 16n],
      ['progress', true],
      ['offline', true],
    ]),
  )
})

test("what cannot be read is refused with Kubo's text", () => {
  const type = (name: string) => `to type "${name}" (for option`
  refuses('cat', 'offset=abc', `could not convert value "abc" ${type('int64')} "-offset")`)
  refuses('cat', 'o=', `could not convert empty value ${type('int64')} "-o")`)
  refuses('add', 'pin=maybe', `could not convert value "maybe" ${type('bool')} "-pin")`)
  refuses('add', 'mode=-1', `could not convert value "-1" ${type('uint')} "-mode")`)
  refuses(
    'cat',
    'offset=1&offset=2',
    'expected key offset to have only a single value, received [1 2]',
  )
  refuses('cat', 'offset=1&o=2', 'duplicate command options were provided ("offset" and "o")')
  refuses('version', 'encoding=yaml', 'invalid encoding: yaml')
  refuses('cat', 'timeout=soon', 'time: invalid duration "soon"')
  refuses('cat', 'arg=x&'.repeat(1001), 'more than 1000 arguments')
})

test('a missing argument is named, and lines of a body are arguments', () => {
  const { command } = routeCommand(commands, 'cat')
  assert.throws(() => requireArgument(command, []), { message: 'argument "ipfs-path" is required' })
  requireArgument(routeCommand(commands, 'pin/ls').command, [])
  assert.deepEqual(argumentLines('a\r\nb\nc'), ['a', 'b', 'c'])
  assert.deepEqual(argumentLines('a\n'), ['a'])
  assert.throws(() => argumentLines('x'.repeat(8193)), { code: 'bad_argument' })
})
