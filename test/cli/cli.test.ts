// The command as people and programs run it: bin/cairn.js in a separate process, on a new data folder.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { bin } from '../started-server.ts'

const root = mkdtempSync(join(tmpdir(), 'cairn-cli-'))
after(() => rmSync(root, { recursive: true }))

/** A user does not have the variable of this run's cache of compiled code. Only tests of the cache have their own. */
const { NODE_COMPILE_CACHE: caches, ...others } = process.env
const environment = { ...others, ...(caches === undefined ? {} : { XDG_CACHE_HOME: caches }) }

type Ended = { readonly code: number; readonly out: string; readonly err: string }

function cairn(
  args: readonly string[],
  input = '',
  nodeArgs: readonly string[] = [],
  variables: Readonly<Record<string, string>> = {},
  program = bin,
): Promise<Ended> {
  return new Promise((resolve) => {
    const all = [...nodeArgs, program, ...args]
    const env = { ...environment, ...variables }
    const child = execFile(process.execPath, all, { cwd: root, env }, (error, out, err) => {
      resolve({ code: error === null ? 0 : Number(error.code), out, err })
    })
    child.stdin?.end(input)
  })
}

/** Runs with --json on the folder. The output must be one line of JSON. */
async function json(folder: string, ...args: string[]): Promise<Record<string, unknown>> {
  const { code, out, err } = await cairn([...args, '--json', '--data-dir', join(root, folder)])
  assert.equal(err, '')
  assert.equal(code, 0)
  assert.match(out, /^\{.*\}\n$/)
  return JSON.parse(out) as Record<string, unknown>
}

const oldNode = [
  '--import',
  `data:text/javascript,${"Object.defineProperty(process.versions,'node',{value:'20.9.0'})"}`,
]

test('an unsupported Node version hands over to the Node that npm installed with Cairn', async () => {
  const [old, current] = await Promise.all([cairn(['--help'], '', oldNode), cairn(['--help'])])
  assert.deepEqual(old, current)
  const [wrong, same] = await Promise.all([cairn(['carry'], '', oldNode), cairn(['carry'])])
  assert.equal(wrong.code, 2)
  assert.deepEqual(wrong, same)
})

test('an unsupported Node version alone is refused in one sentence, before newer syntax is loaded', async () => {
  const folder = join(root, 'alone')
  mkdirSync(folder)
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  copyFileSync(bin, join(folder, 'cairn.js'))
  const { code, out, err } = await cairn(['--help'], '', oldNode, {}, join(folder, 'cairn.js'))
  assert.equal(code, 1)
  assert.equal(out, '')
  assert.match(err, /^cairn needs Node 24\.9 or newer, and this is Node 20\.9\.0: .*https:.*\n$/)
})

test('compiled code is cached for the next start, and a missing home folder is not created', async () => {
  const caches = mkdtempSync(join(root, 'caches-'))
  const compiled = join(caches, 'cairn', 'compiled')
  const absent = join(root, 'missing')
  const [kept, unkept, disabled] = await Promise.all([
    cairn(['--version'], '', [], { XDG_CACHE_HOME: caches }),
    cairn(['--version'], '', [], { XDG_CACHE_HOME: join(absent, '.cache') }),
    cairn(['--version'], '', [], { XDG_CACHE_HOME: root, NODE_DISABLE_COMPILE_CACHE: '1' }),
  ])
  assert.deepEqual([kept.code, unkept.code, disabled.code], [0, 0, 0])
  assert.equal(existsSync(absent), false)
  assert.deepEqual(readdirSync(join(root, 'cairn', 'compiled')), [])
  const pieces = () =>
    readdirSync(compiled, { recursive: true, withFileTypes: true }).filter((it) => it.isFile())
  const count = pieces().length
  assert.ok(count > 5)
  // Cairn must not run code that another user may have written.
  chmodSync(compiled, 0o777)
  const open = await cairn(['keys', '--help'], '', [], { XDG_CACHE_HOME: caches })
  assert.equal(open.code, 0)
  assert.equal(pieces().length, count)
})

test('the heap may triple between two full collections, and the flag is set before code is compiled', async () => {
  const caches = mkdtempSync(join(root, 'caches-'))
  const tagUnder = async (...flags: string[]) => {
    const tag = 'require("node:v8").cachedDataVersionTag().toString(16)'
    const { stdout } = await promisify(execFile)(process.execPath, [...flags, '-p', tag])
    return stdout.trim()
  }
  const [plain, grown] = await Promise.all([
    tagUnder(),
    tagUnder('--heap-growing-percent=200'),
    cairn(['--version'], '', [], { XDG_CACHE_HOME: caches }),
  ])
  assert.notEqual(plain, grown)
  // Node names the cache folder by all V8 flags, including flags set at run time.
  const folders = readdirSync(join(caches, 'cairn', 'compiled')).map((name) =>
    name.split('-').at(-2),
  )
  assert.deepEqual(folders, [grown])
})

test('help and version exit with 0, wrong usage with 2', async () => {
  const [help, version, wrong] = await Promise.all([
    cairn(['--help']),
    cairn(['--version']),
    cairn(['keys', 'create', '--nope']),
  ])
  assert.equal(help.code, 0)
  assert.match(help.out, /^Usage: cairn /)
  assert.match(version.out, /^\d+\.\d+\.\d+\n$/)
  assert.equal(wrong.code, 2)
  assert.match(wrong.err, /^cairn: unknown option '--nope'[^\n]*\n$/)
})

test('keys create on an empty folder creates the folder, the first account with a card, and a key', async () => {
  const made = await json('fresh', 'keys', 'create', '--name', 'laptop')
  assert.match(String(made['apiKey']), /^cairn_live_\w{36}$/)
  assert.match(String(made['apiKeySecret']), /^cairns_live_\w{36}$/)
  const { accounts } = await json('fresh', 'accounts', 'list')
  assert.partialDeepStrictEqual(accounts, [{ name: made['account'], hasCard: true }])
  const { keys } = await json('fresh', 'keys', 'list')
  assert.partialDeepStrictEqual(keys, [{ id: made['id'], name: 'laptop', revoked: null }])
})

test('secrets are shown once: no list and no file of the data folder contains them', async () => {
  const made = await json('once', 'keys', 'create')
  const { keys } = await json('once', 'keys', 'list')
  const files = readdirSync(join(root, 'once')).map((name) =>
    readFileSync(join(root, 'once', name)),
  )
  assert.ok(files.length > 0)
  for (const text of [made['apiKey'], made['apiKeySecret']]) {
    assert.equal(JSON.stringify(keys).includes(String(text)), false)
    for (const file of files) assert.equal(file.includes(String(text)), false)
  }
})

test('a key has the settings of its creation', async () => {
  const limits = ['--units-per-second', '5', '--units-per-day', '0']
  const networks = ['--networks', 'dev,other', '--secret-required']
  const { id } = await json('settings', 'keys', 'create', ...limits, ...networks)
  const { key } = await json('settings', 'keys', 'show', String(id))
  const settings = {
    secretRequired: true,
    networks: ['dev', 'other'],
    unitsPerSecond: 5,
    unitsPerDay: 0,
  }
  assert.partialDeepStrictEqual(key, { settings })
})

test('a key of another service is read from standard input, never from arguments', async () => {
  const key = '0123456789abcdef0123456789abcdef'
  const args = ['keys', 'create', '--import-key', '--json', '--data-dir', join(root, 'imported')]
  const { code, out } = await cairn(args, `${key}\nfedcba9876543210\n`)
  assert.equal(code, 0)
  assert.partialDeepStrictEqual(JSON.parse(out), { apiKey: key, apiKeySecret: 'fedcba9876543210' })
  const again = await cairn(args, `${key}\nfedcba9876543210\n`)
  assert.equal(again.code, 1)
  const half = await cairn(args, `${key}\n`)
  assert.equal(half.code, 2)
  assert.equal((again.err + half.err).includes(key), false)
})

test('a revoked key is listed as revoked, and cannot be revoked again', async () => {
  const { id } = await json('revoked', 'keys', 'create')
  await json('revoked', 'keys', 'revoke', String(id))
  const { key } = await json('revoked', 'keys', 'show', String(id))
  assert.match(String((key as Record<string, unknown>)['revoked']), /^\d{4}-/)
  const again = await cairn(['keys', 'revoke', String(id), '--data-dir', join(root, 'revoked')])
  assert.equal(again.code, 1)
  assert.match(again.err, /^cairn: [^\n]+\n$/)
})

test('an account created without a card has none until it is marked, and none after the mark is cleared', async () => {
  await json('card', 'accounts', 'create', 'team', '--no-card')
  const hasCard = async () => {
    const { account } = await json('card', 'accounts', 'show', 'team')
    return (account as Record<string, unknown>)['hasCard']
  }
  assert.equal(await hasCard(), false)
  await json('card', 'card', 'set', 'team')
  assert.equal(await hasCard(), true)
  await json('card', 'card', 'clear', 'team')
  assert.equal(await hasCard(), false)
})

test('an account that the operator creates is marked as having a card, unless Stripe is configured', async () => {
  const made = async (folder: string, env: Record<string, string> = {}) => {
    const data = ['--data-dir', join(root, folder), '--json']
    const { code, out, err } = await cairn(['accounts', 'create', 'team', ...data], '', [], env)
    assert.equal(code, 0, err)
    return (JSON.parse(out) as { account: { hasCard: boolean } }).account.hasCard
  }
  const stripe = {
    CAIRN_CARD_ADAPTER: 'stripe',
    CAIRN_CARD_STRIPE_SECRET_KEY: 'sk_test_1234567890',
    CAIRN_CARD_STRIPE_PUBLISHABLE_KEY: 'pk_test_1234567890',
    CAIRN_CARD_STRIPE_WEBHOOK_SECRET: 'whsec_1234567890',
  }
  assert.equal(await made('by-operator'), true)
  assert.equal(await made('by-stripe', stripe), false)
})

test('an unknown account exits with 1 and a sentence, or with an object with --json', async () => {
  const folder = join(root, 'unknown')
  await json('unknown', 'accounts', 'create', 'existing')
  for (const command of [
    ['card', 'set'],
    ['accounts', 'show'],
    ['keys', 'create', '--account'],
  ]) {
    const { code, out, err } = await cairn([...command, 'missing', '--json', '--data-dir', folder])
    assert.equal(code, 1)
    assert.equal(out, '')
    const [sentence = '', object = ''] = err.split('\n')
    assert.match(sentence, /^cairn: unknown account "missing"$/)
    assert.partialDeepStrictEqual(JSON.parse(object), { error: { code: 'no_account' } })
  }
})

test('the usage of a new folder is an empty list of rows', async () => {
  await json('usage', 'accounts', 'create', 'idle')
  assert.deepEqual(await json('usage', 'usage', '--since', '2026-01-31'), {
    usage: [],
    storage: { accounts: [], stored: { blocks: 0, bytes: 0 } },
  })
  const wrong = await cairn(['usage', '--since', 'yesterday'])
  assert.equal(wrong.code, 2)
})

test('the public accounts of the embedded chain are listed with their keys', async () => {
  const { accounts } = await json('dev', 'accounts', 'dev')
  const list = accounts as { address: string; privateKey: string }[]
  assert.equal(list.length, 10)
  assert.match(list[0]?.privateKey ?? '', /^0x[0-9a-f]{64}$/)
})

test('two concurrent commands on a new folder both succeed, in one account', async () => {
  await Promise.all([json('race', 'keys', 'create'), json('race', 'keys', 'create')])
  const { accounts } = await json('race', 'accounts', 'list')
  assert.equal((accounts as unknown[]).length, 1)
})

test('a read-only command refuses a folder without data, creates nothing, and names the fix', async () => {
  const nowhere = join(root, 'nowhere')
  for (const command of [['keys', 'list'], ['gc'], ['usage'], ['store', 'verify']]) {
    const { code, out, err } = await cairn([...command, '--data-dir', nowhere])
    assert.equal(code, 1)
    assert.equal(out, '')
    assert.equal(
      err,
      `cairn: no data in ${nowhere}: start the server once, or choose another folder with --data-dir\n`,
    )
    assert.equal(existsSync(nowhere), false)
  }
})

test('a folder that cannot be created, and an invalid database, are refused by name', async () => {
  const file = join(root, 'a-file')
  writeFileSync(file, 'no database '.repeat(100))
  const made = await cairn(['keys', 'create', '--data-dir', file])
  assert.equal(
    made.err,
    `cairn: the data folder ${file} is a file; choose another folder with --data-dir\n`,
  )
  const below = await cairn(['keys', 'list', '--data-dir', join(file, 'data')])
  assert.match(below.err, /cairn: (cannot read|no data in) .*a-file\/data/)
  const spoilt = join(root, 'spoilt')
  mkdirSync(spoilt)
  copyFileSync(file, join(spoilt, 'cairn.db'))
  const listed = await cairn(['keys', 'list', '--data-dir', spoilt])
  assert.match(
    listed.err,
    /^cairn: \S+\/cairn\.db is damaged \(.+\): run (?:npm run -s cairn --|cairn) doctor for a fix\n$/,
  )
})
