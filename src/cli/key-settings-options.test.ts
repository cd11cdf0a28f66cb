import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { after, test } from 'node:test'
import { defaultAccountSettings, defaultKeySettings } from '../access/accounts/key-settings.ts'
import { temporaryFolder } from '../../test/started-server.ts'
import { runProgram } from './program.ts'

const folder = await temporaryFolder()
after(() => rm(folder, { recursive: true, force: true }))

async function cairn(...args: string[]) {
  let out = ''
  const context = {
    env: {},
    out: (text: string) => void (out += text),
    err: (text: string) => void (out += text),
    readInput: () => Promise.resolve(''),
  }
  const code = await runProgram([...args, '--data-dir', folder, '--json'], context)
  const parsed = code === 0 ? (JSON.parse(out) as Record<string, unknown>) : {}
  return { code, out, parsed }
}

async function createKey(...args: string[]): Promise<string> {
  const { parsed } = await cairn('keys', 'create', ...args)
  return String(parsed['id'])
}

async function settingsOf(id: string) {
  const { parsed } = await cairn('keys', 'show', id)
  return (parsed['key'] as { settings: object }).settings
}

test('lists are given with a key or set later; what is not named stays, and none empties a list', async () => {
  const id = await createKey(
    '--allow-method',
    'eth_call',
    '--allow-method',
    'pin/add',
    '--no-files',
  )
  const made = { ...defaultKeySettings, allowMethods: ['eth_call', 'pin/add'], files: false }
  assert.deepEqual(await settingsOf(id), made)

  await cairn('keys', 'set', id, '--allow-ip', '192.0.2.0/24', '--override-with-secret')
  const later = { ...made, allowIps: ['192.0.2.0/24'], overrideWithSecret: true }
  assert.deepEqual(await settingsOf(id), later)

  const back = ['--allow-method', 'none', '--allow-ip', 'none', '--files']
  await cairn('keys', 'set', id, ...back, '--no-override-with-secret')
  assert.deepEqual(await settingsOf(id), defaultKeySettings)
})

test('every setting that a key may be given can be changed and taken back', async () => {
  const limits = [
    '--units-per-second',
    '--units-per-day',
    '--files-reads-per-second',
    '--files-upload-bytes-per-month',
    '--files-download-bytes-per-month',
    '--files-stored-bytes',
    '--files-body-bytes',
    '--files-uploads',
  ]
  const id = await createKey()
  const args = [...limits, '--files-writes-per-second'].flatMap((flag) => [flag, '5'])
  await cairn('keys', 'set', id, ...args, '--secret-required', '--networks', 'dev')
  await cairn('keys', 'set', id, '--import-profile', 'unixfs-v1-2025')
  await cairn('keys', 'set', id, '--jwt-required', '--jwt-audience', 'a.example')
  assert.partialDeepStrictEqual(await settingsOf(id), {
    secretRequired: true,
    jwtRequired: true,
    jwtAudiences: ['a.example'],
    networks: ['dev'],
    unitsPerSecond: 5,
    unitsPerDay: 5,
    filesReadsPerSecond: 5,
    filesWritesPerSecond: 5,
    filesUploadBytesPerMonth: 5,
    filesDownloadBytesPerMonth: 5,
    filesStoredBytes: 5,
    filesBodyBytes: 5,
    filesUploads: 5,
    importProfile: 'unixfs-v1-2025',
  })
  const back = [...limits, '--files-writes-per-second'].flatMap((flag) => [flag, 'none'])
  await cairn('keys', 'set', id, ...back, '--no-secret-required', '--networks', 'all')
  await cairn('keys', 'set', id, '--import-profile', 'none')
  await cairn('keys', 'set', id, '--no-jwt-required', '--jwt-audience', 'none')
  assert.deepEqual(await settingsOf(id), defaultKeySettings)
})

test('an entry that could never match is refused with its reason, and nothing is changed', async () => {
  const id = await createKey()
  const cases = [
    ['--allow-address', '0x1234', /40 hex digits/],
    ['--allow-method', 'eth call', /pin\/add/],
    ['--allow-origin', 'https://a.example/page', /an origin such as/],
    ['--allow-user-agent', 'ä', /ASCII/],
    ['--jwt-audience', 'two words', /an audience such as/],
    ['--allow-ip', '192.0.2.0/33', /192\.0\.2\.0\/24/],
  ] as const
  for (const [flag, entry, expected] of cases) {
    const { code, out } = await cairn('keys', 'set', id, '--units-per-day', '1', flag, entry)
    assert.equal(code, 1, flag)
    assert.match(out, expected)
  }
  const thirtyOne = Array.from({ length: 31 }, (_, n) => ['--allow-method', `m_${n}`]).flat()
  assert.match((await cairn('keys', 'set', id, ...thirtyOne)).out, /at most 30 entries/)
  assert.deepEqual(await settingsOf(id), defaultKeySettings)
})

test('a set that says nothing, or none with an entry, is a wrong usage', async () => {
  const id = await createKey()
  assert.equal((await cairn('keys', 'set', id)).code, 2)
  const both = ['--allow-method', 'none', '--allow-method', 'eth_call']
  assert.equal((await cairn('keys', 'set', id, ...both)).code, 2)
  assert.equal((await cairn('keys', 'set', id, '--import-profile', 'unixfs')).code, 2)
  assert.equal((await cairn('keys', 'set', 'absent', '--files')).code, 1)
})

test('an account has limits of its own, which are changed and taken back', async () => {
  await cairn('accounts', 'create', 'team')
  const limits = async () => {
    const { parsed } = await cairn('accounts', 'show', 'team')
    return (parsed['account'] as { settings: object }).settings
  }
  assert.deepEqual(await limits(), defaultAccountSettings)
  await cairn('accounts', 'set', 'team', '--files-stored-bytes', '1000')
  await cairn('accounts', 'set', 'team', '--files-upload-bytes-per-month', '5')
  const set = { ...defaultAccountSettings, filesStoredBytes: 1000, filesUploadBytesPerMonth: 5 }
  assert.deepEqual(await limits(), set)
  await cairn('accounts', 'set', 'team', '--files-stored-bytes', 'none')
  assert.deepEqual(await limits(), { ...set, filesStoredBytes: null })
  assert.equal((await cairn('accounts', 'set', 'team')).code, 2)
  assert.equal((await cairn('accounts', 'set', 'team', '--files-stored-bytes', '-1')).code, 2)
  assert.equal((await cairn('accounts', 'set', 'absent', '--files-stored-bytes', '1')).code, 1)
})
