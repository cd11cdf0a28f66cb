import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { runProgram } from './program.ts'
import { readAll } from './read-input.ts'
import { table, visible } from './report.ts'

const folder = mkdtempSync(join(tmpdir(), 'cairn-cli-'))
after(() => rmSync(folder, { recursive: true }))

async function run(args: readonly string[], { env = {}, input = '' } = {}) {
  let out = ''
  let err = ''
  const code = await runProgram(args, {
    out: (text) => (out += text),
    err: (text) => (err += text),
    readInput: async () => input,
    env,
  })
  return { code, out, err }
}

const commands = [
  'start',
  'init',
  'accounts',
  'keys',
  'card',
  'usage',
  'config',
  'doctor',
  'store',
  'slot',
  'completion',
]

test('slot finds a variable in the layout that solc wrote', async () => {
  const file = fileURLToPath(new URL('../../test/fakes/files/kept-contract.json', import.meta.url))
  const { out } = await run(['slot', file, 'since', '--json'])
  assert.deepEqual(JSON.parse(out), { slot: `0x${'0'.repeat(64)}`, offset: 21, type: 'uint40' })
  const wrong = await run(['slot', file, 'until'])
  assert.deepEqual([wrong.code, wrong.out], [1, ''])
  assert.match(wrong.err, /no variable until; there are owner, paused/)
  assert.equal((await run(['slot', file])).code, 2)
})

test('help names every command, and goes to standard output', async () => {
  const { code, out, err } = await run(['--help'])
  assert.equal(code, 0)
  assert.equal(err, '')
  for (const name of commands) assert.match(out, new RegExp(`^  ${name} `, 'm'))
})

for (const name of commands) {
  test(`${name} --help shows examples, or the subcommands whose help does`, async () => {
    const { code, out } = await run([name, '--help'])
    assert.equal(code, 0)
    const subcommands = [...out.matchAll(/^  ([a-z]+) \[options\]/gm)].map(
      (match) => match[1] ?? '',
    )
    if (subcommands.length === 0) assert.match(out, /Examples?:\n {2}/)
    for (const subcommand of subcommands) {
      const inner = await run([name, subcommand, '--help'])
      assert.equal(inner.code, 0)
      assert.match(inner.out, /Examples?:\n {2}/, subcommand)
      assert.match(inner.out, /--json/, subcommand)
    }
  })
}

test('wrong usage ends with 2 and one sentence, with --json also an object', async () => {
  for (const args of [
    [],
    ['nope'],
    ['keys'],
    ['slot', '--nope'],
    ['accounts', 'create'],
    ['slot', '--key'],
  ]) {
    const { code, out, err } = await run(args)
    assert.equal(code, 2, args.join(' '))
    assert.equal(out, '')
    assert.match(err, /^cairn: [^\n]+\n$/)
  }
  const { code, err } = await run(['slot', '--json'])
  assert.equal(code, 2)
  const error = (JSON.parse(err.split('\n')[1] ?? '') as { error: { code: string } }).error
  assert.equal(error.code, 'usage')
})

test('a setting that cannot be used ends with 1 and says which', async () => {
  const { code, err } = await run(['config', 'print', '--json'], { env: { CAIRN_HTTP_PORT: 'x' } })
  assert.equal(code, 1)
  assert.match(err, /^cairn: CAIRN_HTTP_PORT: http.port is "x"/)
  assert.match(err, /\{"error":\{"code":"config"/)
})

test('settings are shown with their values and where they come from', async () => {
  const { out } = await run(['config', 'print', '--json', '--data-dir', 'here'], {
    env: { CAIRN_HTTP_PORT: '1' },
  })
  const { settings } = JSON.parse(out) as { settings: { path: string; value: unknown }[] }
  assert.partialDeepStrictEqual(settings, [
    { path: 'dataDir', value: 'here', origin: '--data-dir' },
    { path: 'http.port', value: 1, origin: 'CAIRN_HTTP_PORT' },
  ])
})

test('slot follows keys and indexes in the order they are typed', async () => {
  const key = '0x391694e7e0b0cce554cb130d723a9d27458f9298'
  const { out } = await run(['slot', '--mapping', '1', '--key', key, '--json'])
  const slot = '0x6661e9d6d8b923d5bbaab1b96e1dd51ff6ea2a93520fdc9eb75d059238b8c5e9'
  assert.deepEqual(JSON.parse(out), { slot })
  const nested = await run(['slot', '--mapping', '1', '--key', key, '--key', '-1', '--index', '2'])
  assert.match(nested.out, /^0x[0-9a-f]{64}\n$/)
  const other = await run(['slot', '--mapping', '1', '--key', '-1', '--key', key, '--index', '2'])
  assert.notEqual(nested.out, other.out)
})

test('slot takes the item size from before or after the index', async () => {
  const first = await run(['slot', '--array', '0', '--index', '1', '--item-slots', '3'])
  const last = await run(['slot', '--array', '0', '--item-slots', '0x3', '--index', '1'])
  assert.equal(first.out, last.out)
  assert.match(first.out, /e566\n$/)
})

test('both or none of --mapping and --array is wrong usage', async () => {
  for (const args of ['--mapping 1', '--array 1', '--mapping 1 --array 1 --key 1', '--key 1']) {
    assert.equal((await run(['slot', ...args.split(' ')])).code, 2, args)
  }
})

test('control characters in what users named are shown, not sent to the terminal', () => {
  assert.equal(visible('a\u001b[31mb\n'), 'a\\x1b[31mb\\x0a')
  assert.equal(table(['name', 'n'], [['a\tb', 1]], ''), 'name    n\na\\x09b  1')
})

test('standard input has an end', async () => {
  async function* chunks(count: number) {
    for (let at = 0; at < count; at++) yield Buffer.alloc(32_768, 'a')
  }
  assert.equal((await readAll(chunks(2))).length, 65_536)
  await assert.rejects(readAll(chunks(3)), /larger than 65536 bytes/)
})

test('config check finds what start would refuse and what cannot work', async () => {
  const found = async (env: Record<string, string>) => {
    const { code, out } = await run(['config', 'check', '--json'], { env })
    assert.equal(code, 1)
    const { mistakes } = JSON.parse(out) as { mistakes: readonly { text: string; fix: string }[] }
    assert.equal(mistakes.length, 1, out)
    return `${mistakes[0]?.text} | ${mistakes[0]?.fix}`
  }
  assert.match(
    await found({ CAIRN_GATEWAY_DENY_FILE: './no-such-list' }),
    /^CAIRN_GATEWAY_DENY_FILE: gateway\.denyFile is "\.\/no-such-list", expected a readable file: /,
  )
  assert.match(
    await found({ CAIRN_GATEWAY_DENY_FILES: '., ./no-such-list' }),
    /^CAIRN_GATEWAY_DENY_FILES: gateway\.denyFiles is "\.\/no-such-list"/,
  )
  assert.match(
    await found({ CAIRN_CHAIN_GENESIS_FILE: '.' }),
    /expected a readable file: not a file/,
  )
  assert.match(
    await found({ CAIRN_MAIL_URL: 'smtp://mail.example.com' }),
    /mail\.url is set, expected mail\.from too/,
  )
})

test('a setting or limit with a unit is refused with the number that is expected', async () => {
  const check = async (env: Record<string, string>) =>
    (await run(['config', 'check'], { env })).out.replaceAll(/\s+/g, ' ')
  assert.match(
    await check({ CAIRN_FILES_UNPINNED_MS: '24h' }),
    /files\.unpinnedMs is "24h": expected a whole number of milliseconds/,
  )
  assert.match(await check({ CAIRN_STORE_BYTES_MAX: '100MB' }), /a whole number of bytes/)
  const limit = await run(['accounts', 'set', 'team', '--files-stored-bytes', '10GB'])
  assert.equal(limit.code, 2)
  assert.match(
    limit.err,
    /--files-stored-bytes is "10GB", expected a whole number of bytes: 10000000000\n/,
  )
})
